import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import type { Schemas } from '../../shared/api';
import { count, moment } from '../../shared/format';
import { Badge, type Tone } from '../components/badge';
import { ConfirmDialog } from '../components/confirm-dialog';
import { TextField } from '../components/field';
import { Empty, Loaded } from '../components/notes';
import { PageHead } from '../components/page-head';
import { api, ask } from '../console';
import { rate } from '../format';
import { to } from '../routes';
import { useForm } from '../state/form';
import { useResource } from '../state/resource';
import { texts } from '../texts';

type Rehearsal = Schemas['RehearsalDto'];

const WHILE_RUNNING_MS = 2000;
const DEFAULTS = { shoppers: '5000', stock: '500' };
export const TONES: Record<Rehearsal['state'], Tone> = { running: 'warn', passed: 'good', failed: 'bad' };

export function RehearsalsPage() {
  const list = useResource('rehearsals', () => ask(api.GET('/api/admin/rehearsals')), (data) => (data?.rehearsals.some(({ state }) => state === 'running') ? WHILE_RUNNING_MS : undefined));
  const { rehearsal: text } = texts.value;
  return (
    <div class="stack">
      <PageHead title={text.title} />
      <section class="card stack">
        <p class="soft measure">{text.intro}</p>
        <StartForm />
      </section>
      <section class="stack" aria-labelledby="earlier-title">
        <h2 id="earlier-title">{text.earlier}</h2>
        <Loaded of={list} height={240}>
          {({ rehearsals }) => (rehearsals.length === 0 ? <Empty title={text.empty} hint={text.emptyHint} /> : <RehearsalTable rehearsals={rehearsals} />)}
        </Loaded>
      </section>
    </div>
  );
}

/** The numbers go into the dialog, whose answer the API judges. */
function StartForm() {
  const asked = useSignal<{ shoppers: string; stock: string } | undefined>(undefined);
  const form = useForm((values) => Promise.resolve({ ok: true, data: { shoppers: values.text('shoppers'), stock: values.text('stock') } }), (numbers) => void (asked.value = numbers));
  const { rehearsal: text } = texts.value;
  return (
    <>
      <form ref={form.ref} class="row start-form" onSubmit={form.onSubmit} noValidate>
        <TextField form={form} name="shoppers" label={text.shoppers} type="number" min={1} value={DEFAULTS.shoppers} />
        <TextField form={form} name="stock" label={text.stock} type="number" min={1} value={DEFAULTS.stock} />
        <button type="submit" class="primary" data-testid="start-rehearsal">{text.start}</button>
      </form>
      {asked.value && <StartDialog {...asked.value} close={() => (asked.value = undefined)} />}
    </>
  );
}

function StartDialog({ shoppers, stock, close }: { shoppers: string; stock: string; close: () => void }) {
  const { route } = useLocation();
  const { rehearsal: text } = texts.value;
  return (
    <ConfirmDialog title={text.confirmTitle} what={text.confirmWhat(count(Number(shoppers)), count(Number(stock)))} confirm={text.start}
      send={(values) => ask(api.POST('/api/admin/rehearsals', { body: { shoppers: values.number('shoppers'), stock: values.number('stock') } }))}
      done={({ id }) => route(to.rehearsal(id))} close={close}>
      {(form) => (
        <div class="columns">
          <TextField form={form} id="confirm-shoppers" name="shoppers" label={text.shoppers} type="number" min={1} value={shoppers} />
          <TextField form={form} id="confirm-stock" name="stock" label={text.stock} type="number" min={1} value={stock} />
        </div>
      )}
    </ConfirmDialog>
  );
}

function RehearsalTable({ rehearsals }: { rehearsals: Rehearsal[] }) {
  const { rehearsal: text } = texts.value;
  return (
    <div class="table-card" tabIndex={0} role="region" aria-label={text.earlier}>
      <table>
        <caption class="visually-hidden">{text.earlier}</caption>
        <thead>
          <tr>
            <th scope="col">{text.started}</th><th scope="col">{text.state}</th><th scope="col" class="end">{text.shoppers}</th><th scope="col" class="end">{text.stock}</th>
            <th scope="col" class="end wide-only">{text.joinsPerSecond}</th><th scope="col" class="end wide-only">{text.ordersPerSecond}</th>
          </tr>
        </thead>
        <tbody>
          {rehearsals.map(({ id, startedAt, state, phase, shoppers, stock, report }) => (
            <tr key={id}>
              <th scope="row"><a class="number" href={to.rehearsal(id)}>{moment(startedAt)}</a></th>
              <td><Badge tone={TONES[state]}>{state === 'running' ? text.phases[phase] : text.states[state]}</Badge></td>
              <td class="end number">{count(shoppers)}</td><td class="end number">{count(stock)}</td>
              <td class="end number wide-only">{report ? rate(report.joinsPerSecond) : '–'}</td><td class="end number wide-only">{report ? rate(report.ordersPerSecond) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
