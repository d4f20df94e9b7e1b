/** Does `work` for each item in their order, for at most `limit` of them at a time. @throws what the first that fails throws */
export async function eachAtOnce<T>(items: readonly T[], limit: number, work: (item: T, index: number) => Promise<void>): Promise<void> {
  const entries = items.entries();
  const takeNext = async (): Promise<void> => {
    // One iterator for all of them: each entry is taken once.
    for (const [index, item] of entries) await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, takeNext));
}
