/** One answer of the API. `body` is the parsed JSON, or the text where it is none. */
export interface Answer<T = any> { // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into answers of every shape
  status: number;
  headers: Headers;
  body: T;
}

/** Calls the API over HTTP, as a given user or as a stranger. */
export class Api {
  constructor(
    readonly base: string,
    readonly token?: string,
  ) {}

  /** The same API with somebody's token. */
  as(token: string): Api {
    return new Api(this.base, token);
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.call('GET', path, undefined, headers);
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.call('POST', path, body, headers);
  }

  patch(path: string, body?: unknown): Promise<Answer> {
    return this.call('PATCH', path, body);
  }

  delete(path: string): Promise<Answer> {
    return this.call('DELETE', path);
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.base}${path}`, {
      method,
      headers: {
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Asks again while the answer is 503, as clients and providers do; each call that is asked like this bears a repeat. */
export async function untilTaken(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}
