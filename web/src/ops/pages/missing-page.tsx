import { Empty } from '../components/notes';
import { PageHead } from '../components/page-head';
import { to } from '../routes';
import { texts } from '../texts';

export function MissingPage() {
  const { common, sales } = texts.value;
  return (
    <div class="stack">
      <PageHead title={common.notFound} />
      <Empty title={common.notFound} hint={common.notFoundHint}><a class="button" href={to.sales}>{sales.title}</a></Empty>
    </div>
  );
}
