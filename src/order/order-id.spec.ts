import { v7 as uuidv7 } from 'uuid';
import { firstOrderIdAt, isOrderId } from './order-id.js';

const NOW_MS = 1_764_600_000_123;

describe('the first order id of a moment', () => {
  it('sorts before the ids of that millisecond and after those of the one before', () => {
    for (let place = 0; place < 500; place += 1) {
      expect(uuidv7({ msecs: NOW_MS, seq: place }) > firstOrderIdAt(NOW_MS)).toBe(true);
      expect(uuidv7({ msecs: NOW_MS - 1, seq: place }) < firstOrderIdAt(NOW_MS)).toBe(true);
    }
  });

  it('has the form of an id, at the ends of time too', () => {
    for (const ms of [NOW_MS, 0, -1, Date.UTC(9989, 0), Infinity]) expect(isOrderId(firstOrderIdAt(ms))).toBe(true);
  });
});
