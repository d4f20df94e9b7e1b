import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import type { Schemas } from '../../shared/api';
import { count, money } from '../../shared/format';
import { ConfirmDialog } from '../components/confirm-dialog';
import { TextField } from '../components/field';
import { ProblemNote } from '../components/notes';
import { api, ask } from '../console';
import { isoOf, localInput } from '../format';
import { to, withQuery } from '../routes';
import { useForm, type FormValues } from '../state/form';
import { texts } from '../texts';

type Sale = Schemas['OperatorSaleDto'];

/** What is still open to change in a state; the API has the last word. */
const OPEN: Record<Sale['state'], readonly string[]> = {
  draft: ['title', 'startsAt', 'endsAt', 'paymentTimeoutSeconds', 'standbyLimit'],
  scheduled: ['title', 'startsAt', 'endsAt'],
  live: ['title', 'endsAt'],
  paused: ['title', 'endsAt'],
  ended: [],
};

export function EditSale({ sale }: { sale: Sale }) {
  return (
    <div class="stack">
      <EditForm key={sale.state} sale={sale} />
      <Items sale={sale} />
    </div>
  );
}

/** Only what was touched is sent, so that nobody else's change is taken back. */
function changesOf(values: FormValues, sale: Sale): Schemas['EditSaleDto'] {
  const changed = (name: 'startsAt' | 'endsAt') => values.has(name) && values.text(name) !== localInput(sale[name]);
  const number = (name: 'paymentTimeoutSeconds' | 'standbyLimit') => (values.has(name) && values.number(name) !== sale[name] ? { [name]: values.number(name) } : {});
  return {
    ...(values.has('title') && values.text('title') !== sale.title && { title: values.text('title') }),
    ...(changed('startsAt') && { startsAt: isoOf(values.text('startsAt')) }),
    ...(changed('endsAt') && { endsAt: isoOf(values.text('endsAt')) }),
    ...number('paymentTimeoutSeconds'),
    ...number('standbyLimit'),
  };
}

function EditForm({ sale }: { sale: Sale }) {
  const { route } = useLocation();
  // The sale goes on being asked for meanwhile; what was touched is told by how it was when the form was opened.
  const opened = useSignal(sale).peek();
  const form = useForm(
    (values) => ask(api.PATCH('/api/admin/sales/{saleId}', { params: { path: { saleId: sale.id } }, body: changesOf(values, opened) })),
    () => route(to.sale(sale.id)),
  );
  const { saleForm: text, common } = texts.value;
  const open = OPEN[opened.state];
  const field = (name: string, hint?: string) => ({ form, name, disabled: !open.includes(name), hint: open.includes(name) ? hint : text.locked });
  return (
    <form ref={form.ref} class="card stack" onSubmit={form.onSubmit} noValidate>
      <TextField {...field('title')} label={text.name} value={opened.title} />
      <div class="columns">
        <TextField {...field('startsAt', text.zone)} label={text.startsAt} type="datetime-local" value={localInput(opened.startsAt)} />
        <TextField {...field('endsAt', text.zone)} label={text.endsAt} type="datetime-local" value={localInput(opened.endsAt)} />
        <TextField {...field('paymentTimeoutSeconds')} label={text.paymentTimeout} type="number" value={String(opened.paymentTimeoutSeconds)} />
        <TextField {...field('standbyLimit')} label={text.standby} type="number" value={String(opened.standbyLimit)} />
      </div>
      {form.problem.value && <ProblemNote problem={form.problem.value} />}
      <div class="row">
        <button type="submit" class="primary" disabled={form.busy.value || open.length === 0}>{form.busy.value ? common.working : common.save}</button>
        <a class="button" href={withQuery(to.newSale, { from: sale.id })}>{text.copy}</a>
        {sale.state === 'draft' && <Discard sale={sale} />}
      </div>
    </form>
  );
}

function Discard({ sale }: { sale: Sale }) {
  const isOpen = useSignal(false);
  const { route } = useLocation();
  const { saleForm: text } = texts.value;
  return (
    <>
      <button type="button" class="danger" onClick={() => (isOpen.value = true)} data-testid="discard">{text.discard}</button>
      {isOpen.value && (
        <ConfirmDialog title={`${text.discard}: ${sale.title}`} what={text.discardWhat} confirm={text.discard} danger
          send={() => ask(api.DELETE('/api/admin/sales/{saleId}', { params: { path: { saleId: sale.id } } }))}
          done={() => route(to.sales)} close={() => (isOpen.value = false)} />
      )}
    </>
  );
}

function Items({ sale }: { sale: Sale }) {
  const { saleForm: text } = texts.value;
  return (
    <section class="card stack" aria-labelledby="items-title">
      <h2 id="items-title">{text.items}</h2>
      {sale.state === 'draft' && <p class="soft small">{text.itemsStay}</p>}
      <table>
        <caption class="visually-hidden">{text.items}</caption>
        <thead><tr><th scope="col">{text.goods}</th><th scope="col" class="end">{text.price}</th><th scope="col" class="end">{text.stock}</th><th scope="col" class="end">{text.limit}</th></tr></thead>
        <tbody>
          {sale.items.map(({ id, title, priceMinor, currency, stock, limitPerUser }) => (
            <tr key={id}><th scope="row">{title}</th><td class="end number">{money(priceMinor, currency)}</td><td class="end number">{count(stock)}</td><td class="end number">{count(limitPerUser)}</td></tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
