import { useLocation } from 'preact-iso';
import type { Outcome, Schemas } from '../../shared/api';
import { Select, TextField } from '../components/field';
import { Empty, Loaded, ProblemNote } from '../components/notes';
import { PageHead } from '../components/page-head';
import { ItemsFields, itemsOf } from '../components/sale-fields';
import { api, ask } from '../console';
import { isoOf, localInput } from '../format';
import { to } from '../routes';
import { useForm, type FormValues } from '../state/form';
import { goodsToChoose } from '../state/goods';
import { useResource } from '../state/resource';
import { texts } from '../texts';

type Goods = Schemas['GoodsDto'];
type Sale = Schemas['OperatorSaleDto'];

const HOUR_MS = 3_600_000;
const MODES = ['queue', 'instant'] as const;

/** A new sale; `?from=` fills it in as another one is. */
export function NewSalePage() {
  const { from } = useLocation().query;
  const known = useResource(`new sale ${from}`, () => goodsAndSale(from));
  const { saleForm, goods } = texts.value;
  return (
    <div class="stack">
      <PageHead title={saleForm.create} />
      <Loaded of={known} height={480}>
        {(data) => (data.goods.length === 0
          ? <Empty title={saleForm.noGoods}><a class="button primary" href={to.newGoods}>{goods.create}</a></Empty>
          : <SaleForm goods={data.goods} from={data.sale} />)}
      </Loaded>
    </div>
  );
}

async function goodsAndSale(from: string | undefined): Promise<Outcome<{ goods: Goods[]; sale: Sale | undefined }>> {
  const goods = await goodsToChoose();
  if (!goods.ok || from === undefined) return goods.ok ? { ok: true, data: { goods: goods.data, sale: undefined } } : goods;
  const sale = await ask(api.GET('/api/admin/sales/{saleId}', { params: { path: { saleId: from } } }));
  return sale.ok ? { ok: true, data: { goods: goods.data, sale: sale.data } } : sale;
}

function bodyOf(values: FormValues, goods: Goods[]): Schemas['CreateSaleDto'] {
  const [paymentTimeoutSeconds, standbyLimit, shards] = ['paymentTimeoutSeconds', 'standbyLimit', 'shards'].map(values.optionalNumber);
  return {
    title: values.text('title'),
    startsAt: isoOf(values.text('startsAt')),
    endsAt: isoOf(values.text('endsAt')),
    mode: MODES.find((mode) => mode === values.text('mode')) ?? 'queue',
    ...(paymentTimeoutSeconds !== undefined && { paymentTimeoutSeconds }),
    ...(standbyLimit !== undefined && { standbyLimit }),
    ...(shards !== undefined && { shards }),
    items: itemsOf(values, goods),
  };
}

function SaleForm({ goods, from }: { goods: Goods[]; from: Sale | undefined }) {
  const { route } = useLocation();
  const form = useForm((values) => ask(api.POST('/api/admin/sales', { body: bodyOf(values, goods) })), ({ id }) => route(to.sale(id)));
  const { saleForm: text, common } = texts.value;
  const number = (name: 'paymentTimeoutSeconds' | 'standbyLimit' | 'shards', label: string, hint?: string) => (
    <TextField form={form} name={name} label={label} hint={hint} type="number" min={0} value={from && String(from[name])} />
  );
  return (
    <form ref={form.ref} class="card stack" onSubmit={form.onSubmit} noValidate>
      <TextField form={form} name="title" label={text.name} value={from?.title} />
      <div class="columns">
        <TextField form={form} name="startsAt" label={text.startsAt} hint={text.zone} type="datetime-local" value={localInput(Date.now())} />
        <TextField form={form} name="endsAt" label={text.endsAt} hint={text.zone} type="datetime-local" value={localInput(Date.now() + HOUR_MS)} />
      </div>
      <ItemsFields form={form} goods={goods} items={from?.items ?? []} />
      <details open={from !== undefined}>
        <summary>{text.more}</summary>
        <div class="columns">
          <Select form={form} name="mode" label={text.mode} value={from?.mode} options={MODES.map((mode) => [mode, text.modes[mode]] as const)} />
          {number('paymentTimeoutSeconds', text.paymentTimeout, text.paymentTimeoutHint)}
          {number('standbyLimit', text.standby)}
          {number('shards', text.shards)}
        </div>
      </details>
      {form.problem.value && <ProblemNote problem={form.problem.value} />}
      <div class="row">
        <button type="submit" class="primary" disabled={form.busy.value}>{form.busy.value ? common.working : text.submitCreate}</button>
        <a class="button" href={to.sales}>{common.cancel}</a>
      </div>
    </form>
  );
}
