import type { Verdict } from '../targets.js';
import { figure } from './markdown.js';

const [WIDTH, ROW, LABEL, PLOT, TOP] = [1000, 26, 560, 360, 40];
/** A bar ends here at the latest: twice the limit. */
const MOST = 2;

/** A bar for each target, in parts of its limit (the line at 1), with its spread. Shorter is better on both kinds of targets. */
export function toSvg(verdicts: readonly Verdict[]): string {
  const height = TOP + verdicts.length * ROW + 10;
  const limitX = LABEL + PLOT / MOST;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${limitX}" y="24" text-anchor="middle" fill="#444444">limit</text>`,
    ...verdicts.map((verdict, row) => toBar(verdict, TOP + row * ROW)),
    `<line x1="${limitX}" y1="${TOP - 8}" x2="${limitX}" y2="${height - 8}" stroke="#444444" stroke-dasharray="4 3"/>`,
    '</svg>',
    '',
  ].join('\n');
}

function toBar({ title, value, limit, met }: Verdict, y: number): string {
  const share = (measured: number): number => {
    if ('atLeast' in limit) return Math.min(MOST, limit.atLeast / measured);
    // Of a limit of zero there are no parts.
    return measured === 0 ? 0 : Math.min(MOST, measured / limit.atMost);
  };
  const x = (measured: number): number => LABEL + (share(measured) * PLOT) / MOST;
  const middle = y + ROW / 2 - 4;
  return [
    `<text x="${LABEL - 8}" y="${middle + 4}" text-anchor="end" fill="#222222">${escape(title)}</text>`,
    `<rect x="${LABEL}" y="${y}" width="${(x(value.median) - LABEL).toFixed(1)}" height="${ROW - 8}" fill="${met ? '#3b8f5a' : '#c2553d'}"/>`,
    `<line x1="${x(value.min).toFixed(1)}" y1="${middle}" x2="${x(value.max).toFixed(1)}" y2="${middle}" stroke="#222222"/>`,
    `<text x="${LABEL + PLOT + 10}" y="${middle + 4}" fill="#222222">${figure(value.median)}</text>`,
  ].join('\n');
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
