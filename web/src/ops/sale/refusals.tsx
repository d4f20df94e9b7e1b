import type { Schemas } from '../../shared/api';
import { count } from '../../shared/format';
import { CountTable, Fact } from '../components/fact';
import { span } from '../format';
import { texts } from '../texts';

type Stats = Schemas['StatsView'];

/** Why joins were refused, the most frequent reason first. */
export function Refusals({ refusals }: { refusals: Stats['refusals'] }) {
  const { sale, common } = texts.value;
  const rows = Object.entries(refusals).filter(([, joins]) => joins > 0).sort(([, one], [, other]) => other - one);
  return (
    <section class="card stack" aria-labelledby="refusals-title" data-testid="refusals">
      <h2 id="refusals-title">{sale.refusals}</h2>
      {rows.length === 0
        ? <p class="soft">{sale.noRefusals}</p>
        : <CountTable caption={sale.refusals} head={[sale.reason, common.count]} rows={rows.map(([code, joins]) => [sale.refusalCodes[code] ?? code, count(joins)] as const)} />}
    </section>
  );
}

/** How long those who got an order waited for it. */
export function Waits({ waitMs }: { waitMs: Stats['waitMs'] }) {
  const { sale, common } = texts.value;
  return (
    <section class="card stack" aria-labelledby="waits-title" data-testid="waits">
      <h2 id="waits-title">{sale.waits}</h2>
      <dl class="facts big">
        <Fact name={sale.p50}>{waitMs ? span(waitMs.p50) : common.none}</Fact>
        <Fact name={sale.p99}>{waitMs ? span(waitMs.p99) : common.none}</Fact>
      </dl>
      {!waitMs && <p class="soft">{sale.noWaits}</p>}
    </section>
  );
}
