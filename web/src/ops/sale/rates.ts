import type { Schemas } from '../../shared/api';

type SamplePoint = Schemas['SamplePointView'];

/** What a sample counts up from the beginning. */
export type Counter = 'joins' | 'refused' | 'decided' | 'ordered' | 'paid';

/** When the samples were taken, epoch seconds. */
export const timesOf = (points: SamplePoint[]): number[] => points.map(({ at }) => Date.parse(at) / 1000);

/** How fast a counter ran up to each sample, per second; null for the first one, and where it began anew because Redis was rebuilt. */
export function ratesOf(points: SamplePoint[], counter: Counter): (number | null)[] {
  return points.map((point, index) => {
    const before = points[index - 1];
    if (!before || point[counter] < before[counter]) return null;
    const seconds = (Date.parse(point.at) - Date.parse(before.at)) / 1000;
    return seconds > 0 ? (point[counter] - before[counter]) / seconds : null;
  });
}

/** Puts newer samples behind those that are there, each once, and keeps the newest. */
export function append(points: SamplePoint[], newer: SamplePoint[], most: number): SamplePoint[] {
  const last = points.at(-1)?.at ?? '';
  return [...points, ...newer.filter(({ at }) => at > last)].slice(-most);
}
