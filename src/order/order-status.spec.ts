import { holdsTokens, mayBecome, ORDER_STATUSES, orderStatus, transition, type OrderStatus } from './order-status.js';

const endsIn = (status: OrderStatus): OrderStatus[] => ORDER_STATUSES.filter((next) => mayBecome(status, next));

describe('status of an order', () => {
  it('leaves awaiting_payment once, to paid, expired or cancelled', () => {
    expect(endsIn('awaiting_payment')).toEqual(['paid', 'expired', 'cancelled']);
  });

  it('lets a paid order be refunded and nothing else', () => {
    expect(endsIn('paid')).toEqual(['refunded']);
  });

  it.each(['expired', 'cancelled'] as const)('lets one that is %s only be paid after all', (status) => {
    expect(endsIn(status)).toEqual(['paid']);
  });

  it('never leaves refunded', () => {
    expect(endsIn('refunded')).toEqual([]);
  });

  it('never goes back to awaiting_payment, nor from a status to itself', () => {
    for (const status of ORDER_STATUSES) {
      expect(mayBecome(status, 'awaiting_payment')).toBe(false);
      expect(mayBecome(status, status)).toBe(false);
    }
  });

  it('gives up the tokens exactly when it closes', () => {
    expect(ORDER_STATUSES.filter(holdsTokens)).toEqual(['awaiting_payment', 'paid']);
  });

  it('names an allowed step', () => {
    expect(transition('awaiting_payment', 'expired')).toEqual({ from: 'awaiting_payment', to: 'expired' });
  });

  it('refuses a word that is no status', () => {
    expect(orderStatus('paid')).toBe('paid');
    expect(() => orderStatus('PAID')).toThrow(TypeError);
    expect(() => orderStatus('toString')).toThrow(TypeError);
  });
});
