import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../texts';

/** Whether a page was shown before: the first one leaves the focus where the browser has it. */
let hasMoved = false;

/** Names the page in the title, and moves the focus to its heading when the shopper came to it by a link. @returns for the `h1` */
export function useHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const { brand } = texts.value;
  useEffect(() => {
    document.title = title === '' ? brand : `${title} · ${brand}`;
  }, [title, brand]);
  useEffect(() => {
    if (hasMoved) heading.current?.focus();
    hasMoved = true;
  }, []);
  return heading;
}
