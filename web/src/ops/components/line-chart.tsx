import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { rate, timeOfDay } from '../format';
import { plotOf } from '../state/plot';
import { texts } from '../texts';

export interface Line {
  label: string;
  /** A variable of the theme. */
  colour: string;
  /** One a time; null where there is none. */
  values: (number | null)[];
}

/** As many rows as the table beside a chart has. */
const TABLE_ROWS = 15;

/** Lines over time. What they come to at the pointer, or now, stands above them; the newest of them also as a table. */
export function LineChart({ title, times, lines }: { title: string; times: number[]; lines: Line[] }) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const pointed = useSignal<number | undefined>(undefined);
  const id = useId();
  const { sale } = texts.value;
  const isEmpty = times.length < 2;
  useEffect(() => {
    if (!host.current) return;
    const { chart, destroy } = plotOf(host.current, lines.map(({ colour }) => colour), (index) => (pointed.value = index));
    plot.current = chart;
    return destroy;
  }, []);
  useEffect(() => plot.current?.setData([times, ...lines.map(({ values }) => values)]), [times.length, times.at(-1)]);
  const at = pointed.value ?? times.length - 1;
  const says = lines.map(({ label, values }) => sale.chartSays(label, rate(values.at(-1) ?? 0), rate(Math.max(0, ...values.map((value) => value ?? 0)))));
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{title}</h3>
        <span class="row tight small" aria-hidden="true">
          {lines.map(({ label, colour, values }) => (
            <span key={label} class="key"><span class="swatch" style={{ background: `var(${colour})` }} />{label} <strong class="number">{rate(values[at] ?? 0)}</strong></span>
          ))}
        </span>
      </figcaption>
      <div class="plot">
        <div ref={host} role="img" aria-label={`${title}. ${says.join('. ')}`} hidden={isEmpty} />
        {isEmpty && <p class="soft small no-curve">{sale.noCurve}</p>}
      </div>
      <ChartTable title={title} times={times} lines={lines} />
    </figure>
  );
}

function ChartTable({ title, times, lines }: { title: string; times: number[]; lines: Line[] }) {
  const { common } = texts.value;
  const newest = times.map((_, index) => index).slice(-TABLE_ROWS).reverse();
  return (
    <details class="small">
      <summary>{common.table}</summary>
      <table>
        <caption class="visually-hidden">{title}</caption>
        <thead><tr><th scope="col">{common.time}</th>{lines.map(({ label }) => <th key={label} scope="col" class="end">{label}</th>)}</tr></thead>
        <tbody>
          {newest.map((index) => (
            <tr key={times[index]}>
              <th scope="row" class="number">{timeOfDay((times[index] ?? 0) * 1000)}</th>
              {lines.map(({ label, values }) => <td key={label} class="end number">{values[index] == null ? common.none : rate(values[index])}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
