import type { Schemas } from '../../shared/api';
import { count } from '../../shared/format';
import { rate, share } from '../format';
import { texts } from '../texts';

/** How far those who joined have come. Bars are shares of the joins. */
export function Funnel({ stats }: { stats: Schemas['StatsView'] }) {
  const { sale, common } = texts.value;
  const ordered = Object.values(stats.orders).reduce((total, orders) => total + orders, 0);
  const steps = [['joins', stats.joins], ['waiting', stats.waiting], ['decided', stats.decided], ['ordered', ordered], ['paid', stats.orders.paid ?? 0]] as const;
  const most = Math.max(...steps.map(([, value]) => value));
  return (
    <section class="card stack" aria-labelledby="funnel-title">
      <div class="row spread">
        <h2 id="funnel-title">{sale.funnel}</h2>
        <span class="soft small number">{stats.loaded ? sale.loaded : sale.notLoaded}</span>
      </div>
      <ol class="funnel" data-testid="funnel">
        {steps.map(([name, value]) => (
          <li key={name} class={name} data-step={name} aria-label={common.step(sale.steps[name], count(value), share(value, most))}>
            <span class="soft" aria-hidden="true">{sale.steps[name]}</span>
            <span class="bar" aria-hidden="true"><span style={{ width: `${most > 0 ? (value / most) * 100 : 0}%` }} /></span>
            <strong class="number end" aria-hidden="true">{count(value)}</strong>
            <span class="number end soft small" aria-hidden="true">{share(value, most)}</span>
          </li>
        ))}
      </ol>
      <p class="soft small number">{sale.funnelNote(count(stats.standby), rate(stats.ratePerSecond))}</p>
    </section>
  );
}
