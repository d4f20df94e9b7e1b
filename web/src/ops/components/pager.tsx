import { texts } from '../texts';

/** The way to older ones, and back to the newest. @param older address of the next page @param newest address of the first, where this is not it */
export function Pager({ older, newest }: { older?: string | undefined; newest?: string | undefined }) {
  if (!older && !newest) return null;
  const { common } = texts.value;
  return (
    <nav class="row" aria-label={common.pages}>
      {newest && <a class="button" href={newest}>{common.newest}</a>}
      {older && <a class="button" href={older}>{common.older}</a>}
    </nav>
  );
}
