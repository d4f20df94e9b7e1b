const [FIRST_MS, LONGEST_MS] = [1000, 15_000];

/** How long to wait before the next try: twice as long each time, and spread by half, so that a crowd that was cut off does not come back as one. */
export const backoffMs = (tries: number, random = Math.random()): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** tries) * (0.5 + random / 2);
