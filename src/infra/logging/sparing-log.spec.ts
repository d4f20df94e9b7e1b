import { SparingLog } from './sparing-log.js';

const EVERY_MS = 30;

describe('a log that spares lines', () => {
  /** Resolves when so many lines were written. */
  const collect = (count: number): { lines: string[]; line: (text: string) => (leftOut: number) => void; written: Promise<void> } => {
    const lines: string[] = [];
    let done: () => void;
    const written = new Promise<void>((resolve) => (done = resolve));
    // The log's own timers keep no process alive.
    const alive = setInterval(() => undefined, EVERY_MS);
    void written.then(() => clearInterval(alive));
    const line = (text: string) => (leftOut: number) => {
      lines.push(`${text} +${leftOut}`);
      if (lines.length === count) done();
    };
    return { lines, line, written };
  };

  it('writes the first at once, and of the rest the newest with how many were left out', async () => {
    const log = new SparingLog(EVERY_MS);
    const { lines, line, written } = collect(2);
    for (let n = 1; n <= 1000; n += 1) log.say('timeout', line(`request ${n}`));
    expect(lines).toEqual(['request 1 +0']);
    await written;
    expect(lines).toEqual(['request 1 +0', 'request 1000 +998']);
  });

  it('lets no kind hide another', () => {
    const log = new SparingLog(EVERY_MS);
    const { lines, line } = collect(1);
    for (const kind of ['a', 'b', 'a', 'c']) log.say(kind, line(kind));
    expect(lines).toEqual(['a +0', 'b +0', 'c +0']);
  });
});
