import type { Schemas } from '../../shared/api';
import type { Theme } from '../../shared/theme';
import type { SalePhase } from '../state/sale-phase';

/** What a sentence about a refusal may be about. */
export interface Facts {
  item?: string | undefined;
  limit?: number | undefined;
  remaining?: number | undefined;
}

/** Codes that a shopper may meet and can be told plainly; all others read as UNKNOWN. */
export type ToldCode =
  | Extract<
      Schemas['Problem']['code'],
      | 'VALIDATION_FAILED' | 'INVALID_BASKET' | 'UNAUTHENTICATED' | 'INVALID_CREDENTIALS' | 'USERNAME_TAKEN' | 'NOT_STARTED' | 'PAUSED' | 'ENDED' | 'NOT_LOADED'
      | 'UNAVAILABLE' | 'TOO_MANY_REQUESTS' | 'SALE_NOT_FOUND' | 'ITEM_NOT_FOUND' | 'ORDER_NOT_FOUND' | 'NO_TICKET' | 'ALREADY_QUEUED' | 'UNPAID_ORDER' | 'LIMIT_REACHED'
      | 'SOLD_OUT' | 'TICKET_CLAIMED' | 'ORDER_NOT_PAYABLE' | 'ORDER_NOT_CANCELLABLE' | 'IDEMPOTENCY_KEY_REUSED'
    >
  | 'OFFLINE'
  | 'UNKNOWN';

/** How a ticket may have ended, as far as it reads differently. */
export type OutcomeName = 'paid' | 'sold_out' | 'rejected' | 'rejected_unpaid' | 'rejected_limit' | 'expired' | 'cancelled' | 'refunded' | 'left';

type Plain =
  | 'brand' | 'skip' | 'sales' | 'myOrders' | 'signIn' | 'signUp' | 'signOut' | 'otherLanguage' | 'offline' | 'retry' | 'loading' | 'close' | 'back' | 'notFound' | 'toSales' | 'tagline'
  | 'liveNow' | 'upcoming' | 'past' | 'noSales' | 'noSalesHint' | 'opensIn' | 'endsIn' | 'pausedHint' | 'soldOut' | 'listPrice' | 'price' | 'total'
  | 'join' | 'joinAgain' | 'joinSoldOut' | 'chooseSomething' | 'joinPaused' | 'joinOver' | 'joining' | 'inLine' | 'joinAgainHint' | 'stopJoining' | 'readyHint' | 'soldOutHint'
  | 'yourTicket' | 'place' | 'placeStandby' | 'etaLabel' | 'progress' | 'queued' | 'queuedHint' | 'reserved' | 'reservedHint' | 'standby' | 'standbyHint' | 'toPay' | 'toPayHint'
  | 'payIn' | 'timeOver' | 'amount' | 'pay' | 'payAgain' | 'paying' | 'payElsewhere' | 'payUnconfirmed' | 'cancelOrder' | 'cancelSure' | 'cancelSureHint' | 'cancelYes' | 'keep'
  | 'leave' | 'leaveSure' | 'leaveSureHint' | 'leaveYes' | 'username' | 'password' | 'toRegister' | 'toLogin' | 'usernameRule' | 'passwordRule' | 'signingIn'
  | 'orderedAt' | 'toSale' | 'noOrders' | 'noOrdersHint' | 'ordersSignIn' | 'loadMore';

type Told = 'until' | 'openedAt' | 'endedAt' | 'from' | 'quantity' | 'fewer' | 'more' | 'order';

/** The texts of the shop page, the same in each language. Those with something in them are functions. */
export type Texts = Record<Plain, string> &
  Record<Told, (what: string) => string> & {
    themeIs: Record<Theme, string>;
    phase: Record<SalePhase, string>;
    itemCount: (count: number) => string;
    left: (remaining: string, stock: string) => string;
    limit: (limit: number) => string;
    off: (percent: number) => string;
    eta: (seconds: number) => string;
    outcomes: Record<OutcomeName, { title: string; text: string }>;
    problems: Record<ToldCode, (facts: Facts) => string>;
    accountTitle: Record<'login' | 'register', string>;
    orderStatus: Record<Schemas['OrderAnswer']['status'], string>;
    refund: Record<NonNullable<Schemas['OrderAnswer']['refund']>, string>;
  };
