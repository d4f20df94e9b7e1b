import type { Schemas } from '../../shared/api';
import type { Texts } from './texts';

const problems: Texts['problems'] = {
  OFFLINE: () => 'The shop could not be reached. Try again in a moment.',
  UNKNOWN: () => 'Something went wrong on our side. Try again in a moment.',
  VALIDATION_FAILED: () => 'The shop did not take what was sent. Reload the page and try again.',
  INVALID_BASKET: () => 'This basket can’t be ordered. Choose up to ten items, each at least once.',
  UNAUTHENTICATED: () => 'You were signed out. Sign in again to go on.',
  INVALID_CREDENTIALS: () => 'That name and password do not belong together.',
  USERNAME_TAKEN: () => 'Somebody has this name already. Choose another one.',
  NOT_STARTED: () => 'The sale has not opened yet. The button arms itself when it does.',
  PAUSED: () => 'The sale is paused. It may go on; this page will show it.',
  ENDED: () => 'The sale is over.',
  NOT_LOADED: () => 'The sale is getting ready. Try again in a moment.',
  UNAVAILABLE: () => 'The shop is very busy. Try again in a moment.',
  TOO_MANY_REQUESTS: () => 'Too many requests at once. Wait a moment, then try again.',
  SALE_NOT_FOUND: () => 'There is no such sale.',
  ITEM_NOT_FOUND: () => 'An item of your basket is not in this sale any more. Reload the page.',
  ORDER_NOT_FOUND: () => 'There is no such order of yours.',
  NO_TICKET: () => 'Your place in line was lost on our side. Nothing was ordered: please join again.',
  ALREADY_QUEUED: () => 'You have a place in this line already.',
  UNPAID_ORDER: () => 'You have an unpaid order in this sale. Pay or cancel it before you join again.',
  LIMIT_REACHED: ({ item, limit }) => `With what you hold already this is more than one shopper may buy${limit === undefined ? '' : `: at most ${limit}`}${item === undefined ? '' : ` of “${item}”`}.`,
  SOLD_OUT: ({ item = 'an item of your basket', remaining }) =>
    remaining ? `Only ${remaining} of “${item}” ${remaining === 1 ? 'is' : 'are'} left. Choose fewer, and be quick.` : `“${item}” is sold out. Units that are not paid for come back: you can try again.`,
  TICKET_CLAIMED: () => 'It was too late to leave: your place had already come up.',
  ORDER_NOT_PAYABLE: () => 'This order can’t be paid any more: its time is over, or it was closed.',
  ORDER_NOT_CANCELLABLE: () => 'This order can’t be cancelled any more.',
  IDEMPOTENCY_KEY_REUSED: () => 'This click was mixed up with another one. Try again.',
};

const outcomes: Texts['outcomes'] = {
  paid: { title: 'It is yours', text: 'Paid. Thank you! You find the order under “My orders”.' },
  sold_out: { title: 'Sold out', text: 'Everything in your basket was gone before your turn, or not all of it could be had. You were charged nothing.' },
  rejected: { title: 'Not possible', text: 'Your join could not become an order. You were charged nothing.' },
  rejected_unpaid: { title: 'An order is still unpaid', text: 'You have an unpaid order in this sale. Pay or cancel it first, under “My orders”.' },
  rejected_limit: { title: 'More than the limit', text: 'Your basket was more than one shopper may buy. Choose fewer and join again.' },
  expired: { title: 'The time to pay is over', text: 'The order was not paid in time, and its units went back on sale. You were charged nothing.' },
  cancelled: { title: 'Cancelled', text: 'You gave this order up, and its units went back on sale.' },
  refunded: { title: 'Refunded', text: 'This order was taken back, and your money is returned to you.' },
  left: { title: 'You left the line', text: 'You gave your place up. Nothing was ordered.' },
};

const orderStatus: Record<Schemas['OrderAnswer']['status'], string> = { awaiting_payment: 'To be paid', paid: 'Paid', expired: 'Expired', cancelled: 'Cancelled', refunded: 'Refunded' };

export const en: Texts = {
  brand: 'Seckill', skip: 'Skip to content', sales: 'Sales', myOrders: 'My orders', signIn: 'Sign in', signUp: 'Sign up', signOut: 'Sign out',
  themeIs: { auto: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' }, otherLanguage: '切换到中文',
  offline: 'No connection. This page goes on by itself as soon as there is one.',
  retry: 'Trying again by itself…', loading: 'Loading…', close: 'Close', back: 'All sales', notFound: 'There is nothing here', toSales: 'To the sales',
  tagline: 'Few units, one line, first come, first served.',
  phase: { upcoming: 'Upcoming', live: 'Live', paused: 'Paused', over: 'Over' },
  liveNow: 'Live now', upcoming: 'Coming up', past: 'Over', noSales: 'No sale right now', noSalesHint: 'This page shows the next one as soon as it is announced.',
  opensIn: 'Opens in', endsIn: 'Ends in', openedAt: (at) => `Opens ${at}`, until: (at) => `Until ${at}`, endedAt: (at) => `Ended ${at}`, pausedHint: 'Paused by the shop. It may go on.',
  from: (price) => `from ${price}`, itemCount: (count) => (count === 1 ? '1 item' : `${count} items`),
  left: (remaining, stock) => `${remaining} of ${stock} left`, soldOut: 'Sold out for now', limit: (limit) => `At most ${limit} each`, off: (percent) => `−${percent}%`,
  listPrice: 'List price', price: 'Sale price', quantity: (item) => `Quantity of ${item}`, fewer: (item) => `Fewer of ${item}`, more: (item) => `More of ${item}`, total: 'Total',
  join: 'Join the line', joinAgain: 'Join again', joinSoldOut: 'Try anyway', chooseSomething: 'Choose an item', joinPaused: 'Paused', joinOver: 'Sale is over', joining: 'Joining…', inLine: 'You are in line',
  joinAgainHint: 'Your click is kept: it is sent again until it is answered, and counts once.', stopJoining: 'Stop trying',
  readyHint: 'Sign in first, so that one click is enough.', soldOutHint: 'Units that others do not pay for come back. Joining is free.',
  yourTicket: 'Your ticket', place: 'Your place', placeStandby: 'Your place in the standby line', eta: (seconds) => (seconds < 60 ? `about ${seconds} s` : `about ${Math.round(seconds / 60)} min`), etaLabel: 'Your turn in', progress: 'Way through the line',
  queued: 'You are in line', queuedHint: 'Stay or come back later: your place is kept.', reserved: 'Your units are reserved', reservedHint: 'Your order is being written down.',
  standby: 'You stand by', standbyHint: 'Everything is sold for now. Units that are not paid for go to the standby line, in its order. If it is your turn, you get an order by itself, with time to pay.',
  toPay: 'You got it', toPayHint: 'Pay in time, or the units go back on sale.', payIn: 'Time left to pay', timeOver: 'The time is over', amount: 'To pay', pay: 'Pay now', payAgain: 'Pay again', paying: 'Paying…', payElsewhere: 'This payment can’t be finished on this page. Ask the shop for another way to pay.',
  payUnconfirmed: 'The payment is not confirmed yet. You can wait, or press again: you never pay twice.',
  cancelOrder: 'Cancel the order', cancelSure: 'Give these units up?', cancelSureHint: 'They go back on sale at once, and you may have to join at the end of the line.', cancelYes: 'Yes, cancel', keep: 'Keep', leave: 'Leave the line', leaveSure: 'Give your place up?', leaveSureHint: 'You would have to join again at the end of the line.', leaveYes: 'Yes, leave',
  outcomes, problems,
  accountTitle: { login: 'Sign in', register: 'Sign up' }, username: 'Name', password: 'Password', toRegister: 'New here? Sign up', toLogin: 'Have an account? Sign in', usernameRule: '3 to 64 characters: letters from A to Z, digits, or . _ - @', passwordRule: 'At least 8 characters', signingIn: 'One moment…',
  order: (id) => `Order ${id}`, orderStatus, orderedAt: 'Ordered', toSale: 'To the sale', noOrders: 'No orders yet', noOrdersHint: 'What you win in a sale shows up here.', ordersSignIn: 'Sign in to see your orders', loadMore: 'Show older ones',
  refund: { due: 'Your money is on its way back.', failed: 'Your money could not be sent back yet. The shop sees to it.', done: 'Your money has gone back.' },
};
