import { Presets, SingleBar } from 'cli-progress';

const EVERY_MS = 1000;

/** Shows how far something has come: a bar on a terminal, elsewhere a line whenever its words have changed. Ends with `stop`. */
export class CrowdProgress {
  private readonly bar = process.stderr.isTTY ? new SingleBar({ format: '{bar} {percentage}%  {words}', stream: process.stderr, hideCursor: true }, Presets.shades_classic) : null;
  private readonly timer: NodeJS.Timeout;
  private said = '';

  /** @param look answers how much of `total` is done, and how to say it */
  constructor(total: number, private readonly look: () => { done: number; words: string }) {
    this.bar?.start(total, 0, { words: '' });
    this.timer = setInterval(() => this.show(), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.show();
    this.bar?.stop();
  }

  private show(): void {
    const { done, words } = this.look();
    if (this.bar) this.bar.update(done, { words });
    else if (words !== this.said) process.stderr.write(`${words}\n`);
    this.said = words;
  }
}
