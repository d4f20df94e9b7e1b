import type { Schemas } from '../../shared/api';
import { count } from '../../shared/format';
import { texts } from '../texts';

/** From what is safe to what is still to be had. */
const PLACES = ['paid', 'held', 'claimed', 'returning', 'free', 'withdrawn'] as const;

/** Where the units of each item are. */
export function StockByPlace({ stats }: { stats: Schemas['StatsView'] }) {
  return (
    <section class="card stack" aria-labelledby="stock-title">
      <h2 id="stock-title">{texts.value.sale.stock}</h2>
      {stats.items.map((item) => <ItemPlaces key={item.itemId} item={item} />)}
    </section>
  );
}

function ItemPlaces({ item }: { item: Schemas['ItemStatsView'] }) {
  const { sale } = texts.value;
  const units = PLACES.map((place) => [place, item[place]] as const);
  const known = units.reduce((total, [, value]) => total + (value ?? 0), 0);
  // While the sale is not loaded its free units are in no list, but they are there.
  const issued = item.free === null ? Math.max(known, item.stock + item.withdrawn) : known;
  return (
    <div class="item-places" data-testid={`place-${item.itemId}`}>
      <div class="row spread"><h3>{item.title}</h3><span class="soft small number">{sale.units(count(issued))}</span></div>
      <div class="stacked" aria-hidden="true">
        {units.map(([place, value]) => <span key={place} class={`place-${place}`} style={{ width: `${issued > 0 ? ((value ?? 0) / issued) * 100 : 0}%` }} />)}
      </div>
      <dl class="legend">
        {units.map(([place, value]) => (
          <div key={place} data-place={place}>
            <dt><span class={`swatch place-${place}`} aria-hidden="true" />{sale.places[place]}</dt>
            <dd class="number">{value === null ? sale.freeUnknown : count(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
