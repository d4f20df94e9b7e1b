import { useEffect } from 'preact/hooks';
import { texts } from '../texts';

/** Names the page in the browser's tab. */
export function useTitle(title: string): void {
  const { brand } = texts.value;
  useEffect(() => {
    document.title = title ? `${title} · ${brand}` : brand;
  }, [title, brand]);
}
