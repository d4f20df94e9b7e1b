import type { OrderStatus } from '../../src/order/order-status.js';
import type { PaymentStatus } from '../../src/order/payment/payment.js';

/**
 * What happens to an order in every state on every event: the one place. docs/orders.md shows this table, and state-table.spec.ts drives the
 * service by it.
 */

/** The states differ by their payments too, since these decide what a provider's word leads to. */
export const STATES = {
  unasked: 'awaiting_payment, no payment begun',
  pending: 'awaiting_payment, payment pending',
  failed: 'awaiting_payment, payment failed',
  paid: 'paid',
  paid_by_another: 'paid, by the second payment; events are about the first one, which had failed',
  expired: 'expired, payment cancelled',
  cancelled: 'cancelled, payment cancelled',
  refunded: 'refunded, units on sale',
  unrefunded: 'refunded, units on sale; its money came back to us',
} as const;
export type State = keyof typeof STATES;

export const EVENTS = {
  pay: 'shopper pays',
  succeeded: 'provider: succeeded',
  succeeded_other_amount: 'provider: succeeded, another amount',
  succeeded_other_currency: 'provider: succeeded, another currency',
  failed: 'provider: failed',
  refunded: 'provider: refunded',
  refunded_in_part: 'provider: refunded in part',
  refund_failed: 'provider: the refund has failed for good',
  refund_failed_for_now: 'provider: the refund has failed, another may not',
  cancel: 'shopper cancels',
  expire: 'time to pay is over',
  refund: 'operator refunds, units go back',
  refund_and_withdraw: 'operator refunds, units out of sale',
} as const;
export type Event = keyof typeof EVENTS;

/** Where the units of the order are afterwards. */
export type Units = 'held' | 'on sale' | 'out of sale' | "somebody else's";

export interface Outcome {
  order: OrderStatus;
  /** Its payments, the first one first. What is `refund_due` has become `refunded` here: see `goesBack`. */
  payments: PaymentStatus[];
  units: Units;
  /** Status of the HTTP answer, with the code of a problem; none where nobody asked. */
  answer?: string;
  /** The payment was `refund_due` first, and the scheduler sent its money back. */
  goesBack?: true;
  /** Whether the units are still free when the event comes; said only where it matters. */
  when?: 'units are free' | 'units are gone';
}

type Row = Record<Event, Outcome[]>;
type Still = Pick<Outcome, 'order' | 'payments' | 'units'>;

const answered = (outcome: Outcome, answer: string): Outcome => ({ ...outcome, answer });
const PROBLEM = { pay: '409 ORDER_NOT_PAYABLE', cancel: '409 ORDER_NOT_CANCELLABLE', refund: '409 ORDER_NOT_REFUNDABLE' };

/** Nothing moves whatever happens; calls are refused. The rows below say what is different in each state. */
function unmoved(still: Still): Row {
  const taken = [answered(still, '200')];
  return {
    pay: [answered(still, PROBLEM.pay)],
    succeeded: taken,
    succeeded_other_amount: taken,
    succeeded_other_currency: taken,
    failed: taken,
    refunded: taken,
    refunded_in_part: taken,
    refund_failed: taken,
    refund_failed_for_now: taken,
    cancel: [answered(still, PROBLEM.cancel)],
    expire: [still],
    refund: [answered(still, PROBLEM.refund)],
    refund_and_withdraw: [answered(still, PROBLEM.refund)],
  };
}

function unpaid(still: Still, voided: PaymentStatus[]): Row {
  return {
    ...unmoved(still),
    cancel: [{ order: 'cancelled', payments: voided, units: 'on sale', answer: '200' }],
    expire: [{ order: 'expired', payments: voided, units: 'on sale' }],
  };
}

/** What a provider's word makes of an order that its one payment has not paid. */
function money(still: Still): Partial<Row> {
  const back = [{ ...still, payments: ['refunded' as const], answer: '200', goesBack: true as const }];
  return {
    succeeded: [{ order: 'paid', payments: ['succeeded'], units: 'held', answer: '200' }],
    succeeded_other_amount: back,
    succeeded_other_currency: back,
    refunded: [{ ...still, payments: ['refunded'], answer: '200' }],
  };
}

function closed(order: 'expired' | 'cancelled'): Row {
  const still: Still = { order, payments: ['cancelled'], units: 'on sale' };
  return {
    ...unmoved(still),
    ...money(still),
    succeeded: [
      { order: 'paid', payments: ['succeeded'], units: 'held', answer: '200', when: 'units are free' },
      { order, payments: ['refunded'], units: "somebody else's", answer: '200', goesBack: true, when: 'units are gone' },
    ],
  };
}

const UNASKED: Still = { order: 'awaiting_payment', payments: [], units: 'held' };
const PENDING: Still = { order: 'awaiting_payment', payments: ['pending'], units: 'held' };
const FAILED: Still = { order: 'awaiting_payment', payments: ['failed'], units: 'held' };
const PAID: Still = { order: 'paid', payments: ['succeeded'], units: 'held' };
const PAID_BY_ANOTHER: Still = { order: 'paid', payments: ['failed', 'succeeded'], units: 'held' };
const REFUNDED: Still = { order: 'refunded', payments: ['refunded'], units: 'on sale' };
const UNREFUNDED: Still = { order: 'refunded', payments: ['refund_failed'], units: 'on sale' };
const TWICE_PAID: Outcome = { order: 'paid', payments: ['refunded', 'succeeded'], units: 'held', answer: '200', goesBack: true };

export const TABLE: Record<State, Row> = {
  unasked: { ...unpaid(UNASKED, []), pay: [answered(PENDING, '200')] },
  pending: {
    ...unpaid(PENDING, ['cancelled']),
    ...money(PENDING),
    pay: [answered(PENDING, '200')],
    failed: [answered(FAILED, '200')],
  },
  failed: {
    ...unpaid(FAILED, ['failed']),
    ...money(FAILED),
    pay: [{ ...FAILED, payments: ['failed', 'pending'], answer: '200' }],
  },
  paid: {
    ...unmoved(PAID),
    pay: [answered(PAID, '200')],
    refunded: [answered(REFUNDED, '200')],
    refund: [{ ...REFUNDED, answer: '200', goesBack: true }],
    refund_and_withdraw: [{ ...REFUNDED, units: 'out of sale', answer: '200', goesBack: true }],
  },
  paid_by_another: {
    ...unmoved(PAID_BY_ANOTHER),
    pay: [answered(PAID_BY_ANOTHER, '200')],
    succeeded: [TWICE_PAID],
    succeeded_other_amount: [TWICE_PAID],
    succeeded_other_currency: [TWICE_PAID],
    refunded: [{ ...PAID_BY_ANOTHER, payments: ['refunded', 'succeeded'], answer: '200' }],
    refund: [{ order: 'refunded', payments: ['failed', 'refunded'], units: 'on sale', answer: '200', goesBack: true }],
    refund_and_withdraw: [{ order: 'refunded', payments: ['failed', 'refunded'], units: 'out of sale', answer: '200', goesBack: true }],
  },
  expired: closed('expired'),
  cancelled: { ...closed('cancelled'), cancel: [{ order: 'cancelled', payments: ['cancelled'], units: 'on sale', answer: '200' }] },
  refunded: {
    ...unmoved(REFUNDED),
    refund_failed: [answered(UNREFUNDED, '200')],
    refund_failed_for_now: [{ ...REFUNDED, answer: '200', goesBack: true }],
    refund: [answered(REFUNDED, '200')],
    refund_and_withdraw: [answered(REFUNDED, '200')],
  },
  unrefunded: {
    ...unmoved(UNREFUNDED),
    refunded: [answered(REFUNDED, '200')],
    refund: [{ ...REFUNDED, answer: '200', goesBack: true }],
    refund_and_withdraw: [{ ...REFUNDED, answer: '200', goesBack: true }],
  },
};

/** Every cell of the table; one with two cases comes twice. */
export interface Cell {
  state: State;
  event: Event;
  outcome: Outcome;
}

export const CELLS: Cell[] = keys(STATES).flatMap((state) => keys(EVENTS).flatMap((event) => TABLE[state][event].map((outcome) => ({ state, event, outcome }))));

/** The tables as docs/orders.md shows them, one a state. */
export function tablesAsMarkdown(): string {
  return keys(STATES).map((state) => [`**${STATES[state]}**`, '', HEAD, '| --- | --- | --- | --- | --- |', ...CELLS.filter((cell) => cell.state === state).map(line)].join('\n')).join('\n\n');
}

const HEAD = '| event | order | payment | units | answer |';

function line({ event, outcome: { order, payments, units, answer, goesBack, when } }: Cell): string {
  const money = payments.map((status) => (status === 'refunded' && goesBack ? 'refund_due, then refunded' : status)).join(' + ');
  return `| ${EVENTS[event]}${when ? `; ${when}` : ''} | ${order} | ${money || '–'} | ${units} | ${answer ?? '–'} |`;
}

function keys<K extends string>(record: Record<K, unknown>): K[] {
  return Object.keys(record) as K[];
}
