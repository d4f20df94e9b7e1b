import type { Verdict } from '../targets.js';
import type { Cost, Report } from './report.js';

/** The report as a Markdown table, with what a reader needs to judge it. */
export function toMarkdown({ surroundings: at, verdicts, costs, notes, failures }: Report): string {
  const lines = [
    `Taken ${at.takenAt.slice(0, 10)} at ${at.commit}, on ${at.cpu}, ${at.cores} cores, ${at.memoryGib} GiB, Linux ${at.kernel}, Node ${at.node}, Redis ${at.redis}, ${at.database}; load before the first run ${at.loadAverage}.`,
    '',
    '| target | median | min to max | limit | |',
    '| --- | ---: | ---: | ---: | --- |',
    ...verdicts.map(toRow),
    ...Object.entries(failures).map(([part, reason]) => `| ${part} | | | | failed: ${reason.replaceAll('|', '/')} |`),
    ...(costs.length === 0 ? [] : ['', '| CPU for each, in µs | process | median | min to max |', '| --- | --- | ---: | ---: |', ...costs.map(toCostRow)]),
    ...notes.flatMap((note) => ['', note]),
  ];
  return `${lines.join('\n')}\n`;
}

function toRow({ title, value, limit, met }: Verdict): string {
  const wanted = 'atMost' in limit ? `≤ ${limit.atMost}` : `≥ ${limit.atLeast}`;
  return `| ${title} | ${figure(value.median)} | ${figure(value.min)} to ${figure(value.max)} | ${wanted} | ${met ? 'met' : 'not met'} |`;
}

function toCostRow({ work, process, cpuUs }: Cost): string {
  return `| ${work} | ${process} | ${figure(cpuUs.median)} | ${figure(cpuUs.min)} to ${figure(cpuUs.max)} |`;
}

export const figure = (value: number): string => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
