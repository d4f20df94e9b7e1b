import type { Api } from '../harness/api.js';
import type { TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

/** One event of a stream, as its lines say. */
export interface StreamEvent {
  event?: string;
  id?: string;
  data: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- a ticket
  atMs: number;
}

/** A client of one event stream: reads it with fetch and keeps everything that came. */
export class EventReader {
  readonly events: StreamEvent[] = [];
  readonly retries: number[] = [];
  comments = 0;
  isOver = false;
  wasCut = false;
  private text = '';

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {}

  /** Opens a stream; the answer may be a refusal, which then has been read to its end. */
  static async open(api: Api, sale: TestSale, lastEventId?: string): Promise<EventReader> {
    return EventReader.at(`${api.base}/sales/${sale.id}/ticket/events`, tokenOf(api), lastEventId);
  }

  static async at(url: string, token: string, lastEventId?: string): Promise<EventReader> {
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${token}`, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) };
    const response = await fetch(url, { headers, signal: abort.signal });
    const reader = new EventReader(response, abort);
    void reader.read();
    return reader;
  }

  get statuses(): string[] {
    return this.events.map(({ data }) => data.status);
  }

  get last(): StreamEvent {
    const last = this.events.at(-1);
    if (!last) throw new Error('no event came');
    return last;
  }

  /** The first event with this status, once it is there. */
  async when(status: string, deadlineMs?: number): Promise<StreamEvent> {
    return until(`an event ${status}; came: ${this.statuses.join()}`, () => this.events.find(({ data }) => data.status === status), deadlineMs);
  }

  /** Waits until the server has ended the stream. */
  over(deadlineMs?: number): Promise<boolean> {
    return until('the end of the stream', () => this.isOver, deadlineMs);
  }

  close(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? []) this.take(decoder.decode(chunk, { stream: true }));
    } catch {
      // By the server in the middle of its answer, or by `close`.
      this.wasCut = true;
    }
    this.isOver = true;
  }

  private take(chunk: string): void {
    this.text += chunk;
    for (let end = this.text.indexOf('\n\n'); end >= 0; end = this.text.indexOf('\n\n')) {
      this.takeBlock(this.text.slice(0, end));
      this.text = this.text.slice(end + 2);
    }
  }

  private takeBlock(block: string): void {
    const event: StreamEvent = { data: undefined, atMs: performance.now() };
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      const [field, value] = [line.slice(0, colon), line.slice(colon + 1).trimStart()];
      if (field === '') this.comments += 1;
      if (field === 'retry') this.retries.push(Number(value));
      if (field === 'event' || field === 'id') event[field] = value;
      if (field === 'data') event.data = JSON.parse(value);
    }
    if (event.data !== undefined) this.events.push(event);
  }
}

export const tokenOf = (api: Api): string => String(Reflect.get(api, 'token'));
