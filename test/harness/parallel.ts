/** Runs `work` on every item, at most `concurrency` at a time, and answers the results in the order of the items. */
export async function inParallel<T, R>(items: Iterable<T>, concurrency: number, work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...items].entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return results;
}

/** How often each value occurs. */
export function tally<T extends string | number>(values: Iterable<T>): Partial<Record<T, number>> {
  const counts: Partial<Record<T, number>> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
