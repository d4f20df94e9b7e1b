/**
 * Loaded into a service process by `node --import`, before the service itself: breaks it at a chosen step. It wraps methods of the built
 * classes from outside, so that the production code knows nothing of faults.
 *
 *   FAULT          `<point>:<before|after>:<n>:<action>[:<argument>]`, at the n-th call of the point, or at every one (`*`); several with `;` between them
 *                  actions: skip (the call is not made) · kill (SIGKILL of this process) · freeze (SIGSTOP, until somebody thaws it) · fail (throws an error with the code given) · twice (the call is made twice)
 *   LOCKS=open     every lock is granted to everyone
 *   CLOCK_SKEW_MS  this process's clock is wrong by so much
 *
 * With `--expose-gc`, SIGUSR2 makes it collect its garbage and write `live heap <bytes>` to its log.
 */
import { writeSync } from 'node:fs';

const dist = new URL('../../../dist/src/', import.meta.url);

/** Each point of the way of a ticket, as module, class and method. */
const POINTS = {
  join: ['seckill/seckill.scripts.js', 'SeckillScripts', 'join'],
  claim: ['seckill/seckill.scripts.js', 'SeckillScripts', 'claim'],
  commit: ['order/order.repository.js', 'OrderRepository', 'commit'],
  settle: ['seckill/seckill.scripts.js', 'SeckillScripts', 'settle'],
  release: ['seckill/seckill.scripts.js', 'SeckillScripts', 'release'],
  finish: ['seckill/seckill.scripts.js', 'SeckillScripts', 'finish'],
  relay: ['order/order-relay.js', 'OrderRelay', 'relayOrders'],
  word: ['order/payment/sandbox/sandbox.courier.js', 'SandboxCourier', 'dispatch'],
  take: ['order/token-taking.js', 'TokenTaking', 'take'],
  revive: ['order/order-revival.js', 'OrderRevival', 'revive'],
  keep: ['order/token-taking.js', 'TokenTaking', 'keep'],
  refund: ['order/payment/refunding.js', 'Refunding', 'settle'],
  expire: ['order/order-closing.js', 'OrderClosing', 'expireDue'],
  stage: ['goods/sale.scripts.js', 'SaleScripts', 'stage'],
  load: ['goods/sale.scripts.js', 'SaleScripts', 'load'],
  wake: ['seckill/drain-signal.js', 'DrainSignal', 'wake'],
  publish: ['webhooks/dispatcher.js', 'Dispatcher', 'publish'],
  delivered: ['webhooks/deliverer.js', 'Deliverer', 'writeDown'],
  replay: ['webhooks/webhook-deliveries.js', 'WebhookDeliveries', 'replay'],
  drain: ['order/drain.processor.js', 'DrainProcessor', 'drain'],
};

if (globalThis.gc) {
  process.on('SIGUSR2', () => {
    globalThis.gc?.();
    writeSync(2, `live heap ${process.memoryUsage().heapUsed}\n`);
  });
}

const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0);
if (skewMs !== 0) skewClock(skewMs);
if (process.env.LOCKS === 'open') await openLocks();
for (const spec of (process.env.FAULT ?? '').split(';').filter(Boolean)) await install(spec);

/** @param {string} spec */
async function install(spec) {
  const [point = '', when, nth, action = '', argument] = spec.split(':');
  const place = POINTS[/** @type {keyof typeof POINTS} */ (point)];
  if (!place) throw new Error(`there is no fault point ${point}`);
  const [file = '', className = '', method = ''] = place;
  const { prototype } = (await import(new URL(file, dist).href))[className];
  const original = prototype[method];
  if (typeof original !== 'function') throw new Error(`${className} has no ${method}`);
  let calls = 0;
  const copyMetadata = (/** @type {object} */ wrapper) => {
    // Decorators keep theirs on the method: without it Bull would not know the processor any more.
    for (const key of Reflect.getMetadataKeys(original)) Reflect.defineMetadata(key, Reflect.getMetadata(key, original), wrapper);
  };
  /** @this {unknown} @param {unknown[]} args */
  prototype[method] = async function faulty(...args) {
    calls += 1;
    const hit = nth === '*' || calls === Number(nth);
    if (hit && action === 'skip') return undefined;
    if (hit && when === 'before') await act(spec, action, argument);
    if (hit && action === 'twice') await original.apply(this, args);
    const result = await original.apply(this, args);
    if (hit && when === 'after') await act(spec, action, argument);
    return result;
  };
  copyMetadata(prototype[method]);
}

/** @param {string} spec @param {string} action @param {string | undefined} argument */
async function act(spec, action, argument) {
  writeSync(2, `fault ${spec}\n`);
  if (action === 'kill') {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  }
  if (action === 'freeze') process.kill(process.pid, 'SIGSTOP');
  if (action === 'fail') throw Object.assign(new Error(`injected ${argument}`), { code: argument });
}

async function openLocks() {
  const { LeaderLock } = await import(new URL('infra/lock/leader-lock.js', dist).href);
  /** @param {string} _name @param {(stillOurs: () => boolean) => Promise<unknown>} work */
  LeaderLock.prototype.runExclusive = async (_name, work) => ({ outcome: 'done', value: await work(() => true) });
}

/** @param {number} ms */
function skewClock(ms) {
  const RealDate = Date;
  const now = () => RealDate.now() + ms;
  globalThis.Date = /** @type {DateConstructor} */ (
    new Proxy(RealDate, {
      construct: (target, args) => (args.length === 0 ? new target(now()) : Reflect.construct(target, args)),
      get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
    })
  );
}
