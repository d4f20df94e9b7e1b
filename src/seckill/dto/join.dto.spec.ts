import fc from 'fast-check';
import { validated } from '../../infra/http/validation.js';
import { JoinDto, plainBasket } from './join.dto.js';

const near = {
  itemId: fc.oneof(fc.constantFrom('1', '2', '0', '01', '-1', '', '12345678901234567890', 1, null), fc.string()),
  quantity: fc.oneof(fc.integer({ min: -1, max: 1002 }), fc.double(), fc.constantFrom('1', null, true)),
};
const line = fc.oneof(fc.record(near), fc.record({ ...near, note: fc.string() }, { requiredKeys: [] }), fc.anything());
const body = fc.oneof(fc.record({ items: fc.array(line, { maxLength: 12 }) }), fc.record({ items: fc.array(line), more: fc.string() }, { requiredKeys: [] }), fc.anything());

describe('plainBasket', () => {
  it('takes only what the validation takes, and takes it the same', async () => {
    await fc.assert(
      fc.asyncProperty(body, async (candidate) => {
        const basket = plainBasket(candidate);
        if (basket) expect((await validated(JoinDto, candidate)).items.map(({ itemId, quantity }) => ({ itemId, quantity }))).toEqual(basket);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes an ordinary basket', () => {
    const items = [{ itemId: '1', quantity: 1 }, { itemId: '22', quantity: 1000 }];
    expect(plainBasket({ items })).toEqual(items);
  });

  it.each([[[]], [[{ itemId: '1', quantity: 1 }, { itemId: '1', quantity: 2 }]], [Array.from({ length: 11 }, (_, index) => ({ itemId: String(index + 1), quantity: 1 }))]])(
    'leaves to the validation what is not plain: %j', (items) => {
      expect(plainBasket({ items })).toBeNull();
    },
  );
});
