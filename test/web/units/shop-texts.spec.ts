import { TICKET_STATUSES } from '../../../src/goods/ticket';
import { en } from '../../../web/src/shop/texts/en';
import { problemText } from '../../../web/src/shop/texts/problem-text';
import { outcomeOfTicket } from '../../../web/src/shop/texts/ticket-outcome';
import { zh } from '../../../web/src/shop/texts/zh';
import { isTerminal } from '../../../web/src/shop/state/ticket-status';

/** What a join may be refused with, as docs/api.md has it. */
const JOIN_CODES = [
  'INVALID_BASKET', 'VALIDATION_FAILED', 'UNAUTHENTICATED', 'SALE_NOT_FOUND', 'ITEM_NOT_FOUND', 'NOT_STARTED', 'PAUSED', 'ENDED', 'SOLD_OUT', 'ALREADY_QUEUED', 'UNPAID_ORDER',
  'LIMIT_REACHED', 'IDEMPOTENCY_KEY_REUSED', 'NOT_LOADED', 'UNAVAILABLE', 'TOO_MANY_REQUESTS',
];
const languages = Object.entries({ en, zh });

describe.each(languages)('the texts in %s', (_name, texts) => {
  it.each(JOIN_CODES)('have a sentence of its own for a join refused with %s', (code) => {
    const told = problemText({ code, extra: {} }, texts.problems);
    expect(told).not.toBe(problemText({ code: 'UNKNOWN', extra: {} }, texts.problems));
    expect(told).not.toMatch(/undefined|[A-Z]_[A-Z]/);
  });

  it('name the item, its limit and what is left of it', () => {
    const titles = new Map([['7', 'Moka pot']]);
    expect(problemText({ code: 'LIMIT_REACHED', extra: { itemId: '7', limitPerUser: 2 } }, texts.problems, titles)).toMatch(/2.*Moka pot/);
    expect(problemText({ code: 'SOLD_OUT', extra: { itemId: '7', remaining: 3 } }, texts.problems, titles)).toMatch(/Moka pot.*3|3.*Moka pot/);
    expect(problemText({ code: 'SOLD_OUT', extra: { itemId: '7', remaining: 0 } }, texts.problems, titles)).not.toMatch(/0/);
  });

  it('say of a code that they do not know that something went wrong', () => {
    expect(problemText({ code: 'toString', extra: {} }, texts.problems)).toBe(texts.problems.UNKNOWN({}));
  });
});

describe('outcomeOfTicket', () => {
  it('has words for every ticket that has ended, and for no other', () => {
    for (const status of TICKET_STATUSES) expect([status, outcomeOfTicket(status, undefined) !== null]).toEqual([status, isTerminal(status)]);
  });

  it('tells apart what a shopper has to do something about', () => {
    expect(outcomeOfTicket('rejected', 'UNPAID_ORDER')).toBe('rejected_unpaid');
    expect(outcomeOfTicket('rejected', 'LIMIT_REACHED')).toBe('rejected_limit');
    expect(outcomeOfTicket('cancelled', 'REFUNDED')).toBe('refunded');
    expect(outcomeOfTicket('cancelled', 'CANCELLED_BY_SHOPPER')).toBe('cancelled');
  });
});
