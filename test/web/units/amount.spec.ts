import fc from 'fast-check';
import { minorOf, typedAmount } from '../../../web/src/ops/amount';

describe('an amount that is typed', () => {
  it.each([
    ['19.99', 'EUR', 1999], ['19,9', 'EUR', 1990], ['29', 'EUR', 2900], [' 29 ', 'EUR', 2900], ['1999', 'HUF', 199_900], ['1999', 'JPY', 1999], ['1.234', 'KWD', 1234], ['0', 'EUR', 0],
  ])('%s %s is %d minor units', (typed, currency, minor) => {
    expect(minorOf(typed, currency)).toBe(minor);
  });

  it.each(['', '1,000', '1.000,00', '0x10', '1e3', '-5', 'five', '.5', '5.', 'Infinity'])('"%s" is none', (typed) => {
    expect(minorOf(typed, 'EUR')).toBeNaN();
  });

  it('with more decimals than the currency has is no whole number, which the API refuses', () => {
    expect(Number.isInteger(minorOf('19.995', 'EUR'))).toBe(false);
    expect(Number.isInteger(minorOf('19.5', 'JPY'))).toBe(false);
  });

  it('is read as it is written', () => {
    fc.assert(fc.property(fc.nat({ max: 1_000_000_000 }), fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF', 'HUF'), (minor, currency) => {
      expect(minorOf(typedAmount(minor, currency), currency)).toBe(minor);
    }));
  });
});
