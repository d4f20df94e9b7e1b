import { useSignal } from '@preact/signals';
import type { Schemas } from '../../shared/api';
import { count, moment } from '../../shared/format';
import { Loaded } from '../components/notes';
import { api, ask } from '../console';
import { useResource } from '../state/resource';
import { texts } from '../texts';

/** Other operators change the sale too. */
const EVERY_MS = 5000;
const FEW = 8;

/** Who changed what, newest first. A change of the sale shows at once. */
export function Audit({ sale }: { sale: Schemas['OperatorSaleDto'] }) {
  const isWhole = useSignal(false);
  const path = { saleId: sale.id };
  const trail = useResource(`audit ${sale.id} ${sale.state} ${sale.endsAt} ${sale.claims}`, () => ask(api.GET('/api/admin/sales/{saleId}/audit', { params: { path } })), EVERY_MS);
  const { audit: text } = texts.value;
  return (
    <section class="card stack" aria-labelledby="audit-title" data-testid="audit">
      <h2 id="audit-title">{text.title}</h2>
      <Loaded of={trail} height={80} quiet>
        {({ changes }) => (changes.length === 0
          ? <p class="soft">{text.empty}</p>
          : (
            <>
              <ol class="audit">{changes.slice(0, isWhole.value ? undefined : FEW).map((change) => <Change key={change.id} change={change} />)}</ol>
              {changes.length > FEW && !isWhole.value && <button type="button" onClick={() => (isWhole.value = true)}>{text.more}</button>}
            </>
          ))}
      </Loaded>
    </section>
  );
}

function Change({ change: { at, operator, action, before, after } }: { change: Schemas['AuditEntryDto'] }) {
  const { audit: text } = texts.value;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return (
    <li data-action={action}>
      <div class="row spread"><strong>{text.actions[action] ?? action}</strong><time class="soft small number" dateTime={at}>{moment(at)}</time></div>
      <p class="small soft">{operator?.username ?? text.cli}</p>
      {names.map((name) => <p key={name} class="small number">{name}: {shown(before[name])} → {shown(after[name])}</p>)}
    </li>
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return texts.value.audit.nothing;
  if (typeof value === 'number') return count(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^\d{4}-\d\d-\d\dT/.test(value) ? moment(value) : value;
}
