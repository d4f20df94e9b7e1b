import { effect } from '@preact/signals';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { theme } from '../../shared/theme';
import { rate, timeOfDay } from '../format';

const HEIGHT = 170;
const AXIS_WIDTH = 48;
const AXIS_HEIGHT = 26;
/** So that the least of scales still counts in whole ones. */
const LEAST_TOP = 4;

/**
 * A chart of lines over time in the theme's colours, as wide as its host, drawn anew when either changes.
 * @param colours variables of the theme, one a line
 * @param point hears which sample the pointer is at
 */
export function plotOf(host: HTMLElement, colours: string[], point: (index: number | undefined) => void): { chart: uPlot; destroy: () => void } {
  const colour = colourReader(host);
  const chart = new uPlot(optionsOf(host.clientWidth, colours, colour, point), [[], ...colours.map(() => [])], host);
  const resize = new ResizeObserver(() => host.clientWidth > 0 && chart.setSize({ width: host.clientWidth, height: HEIGHT }));
  resize.observe(host);
  const redraw = () => chart.redraw(false, true);
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', redraw);
  // The attribute that the theme sets is there once its own effects have run.
  const stop = effect(() => void (theme.value && requestAnimationFrame(redraw)));
  return {
    chart,
    destroy: () => {
      stop();
      system.removeEventListener('change', redraw);
      resize.disconnect();
      chart.destroy();
    },
  };
}

type Colour = (css: string) => string;

function optionsOf(width: number, colours: string[], colour: Colour, point: (index: number | undefined) => void): uPlot.Options {
  const soft = () => colour('var(--ink-soft)');
  const axis = { stroke: soft, font: '12px system-ui, sans-serif', ticks: { show: false } };
  return {
    width, height: HEIGHT, padding: [8, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_chart, _least, most) => [0, Math.max(LEAST_TOP, (most ?? 0) * 1.1)] } },
    axes: [
      { ...axis, size: AXIS_HEIGHT, grid: { show: false }, space: 90, values: (_chart, splits) => splits.map((seconds) => timeOfDay(seconds * 1000)) },
      { ...axis, size: AXIS_WIDTH, space: 40, grid: { stroke: () => colour('var(--line)'), width: 1 }, values: (_chart, splits) => splits.map(short) },
    ],
    series: [{}, ...colours.map((name, index) => ({
      stroke: () => colour(`var(${name})`),
      width: 2,
      points: { show: false },
      ...(index === 0 && { fill: () => colour(`color-mix(in srgb, var(${name}) 14%, transparent)`) }),
    }))],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? undefined)] },
  };
}

/** What a colour of the style sheet comes to: a canvas knows neither variables nor light-dark(). */
function colourReader(host: HTMLElement): Colour {
  const probe = host.appendChild(document.createElement('span'));
  probe.hidden = true;
  return (css) => {
    probe.style.color = css;
    return getComputedStyle(probe).color;
  };
}

const short = (value: number): string => (value >= 10_000 ? `${Math.round(value / 1000)}k` : rate(value));
