import type { Outcome } from '../../shared/api';
import { ask, session } from '../console';

/** Fetches a file with the operator's token, which a plain link would not bear, and hands it to the browser to save. */
export async function download(path: string, name: string): Promise<Outcome<unknown>> {
  return ask(fetchFile(path, name));
}

async function fetchFile(path: string, name: string): Promise<{ data?: unknown; error?: unknown; response: Response }> {
  const response = await fetch(path, { headers: { authorization: `Bearer ${session.peek()?.token ?? ''}` } });
  if (!response.ok) return { error: await response.json().catch(() => undefined), response };
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  // The browser has taken the address up by then; kept for good it would keep the file in memory.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return { data: null, response };
}
