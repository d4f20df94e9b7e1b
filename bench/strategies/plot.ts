import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { Circumstances } from './report.js';
import type { Row } from './summary.js';

const COLOURS = { sold: '#4c78a8', oversold: '#d62728', twice: '#f2a900', left: '#c9ced6', speed: '#4c78a8', node: '#54896e', stores: '#b5cfc0' };
const BAR = { type: 'bar', height: { band: 0.72 } } as const;

/** Units, speed and cost of each technique, side by side, as SVG. Drawn without a browser. */
export async function drawPlot(rows: readonly Row[], circumstances: Circumstances): Promise<string> {
  return new View(parse(compile(toSpec(rows, circumstances)).spec), { renderer: 'none' }).toSVG();
}

function toSpec(rows: readonly Row[], { requests, connections, stock, rounds }: Circumstances): TopLevelSpec {
  const y = { field: 'title', type: 'nominal', sort: rows.map(({ title }) => title), title: null } as const;
  const withNames = { ...y, axis: { labelLimit: 400, labelFontSize: 12 } };
  const withoutNames = { ...y, axis: { labels: false, ticks: false } };
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'white',
    padding: 12,
    title: {
      text: 'One stock, one crowd, every technique',
      subtitle: `${requests.toLocaleString('en')} requests, ${connections} at a time, stock ${stock}; medians of ${rounds} interleaved rounds`,
      anchor: 'start', fontSize: 16, offset: 12,
    },
    config: { view: { stroke: null }, axis: { grid: true, gridColor: '#eceff3', domain: false, titleFontWeight: 'normal' } },
    hconcat: [unitsPanel(rows, stock, withNames), speedPanel(rows, withoutNames), costPanel(rows, withoutNames)],
    spacing: 18,
    resolve: { scale: { color: 'independent', shape: 'independent' } },
  } as TopLevelSpec;
}

/** Nothing stands right of the stock but what should not be there. Units that somebody bought twice are part of those that were sold. */
function unitsPanel(rows: readonly Row[], stock: number, y: object): object {
  const kinds = ['sold', 'bought twice', 'oversold', 'left over'];
  const values = rows.flatMap(({ title, sold, oversold, duplicates, left }) => {
    const twice = Math.min(duplicates, sold - oversold);
    return [sold - oversold - twice, twice, oversold, left].map((units, order) => ({ title, kind: kinds[order], units, order }));
  });
  const colour = { field: 'kind', type: 'nominal', scale: { domain: kinds, range: [COLOURS.sold, COLOURS.twice, COLOURS.oversold, COLOURS.left] }, legend: { title: null, orient: 'bottom' } };
  return panel('units in orders', 300, [
    { data: { values }, mark: BAR, encoding: { y, x: { field: 'units', type: 'quantitative', title: null, stack: 'zero' }, color: colour, order: { field: 'order' } } },
    { data: { values: [{ stock }] }, mark: { type: 'rule', color: '#333', strokeDash: [4, 3] }, encoding: { x: { field: 'stock', type: 'quantitative' } } },
  ]);
}

function speedPanel(rows: readonly Row[], y: object): object {
  const values = rows.map(({ title, requestsPerSecond }) => ({ title, speed: requestsPerSecond, label: Math.round(requestsPerSecond).toLocaleString('en') }));
  const x = { field: 'speed', type: 'quantitative', title: null, axis: { tickCount: 4 }, scale: { padding: 30, zero: true, domainMin: 0 } };
  return panel('requests answered a second', 230, [
    { data: { values }, mark: { ...BAR, color: COLOURS.speed }, encoding: { y, x } },
    { data: { values }, mark: { type: 'text', align: 'left', dx: 4, fontSize: 11 }, encoding: { y, x, text: { field: 'label' } } },
  ]);
}

/** A logarithmic scale, as the costs lie a hundredfold apart; points, since bars have no honest length on it. */
function costPanel(rows: readonly Row[], y: object): object {
  const kinds = ['Node processes', 'MariaDB and Redis'];
  const values = rows.flatMap(({ title, cpuUsPerRequest, storeCpuUsPerRequest }) =>
    [cpuUsPerRequest, storeCpuUsPerRequest].map((us, index) => ({ title, kind: kinds[index], us: Math.max(us, 1) })));
  const colour = { field: 'kind', type: 'nominal', scale: { domain: kinds, range: [COLOURS.node, COLOURS.sold] }, legend: { title: null, orient: 'bottom' } };
  const shape = { ...colour, scale: { domain: kinds, range: ['circle', 'diamond'] } };
  return panel('CPU time a request, µs (logarithmic)', 230, [
    { data: { values }, mark: { type: 'point', filled: true, size: 80, opacity: 1 }, encoding: { y, x: { field: 'us', type: 'quantitative', title: null, scale: { type: 'log', nice: true }, axis: { values: [10, 100, 1000, 10_000, 100_000], format: ',d' } }, color: colour, shape } },
  ]);
}

const panel = (title: string, width: number, layer: object[]): object => ({ title: { text: title, fontSize: 12, fontWeight: 'normal', anchor: 'start' }, width, height: { step: 25 }, layer });
