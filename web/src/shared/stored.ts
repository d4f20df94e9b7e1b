import { effect, signal, type Signal } from '@preact/signals';

/**
 * A signal that outlives the page and is one for all tabs of the browser.
 * @param parse tells what a stored text means; undefined for one that means nothing any more
 */
export function stored<T>(key: string, parse: (value: unknown) => T | undefined, initial: T): Signal<T> {
  const read = (text: string | null): T => (text === null ? initial : (parse(valueOf(text)) ?? initial));
  const current = signal(read(localStorage.getItem(key)));
  let isHeard = false;
  effect(() => {
    const { value } = current;
    // What another tab has written is not written again: two tabs that answer each other would never end.
    if (isHeard) return;
    if (value === undefined || value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  });
  addEventListener('storage', (event) => {
    if (event.key !== key && event.key !== null) return;
    isHeard = true;
    // What is there now, which may be newer than what the event tells of: so all tabs end with the same.
    current.value = read(localStorage.getItem(key));
    isHeard = false;
  });
  return current;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
