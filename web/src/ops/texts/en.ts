/** What the console says, in English. */
export const en = {
  brand: 'Seckill console',
  nav: { label: 'Console', sales: 'Sales', goods: 'Goods', orders: 'Orders', rehearsals: 'Rehearsals', queues: 'Queues', skip: 'Skip to the content' },
  settings: { language: 'Language', theme: 'Theme', themes: { auto: 'System', light: 'Light', dark: 'Dark' }, signOut: 'Sign out' },
  signIn: {
    title: 'Sign in', username: 'Username', password: 'Password', submit: 'Sign in', hint: 'For operators of the shop.',
    notOperator: 'This account is not an operator’s.', over: 'Your session is over. Sign in again to go on where you were.',
  },
  common: {
    loading: 'Loading', retry: 'Try again', amountFault: 'Write an amount, 19.90 for instance.', cancel: 'Cancel', close: 'Close', save: 'Save', edit: 'Edit', back: 'Back', all: 'All', none: '–', search: 'Search', reset: 'Clear filters',
    older: 'Older', newest: 'Newest', pages: 'Pages', actions: 'Actions', yes: 'Yes', no: 'No', optional: 'optional', now: 'now', highest: 'highest', table: 'As a table', time: 'Time', count: 'Count',
    stale: (time: string) => `No answer since ${time}. These figures are old.`, saved: 'Saved.', notFound: 'There is no such page.', notFoundHint: 'The address may be mistyped, or what it showed is gone.',
    working: 'Working…', download: 'CSV', step: (name: string, value: string, part: string) => `${name}: ${value}, ${part} of the joins`,
  },
  problems: {
    OFFLINE: 'The service does not answer. Check the connection.', INVALID_CREDENTIALS: 'Wrong username or password.',
    FORBIDDEN: 'Only operators may do this.', UNAVAILABLE: 'The service can’t reach its stores just now. Try again in a moment.',
    INTERNAL: 'Something went wrong in the service. Its log has the details.',
  } as Record<string, string>,
  faults: (count: number) => (count === 1 ? 'One field needs your attention.' : `${count} fields need your attention.`),
  saleStates: { draft: 'Draft', scheduled: 'Scheduled', live: 'Live', paused: 'Paused', ended: 'Ended' },
  orderStatuses: { awaiting_payment: 'Awaiting payment', paid: 'Paid', expired: 'Expired', cancelled: 'Cancelled', refunded: 'Refunded' } as Record<string, string>,
  refunds: { due: 'Refund due', failed: 'Refund failed', done: 'Refunded' } as Record<string, string>,
  goods: {
    title: 'Goods', create: 'New goods', edit: 'Edit goods', empty: 'No goods yet', emptyHint: 'A sale offers goods. Create the first ones here.',
    name: 'Title', price: 'List price', currency: 'Currency', currencyHint: 'Three letters, EUR for instance. It stays once a sale offers the goods.',
    description: 'Description', imageUrl: 'Image address', created: 'Created', editOne: (title: string) => `Edit ${title}`,
  },
  sales: {
    title: 'Sales', create: 'New sale', empty: 'No sales here', emptyHint: 'Create one: it begins as a draft that shoppers can’t see.', state: 'State',
    name: 'Title', starts: 'Starts', ends: 'Ends', items: 'Items', stock: 'Stock', sold: 'Sold', number: 'No.',
  },
  saleForm: {
    create: 'New sale', edit: 'Edit sale', name: 'Title', startsAt: 'Starts', endsAt: 'Ends', zone: 'In the time zone of this browser.', mode: 'Mode',
    modes: { queue: 'Queue: join first, order in batches', instant: 'Instant: tokens taken in the join' },
    paymentTimeout: 'Seconds to pay', paymentTimeoutHint: 'Empty: as the service is set.', standby: 'Places in the standby line', shards: 'Shards',
    more: 'More settings', items: 'Items', item: (number: number) => `Item ${number}`, goods: 'Goods', choose: 'Choose goods', price: 'Price', listPrice: (price: string) => `List price ${price}`, stock: 'Stock', limit: 'Limit per shopper',
    addItem: 'Add an item', removeItem: (number: number) => `Remove item ${number}`, noGoods: 'There are no goods yet. Create some first.',
    itemsStay: 'Items and their prices can’t be edited; stock and limits have levers on the sale’s page. For other items copy the sale and throw this draft away.',
    copy: 'Copy to a new sale', locked: 'Can’t be changed any more in this state.', discard: 'Throw draft away',
    discardWhat: 'The draft and its items are deleted. No shopper has seen it. This can’t be undone.', submitCreate: 'Create draft',
  },
  sale: {
    tabs: { label: 'Of this sale', live: 'Overview', orders: 'Orders', report: 'Report', edit: 'Edit' }, notLoaded: 'not loaded in Redis', loaded: 'loaded in Redis',
    opensIn: 'Opens in', endsIn: 'Ends in', opensAt: 'Opens', endsAt: 'Ends', over: 'Over', closed: 'Closed: nothing is under way any more', claimsStopped: 'the line stands still', claimsGoOn: 'the line goes on',
    funnel: 'Funnel', steps: { joins: 'Joins', waiting: 'Waiting', decided: 'Decided', ordered: 'Ordered', paid: 'Paid' },
    funnelNote: (standby: string, rate: string) => `${standby} on standby · ${rate} decided per second`,
    charts: 'Over time', chartsSpan: 'Time shown', chartsSpans: { recent: 'Last 5 minutes', all: 'All' }, joinsChart: 'Joins per second', ordersChart: 'Orders per second', lineChart: 'In line',
    lines: { joins: 'Joins', refused: 'Refused', ordered: 'Orders', paid: 'Payments', waiting: 'Waiting', standby: 'Standby' },
    noCurve: 'The curve begins when shoppers come.', chartSays: (label: string, now: string, highest: string) => `${label}: now ${now}, highest ${highest}`,
    stock: 'Stock by place', units: (count: string) => `${count} units issued`,
    places: { free: 'In list', claimed: 'Claimed', held: 'Held', paid: 'Paid', returning: 'Returning', withdrawn: 'Withdrawn' }, freeUnknown: 'not loaded',
    refusals: 'Refusals', reason: 'Reason', noRefusals: 'Nobody was refused so far.', waits: 'Wait from join to order', p50: 'Half within', p99: '99 % within', noWaits: 'No order was decided yet.',
    refusalCodes: {
      SOLD_OUT: 'Sold out', LIMIT_REACHED: 'Limit reached', NOT_STARTED: 'Not started', PAUSED: 'Paused', ENDED: 'Ended', ALREADY_QUEUED: 'Already in line', UNPAID_ORDER: 'Unpaid order',
      NOT_LOADED: 'Being loaded', INVALID_BASKET: 'Wrong basket', ITEM_NOT_FOUND: 'Unknown item',
    } as Record<string, string>,
  },
  levers: {
    title: 'Levers', notNow: (state: string) => `Not while the sale is: ${state}`, confirm: 'Do it', item: 'Item',
    names: { publish: 'Publish', preload: 'Preload', pause: 'Pause', resume: 'Resume', extend: 'Move the end', end: 'End', stock: 'Change stock', limit: 'Change limit' },
    what: {
      publish: 'Shoppers see the sale from now on. It opens by itself at its start, at once if that has passed.',
      preload: 'Stock tokens are loaded into Redis now. Safe to repeat: a state that stands is not touched.',
      pause: 'New joins are refused at once. Orders can still be paid.',
      resume: 'Shoppers can join again at once, and the line moves.',
      extend: 'The sale ends at another time, for everyone at once. It can be moved again until a second before the end.',
      end: 'Nobody can join any more, for good. Whoever is in line is still served, and orders can be paid until their time is over.',
      stock: 'Added units are on sale at once. Only free units can be withdrawn: all of the number, or none.',
      limit: 'Counts for every join from now on, and for tickets in line within seconds.',
    },
    done: {
      publish: 'Published.', preload: 'Loaded.', pause: 'Paused.', resume: 'Resumed.', extend: 'The end was moved.', end: 'Ended.', stock: 'The stock was changed.', limit: 'The limit was changed.',
    },
    claims: 'Those in line', claimsGoOn: 'are served meanwhile', claimsStop: 'wait until it is resumed', newEnd: 'New end', delta: 'Units', deltaFault: 'Write how many units, 1 at least.', direction: 'Direction', add: 'Add', withdraw: 'Withdraw', newLimit: 'New limit per shopper',
  },
  audit: {
    title: 'Who changed what', empty: 'No changes since it was published.', cli: 'command line', nothing: 'nothing', more: 'Show older',
    actions: { publish: 'Published', pause: 'Paused', resume: 'Resumed', end: 'Ended', edit: 'Edited', stock: 'Stock', limit: 'Limit', refund: 'Refund' } as Record<string, string>,
  },
  proof: {
    title: 'Proof', prove: 'Prove now', proving: 'Counting every token…', ok: 'Every unit is in exactly one place', odd: (count: string) => `${count} tokens are odd`, unknown: 'Not known yet',
    asked: (time: string) => `Counted at ${time}`, oddTokens: 'Odd tokens', serial: 'Serial', where: 'Found in', nowhere: 'nowhere', unloaded: 'Not loaded: free units are in no list yet.',
    oddMore: (count: string) => `and ${count} more`,
    places: { inList: 'in list', claimed: 'claimed', held: 'held', returning: 'returning', withdrawn: 'withdrawn' } as Record<string, string>,
  },
  readiness: {
    title: 'Readiness', check: 'Check now', checking: 'Checking…', never: 'Check before the sale opens.', ready: 'Ready to open', notReady: 'Not ready', checkedAt: (time: string) => `Checked at ${time}`,
    statuses: { ok: 'ok', warning: 'warning', failed: 'failed' },
    names: {
      clock_redis: 'Clock of Redis', clock_mysql: 'Clock of MySQL', tokens_loaded: 'Tokens loaded', eviction_policy: 'Redis evicts nothing', persistence: 'Redis persists', worker_alive: 'Worker alive',
      scheduler_alive: 'Scheduler alive', last_rehearsal: 'Last rehearsal',
    } as Record<string, string>,
  },
  orders: {
    title: 'Orders', ofSale: 'Orders of this sale', empty: 'No orders match', emptyHint: 'Orders appear here as soon as they are decided.', status: 'Status', refund: 'Refund', user: 'Username', sale: 'Sale', from: 'From', to: 'Until',
    order: 'Order', amount: 'Amount', created: 'Created', lines: 'Items', export: 'Export orders (CSV)', gone: 'account is gone', payBefore: 'Pay before', paidAt: 'Paid', closedAt: 'Closed', refundedAt: 'Refunded',
    refundButton: 'Refund', refundTitle: 'Refund this order', refundWhat: (amount: string) => `${amount} go back in full, through the payment’s provider. This can’t be undone.`,
    returnUnits: 'Its units', returnYes: 'are on sale again', returnNo: 'are taken out of sale', refunded: 'Refund is under way.', payments: 'Payments', noPayments: 'No payment was begun.', provider: 'Provider', history: 'History', cause: 'Cause', step: 'Step', ticket: 'Ticket', quantity: 'Quantity', unitPrice: 'Unit price', item: 'Item',
  },
  report: {
    title: 'Report', final: 'Final since', running: 'Not final: the sale is still under way.', csv: 'Report (CSV)', orders: 'Orders (CSV)', figure: 'Figure', value: 'Value', joins: 'Joins', decided: 'Decided', soldOutAt: 'Sold out at', soldOutIn: 'Sold out in', startsAt: 'Started', endedAt: 'Ended',
    paidMoney: 'Money taken', refundedMoney: 'Money refunded', waits: 'Wait from join to order', items: 'Items', left: 'Left', sold: 'Sold', stock: 'Stock', item: 'Item', decisions: 'Decisions', refusals: 'Refusals', orderCounts: 'Orders', longest: 'Longest',
    seconds: (seconds: string) => `${seconds} s`,
    decisionNames: { ordered: 'Ordered', sold_out: 'Sold out', rejected: 'Rejected', left: 'Left the line', standby: 'Standby' } as Record<string, string>,
  },
  rehearsal: {
    title: 'Rehearsals', intro: 'A shadow sale with made-up shoppers on the running stack. Everything is cleaned up afterwards. Do not rehearse while a sale is live: it takes from the same machines.', shoppers: 'Shoppers', stock: 'Stock', start: 'Start rehearsal', confirmTitle: 'Start a rehearsal',
    confirmWhat: (shoppers: string, stock: string) => `${shoppers} made-up shoppers join for ${stock} units now. Real shoppers see nothing of it but the load.`,
    earlier: 'Rehearsals so far', empty: 'Nothing was rehearsed yet', emptyHint: 'A rehearsal before each sale shows that the whole stack holds.', started: 'Started', state: 'State', result: 'Result', one: (time: string) => `Rehearsal of ${time}`,
    states: { running: 'Running', passed: 'Passed', failed: 'Failed' }, phases: { preparing: 'Preparing', joining: 'Joining', deciding: 'Deciding', paying: 'Paying', proving: 'Proving', cleaning: 'Cleaning up', done: 'Done' },
    progress: 'Progress', joined: 'Joined', decided: 'Decided', paid: 'Paid', report: 'Report', proofOk: 'Proof', proofYes: 'ok: every unit in exactly one place', proofNo: (count: string) => `${count} odd tokens`,
    seconds: 'Took', joinsPerSecond: 'Joins per second', ordersPerSecond: 'Orders per second', joinMs: 'Answer to a join, p50 / p99', decidedMs: 'Join to decision, p50 / p99', sold: 'Sold', soldOut: 'Told sold out', cancelled: 'Cancelled', noReport: 'It ended before there was a report.',
  },
};

/** What each language has to say. */
export type OpsTexts = typeof en;
