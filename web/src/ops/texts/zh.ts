import type { OpsTexts } from './en';

/** What the console says, in Chinese. */
export const zh: OpsTexts = {
  brand: '秒杀控制台',
  nav: { label: '控制台', sales: '活动', goods: '商品', orders: '订单', rehearsals: '演练', queues: '任务队列', skip: '跳到内容' },
  settings: { language: '语言', theme: '外观', themes: { auto: '系统', light: '浅色', dark: '深色' }, signOut: '退出登录' },
  signIn: {
    title: '登录', username: '用户名', password: '密码', submit: '登录', hint: '供店铺运营人员使用。',
    notOperator: '此账号不是运营账号。', over: '会话已结束，请重新登录后继续。',
  },
  common: {
    loading: '加载中', retry: '重试', amountFault: '请填写金额，例如 19.90。', cancel: '取消', close: '关闭', save: '保存', edit: '编辑', back: '返回', all: '全部', none: '–', search: '查询', reset: '清除筛选',
    older: '更早', newest: '最新', pages: '分页', actions: '操作', yes: '是', no: '否', optional: '可选', now: '当前', highest: '最高', table: '以表格显示', time: '时间', count: '数量',
    stale: (time) => `自 ${time} 起没有响应，以下数字已过时。`, saved: '已保存。', notFound: '没有这个页面。', notFoundHint: '地址可能有误，或内容已不存在。',
    working: '处理中…', download: 'CSV', step: (name, value, part) => `${name}：${value}，占参与数的 ${part}`,
  },
  problems: {
    OFFLINE: '服务没有响应，请检查网络连接。', INVALID_CREDENTIALS: '用户名或密码错误。', FORBIDDEN: '只有运营人员可以执行此操作。', UNAVAILABLE: '服务暂时无法访问其存储，请稍后再试。',
    INTERNAL: '服务内部出错，详情见其日志。', VALIDATION_FAILED: '有些内容填写有误。', SALE_NOT_FOUND: '没有这个活动。', ITEM_NOT_FOUND: '活动中没有该商品。', GOODS_NOT_FOUND: '没有这个商品。',
    ORDER_NOT_FOUND: '没有这个订单。', SALE_STATE_CONFLICT: '活动的当前状态不允许此操作。', STOCK_HELD: '可撤回的空闲库存不足，没有撤回任何库存。', ORDER_NOT_REFUNDABLE: '该订单未支付，不能退款。',
    NOT_LOADED: '活动正在载入 Redis，请稍后再试。', REHEARSAL_RUNNING: '已有演练正在进行。', REHEARSAL_NOT_FOUND: '没有这次演练。', NOT_FOUND: '没有这个地址。',
  },
  faults: (count) => `有 ${count} 个字段需要修改。`,
  saleStates: { draft: '草稿', scheduled: '待开始', live: '进行中', paused: '已暂停', ended: '已结束' },
  orderStatuses: { awaiting_payment: '待支付', paid: '已支付', expired: '已过期', cancelled: '已取消', refunded: '已退款' },
  refunds: { due: '待退款', failed: '退款失败', done: '已退款' },
  goods: {
    title: '商品', create: '新建商品', edit: '编辑商品', empty: '还没有商品', emptyHint: '活动出售商品，请先在此创建。', name: '名称', price: '标价', currency: '货币',
    currencyHint: '三个字母，例如 EUR。有活动出售后不能再改。', description: '描述', imageUrl: '图片地址', created: '创建时间', editOne: (title) => `编辑 ${title}`,
  },
  sales: {
    title: '活动', create: '新建活动', empty: '这里没有活动', emptyHint: '新建的活动先是草稿，顾客看不到。', state: '状态', name: '名称', starts: '开始', ends: '结束', items: '商品数', stock: '库存', sold: '已售', number: '编号',
  },
  saleForm: {
    create: '新建活动', edit: '编辑活动', name: '名称', startsAt: '开始', endsAt: '结束', zone: '按此浏览器的时区。', mode: '模式', modes: { queue: '排队：先入队，批量下单', instant: '即时：入队时直接扣减' },
    paymentTimeout: '支付时限（秒）', paymentTimeoutHint: '留空则用服务的设置。', standby: '候补名额', shards: '分片数', more: '更多设置', items: '商品', item: (number) => `商品 ${number}`, goods: '商品', choose: '选择商品', price: '价格',
    listPrice: (price) => `标价 ${price}`, stock: '库存', limit: '每人限购', addItem: '添加商品', removeItem: (number) => `移除商品 ${number}`, noGoods: '还没有商品，请先创建。',
    itemsStay: '商品和价格不能编辑；库存和限购可在活动页调整。如需更换商品，请复制为新活动并丢弃此草稿。', copy: '复制为新活动', locked: '当前状态下不能再改。', discard: '丢弃草稿',
    discardWhat: '草稿及其商品将被删除。没有顾客见过它。此操作不能撤销。', submitCreate: '创建草稿',
  },
  sale: {
    tabs: { label: '此活动', live: '概览', orders: '订单', report: '报告', edit: '编辑' }, notLoaded: '未载入 Redis', loaded: '已载入 Redis', opensIn: '距开始', endsIn: '距结束', opensAt: '开始于', endsAt: '结束于', over: '已结束', closed: '已关闭：没有进行中的事务',
    claimsStopped: '队列静止', claimsGoOn: '队列继续', funnel: '漏斗', steps: { joins: '参与', waiting: '等待', decided: '已处理', ordered: '已下单', paid: '已支付' },
    funnelNote: (standby, rate) => `候补 ${standby} · 每秒处理 ${rate}`, charts: '走势', chartsSpan: '显示时段', chartsSpans: { recent: '最近 5 分钟', all: '全部' }, joinsChart: '每秒参与', ordersChart: '每秒订单', lineChart: '排队人数',
    lines: { joins: '参与', refused: '被拒', ordered: '订单', paid: '支付', waiting: '等待', standby: '候补' }, noCurve: '顾客到来后开始显示曲线。', chartSays: (label, now, highest) => `${label}：当前 ${now}，最高 ${highest}`,
    stock: '库存分布', units: (count) => `共发行 ${count} 件`, places: { free: '在列', claimed: '领取中', held: '占用', paid: '已支付', returning: '归还中', withdrawn: '已撤回' }, freeUnknown: '未载入',
    refusals: '拒绝', reason: '原因', noRefusals: '目前没有人被拒绝。', waits: '从参与到下单的等待', p50: '一半不超过', p99: '99 % 不超过', noWaits: '还没有处理出订单。',
    refusalCodes: {
      SOLD_OUT: '售罄', LIMIT_REACHED: '超出限购', NOT_STARTED: '未开始', PAUSED: '已暂停', ENDED: '已结束', ALREADY_QUEUED: '已在队列中', UNPAID_ORDER: '有未支付订单', NOT_LOADED: '载入中', INVALID_BASKET: '购物篮有误', ITEM_NOT_FOUND: '未知商品',
    },
  },
  levers: {
    title: '操作', notNow: (state) => `当前状态不可用：${state}`, confirm: '确认执行', item: '商品',
    names: { publish: '发布', preload: '预载', pause: '暂停', resume: '恢复', extend: '调整结束时间', end: '结束', stock: '调整库存', limit: '调整限购' },
    what: {
      publish: '顾客从现在起可以看到活动。到开始时间自动开放，若已过则立即开放。', preload: '现在把库存令牌载入 Redis。可重复执行，不影响已有状态。', pause: '立即拒绝新的参与。订单仍可支付。', resume: '顾客可立即再次参与，队列继续。',
      extend: '活动将在另一时间结束，对所有人立即生效。结束前一秒之前都可再次调整。', end: '永久停止参与。队列中的人仍会被处理，订单在时限内仍可支付。', stock: '增加的库存立即可售。只能撤回空闲库存：要么全部，要么一件不撤。', limit: '对此后的每次参与生效，对队列中的票在数秒内生效。',
    },
    done: { publish: '已发布。', preload: '已载入。', pause: '已暂停。', resume: '已恢复。', extend: '结束时间已调整。', end: '已结束。', stock: '库存已调整。', limit: '限购已调整。' },
    claims: '队列中的人', claimsGoOn: '继续处理', claimsStop: '等到恢复为止', newEnd: '新的结束时间', delta: '件数', deltaFault: '请填写件数，至少 1。', direction: '方向', add: '增加', withdraw: '撤回', newLimit: '新的每人限购',
  },
  audit: {
    title: '变更记录', empty: '发布以来没有变更。', cli: '命令行', nothing: '无', more: '显示更早', actions: { publish: '发布', pause: '暂停', resume: '恢复', end: '结束', edit: '编辑', stock: '库存', limit: '限购', refund: '退款' },
  },
  proof: {
    title: '核对', prove: '立即核对', proving: '正在清点每个令牌…', ok: '每件库存恰好在一处', odd: (count) => `${count} 个令牌异常`, unknown: '尚未核对', asked: (time) => `清点于 ${time}`, oddTokens: '异常令牌', serial: '序号', where: '所在', nowhere: '无处',
    unloaded: '未载入：空闲库存尚不在列表中。', oddMore: (count) => `另有 ${count} 个`, places: { inList: '在列', claimed: '领取中', held: '占用', returning: '归还中', withdrawn: '已撤回' },
  },
  readiness: {
    title: '就绪检查', check: '立即检查', checking: '检查中…', never: '请在活动开始前检查。', ready: '可以开始', notReady: '尚未就绪', checkedAt: (time) => `检查于 ${time}`, statuses: { ok: '正常', warning: '警告', failed: '失败' },
    names: { clock_redis: 'Redis 时钟', clock_mysql: 'MySQL 时钟', tokens_loaded: '令牌已载入', eviction_policy: 'Redis 不淘汰数据', persistence: 'Redis 持久化', worker_alive: '处理进程在运行', scheduler_alive: '调度进程在运行', last_rehearsal: '上次演练' },
  },
  orders: {
    title: '订单', ofSale: '此活动的订单', empty: '没有符合的订单', emptyHint: '订单处理后会立即出现在这里。', status: '状态', refund: '退款', user: '用户名', sale: '活动', from: '从', to: '至', order: '订单', amount: '金额', created: '创建时间', lines: '商品',
    export: '导出订单（CSV）', gone: '账号已不存在', payBefore: '支付期限', paidAt: '支付时间', closedAt: '关闭时间', refundedAt: '退款时间', refundButton: '退款', refundTitle: '为此订单退款', refundWhat: (amount) => `${amount} 将通过原支付渠道全额退回。此操作不能撤销。`,
    returnUnits: '其库存', returnYes: '重新出售', returnNo: '撤出销售', refunded: '退款进行中。', payments: '支付', noPayments: '尚未发起支付。', provider: '渠道', history: '历史', cause: '原因', step: '步骤', ticket: '票', quantity: '数量', unitPrice: '单价', item: '商品',
  },
  report: {
    title: '报告', final: '最终版，自', running: '非最终：活动仍在进行。', csv: '报告（CSV）', orders: '订单（CSV）', figure: '指标', value: '数值', joins: '参与', decided: '已处理', soldOutAt: '售罄时间', soldOutIn: '售罄用时', startsAt: '开始', endedAt: '结束',
    paidMoney: '收款', refundedMoney: '退款', waits: '从参与到下单的等待', items: '商品', left: '剩余', sold: '已售', stock: '库存', item: '商品', decisions: '处理结果', refusals: '拒绝', orderCounts: '订单', longest: '最长', seconds: (seconds) => `${seconds} 秒`,
    decisionNames: { ordered: '已下单', sold_out: '售罄', rejected: '被拒', left: '离开队列', standby: '候补' },
  },
  rehearsal: {
    title: '演练', intro: '在运行中的系统上，以虚拟顾客进行影子活动，结束后全部清理。请勿在活动进行时演练：它占用同样的机器。', shoppers: '顾客数', stock: '库存', start: '开始演练', confirmTitle: '开始演练',
    confirmWhat: (shoppers, stock) => `${shoppers} 名虚拟顾客现在将争抢 ${stock} 件库存。真实顾客除负载外看不到任何影响。`, earlier: '历次演练', empty: '还没有演练过', emptyHint: '每次活动前演练，可确认整个系统经得住。', started: '开始时间', state: '状态', result: '结果',
    one: (time) => `${time} 的演练`, states: { running: '进行中', passed: '通过', failed: '失败' }, phases: { preparing: '准备', joining: '参与', deciding: '处理', paying: '支付', proving: '核对', cleaning: '清理', done: '完成' },
    progress: '进度', joined: '已参与', decided: '已处理', paid: '已支付', report: '报告', proofOk: '核对', proofYes: '正常：每件库存恰好在一处', proofNo: (count) => `${count} 个异常令牌`, seconds: '用时', joinsPerSecond: '每秒参与', ordersPerSecond: '每秒订单',
    joinMs: '参与响应 p50 / p99', decidedMs: '参与到处理 p50 / p99', sold: '已售', soldOut: '告知售罄', cancelled: '已取消', noReport: '演练在产生报告前结束。',
  },
};
