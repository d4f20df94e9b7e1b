import type { Outcome, Schemas } from '../../shared/api';
import { setServerClock } from '../../shared/server-clock';
import { Loaded } from '../components/notes';
import { api, ask } from '../console';
import { useResource } from '../state/resource';
import { Audit } from './audit';
import { Charts } from './charts';
import { Funnel } from './funnel';
import { Levers } from './levers';
import { Proof } from './proof';
import { Readiness } from './readiness';
import { Refusals, Waits } from './refusals';
import { StockByPlace } from './stock-by-place';

const STATS_EVERY_MS = 1000;
/** In pixels; on a phone the levers stand under it, and must not move when it comes. */
const FUNNEL_HEIGHT = 281;

type Sale = Schemas['OperatorSaleDto'];

/** The sale as it goes, and what can be done about it. @param changed hears of a change: the sale as it is since, where that was answered */
export function LiveSale({ sale, changed }: { sale: Sale; changed: (newer?: Sale) => void }) {
  const stats = useResource(sale.id, () => statsOf(sale.id), STATS_EVERY_MS);
  return (
    <div class="live">
      <div class="stack live-picture">
        <div class="stack card-funnel"><Loaded of={stats} height={FUNNEL_HEIGHT}>{(data) => <Funnel stats={data} />}</Loaded></div>
        {stats.data.value && (
          <>
            <Charts saleId={sale.id} />
            <StockByPlace stats={stats.data.value} />
            <div class="columns"><Refusals refusals={stats.data.value.refusals} /><Waits waitMs={stats.data.value.waitMs} /></div>
          </>
        )}
      </div>
      <div class="stack">
        <Levers sale={sale} changed={(newer) => { changed(newer); void stats.reload(); }} />
        <Proof sale={sale} />
        <Readiness saleId={sale.id} />
        <Audit sale={sale} />
      </div>
    </div>
  );
}

async function statsOf(saleId: string): Promise<Outcome<Schemas['StatsView']>> {
  const askedAtMs = performance.now();
  const outcome = await ask(api.GET('/api/admin/sales/{saleId}/stats', { params: { path: { saleId } } }));
  if (outcome.ok) setServerClock(outcome.data.serverTime, askedAtMs);
  return outcome;
}
