import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Outcome, Schemas } from '../../shared/api';
import { Choice, Select, TextField } from '../components/field';
import { ConfirmDialog } from '../components/confirm-dialog';
import { localInput, timeOfDay } from '../format';
import type { FormState, FormValues } from '../state/form';
import { texts } from '../texts';
import { LEVERS, levers, type LeverName } from './lever-list';

type Sale = Schemas['OperatorSaleDto'];

/** What an operator can do to a sale. Each says first what will happen. */
export function Levers({ sale, changed }: { sale: Sale; changed: (newer?: Sale) => void }) {
  const open = useSignal<LeverName | undefined>(undefined);
  const result = useSignal('');
  const { levers: text, saleStates } = texts.value;
  const done = (name: LeverName, answer: unknown) => {
    open.value = undefined;
    result.value = `${timeOfDay(Date.now())} ${text.done[name]}`;
    changed(isSale(answer) ? answer : undefined);
  };
  return (
    <section class="card stack card-levers" aria-labelledby="levers-title">
      <h2 id="levers-title">{text.title}</h2>
      <div class="lever-grid">
        {LEVERS.map((name) => {
          const isOpen = levers[name].states.includes(sale.state);
          return (
            <button key={name} type="button" class={levers[name].danger ? 'danger' : ''} data-testid={`lever-${name}`} disabled={!isOpen}
              title={isOpen ? undefined : text.notNow(saleStates[sale.state])} onClick={() => (open.value = name)}>
              {text.names[name]}
            </button>
          );
        })}
      </div>
      <p class="lever-result soft small" role="status" data-testid="lever-result">{result.value}</p>
      {open.value && <LeverDialog name={open.value} sale={sale} done={done} close={() => (open.value = undefined)} />}
    </section>
  );
}

interface DialogProps { name: LeverName; sale: Sale; done: (name: LeverName, answer: unknown) => void; close: () => void }

function LeverDialog({ name, sale, done, close }: DialogProps) {
  const text = texts.value.levers;
  const send = useMemo(() => sentOnce(name, sale), []);
  return (
    <ConfirmDialog title={`${text.names[name]}: ${sale.title}`} what={text.what[name]} confirm={text.names[name]} danger={levers[name].danger ?? false}
      send={send} done={(answer) => done(name, answer)} close={close}>
      {(form) => <LeverFields name={name} sale={sale} form={form} />}
    </ConfirmDialog>
  );
}

/** Pulls a lever with a key that stays the same until it is answered: a click that repeats one whose answer was lost changes nothing twice. */
function sentOnce(name: LeverName, sale: Sale): (values: FormValues) => Promise<Outcome<unknown>> {
  let key = crypto.randomUUID();
  return async (values) => {
    const outcome = await levers[name].pull(sale, values, key);
    const isRefused = !outcome.ok && outcome.problem.status >= 400 && outcome.problem.status < 500 && outcome.problem.code !== 'IDEMPOTENCY_KEY_IN_USE';
    if (isRefused) key = crypto.randomUUID();
    return outcome;
  };
}

/** What a lever has to be told besides. */
function LeverFields({ name, sale, form }: { name: LeverName; sale: Sale; form: FormState }) {
  const text = texts.value.levers;
  if (name === 'pause') return <Choice legend={text.claims} name="claims" value="go_on" options={[['go_on', text.claimsGoOn], ['stop', text.claimsStop]]} />;
  if (name === 'extend') return <TextField form={form} name="endsAt" label={text.newEnd} hint={texts.value.saleForm.zone} type="datetime-local" value={localInput(sale.endsAt)} />;
  if (name !== 'stock' && name !== 'limit') return null;
  return (
    <>
      <Select form={form} name="itemId" label={text.item} value={sale.items[0]?.id} options={sale.items.map(({ id, title, limitPerUser }) => [id, name === 'limit' ? `${title} (${limitPerUser})` : title] as const)} />
      {name === 'limit' && <TextField form={form} name="limitPerUser" label={text.newLimit} type="number" min={1} value={String(sale.items[0]?.limitPerUser ?? 1)} />}
      {name === 'stock' && <Choice legend={text.direction} name="direction" value="add" options={[['add', text.add], ['withdraw', text.withdraw]]} />}
      {name === 'stock' && <TextField form={form} name="delta" label={text.delta} type="number" min={1} />}
    </>
  );
}

const isSale = (answer: unknown): answer is Sale => typeof answer === 'object' && answer !== null && 'startsAt' in answer && 'items' in answer;
