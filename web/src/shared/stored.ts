import { effect, signal, type Signal } from '@preact/signals';

/**
 * A signal that outlives the page and is one for all tabs of the browser.
 * @param parse tells what a stored text means; undefined for one that means nothing any more
 */
export function stored<T>(key: string, parse: (value: unknown) => T | undefined, initial: T): Signal<T> {
  const read = (text: string | null): T => (text === null ? initial : (parse(valueOf(text)) ?? initial));
  const current = signal(read(localStorage.getItem(key)));
  effect(() => {
    const { value } = current;
    if (value === undefined || value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  });
  addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) current.value = read(event.newValue);
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
