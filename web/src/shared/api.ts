import createClient from 'openapi-fetch';
import type { components, paths } from '../api/schema';

/** The answers and bodies of the API by their names in its OpenAPI document. */
export type Schemas = components['schemas'];

/** What the API said no with (RFC 9457). `code` is stable, `errors` names the fields of a form that are at fault. */
export interface Problem {
  status: number;
  code: string;
  detail: string;
  errors: { field: string; message: string }[];
  /** Milliseconds after which it may be tried again, where the answer says so. */
  retryAfterMs?: number;
  /** What the document says besides, `startsAt` for instance. */
  extra: Record<string, unknown>;
}

/** A call that was answered, or refused, or (status 0, code `OFFLINE`) did not reach the service. */
export type Outcome<T> = { ok: true; data: T } | { ok: false; problem: Problem };

/** How long an answer may take before the service counts as out of reach. */
const TIMEOUT_MS = 20_000;

/** A typed client of the API. @param token the token of whoever is signed in, asked for at each call */
export function createApi(token: () => string | undefined) {
  const client = createClient<paths>({ baseUrl: '', fetch: (request) => fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]) }) });
  client.use({
    onRequest({ request }) {
      const current = token();
      if (current) request.headers.set('authorization', `Bearer ${current}`);
      return request;
    },
  });
  return client;
}

export type ApiClient = ReturnType<typeof createApi>;

/** Turns what a call of the client came to, a lost connection included, into an outcome. */
export async function outcomeOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<Outcome<T>> {
  try {
    const { data, error, response } = await call;
    if (response.ok) return { ok: true, data: data as T };
    return { ok: false, problem: problemOf(error, response) };
  } catch {
    return { ok: false, problem: { status: 0, code: 'OFFLINE', detail: '', errors: [], extra: {} } };
  }
}

function problemOf(error: unknown, response: Response): Problem {
  const document: Record<string, unknown> = typeof error === 'object' && error !== null ? { ...error } : {};
  const { code, detail, errors, ...extra } = document;
  const retryAfter = Number(response.headers.get('retry-after'));
  return {
    status: response.status,
    code: typeof code === 'string' ? code : 'INTERNAL',
    detail: typeof detail === 'string' ? detail : '',
    errors: Array.isArray(errors) ? errors.filter(isFault) : [],
    ...(retryAfter > 0 && { retryAfterMs: retryAfter * 1000 }),
    extra,
  };
}

const isFault = (entry: unknown): entry is { field: string; message: string } =>
  typeof entry === 'object' && entry !== null && 'field' in entry && 'message' in entry;
