import { useLocation, useRoute } from 'preact-iso';
import type { Schemas } from '../../shared/api';
import { AmountField, TextArea, TextField } from '../components/field';
import { Loaded, ProblemNote } from '../components/notes';
import { PageHead } from '../components/page-head';
import { api, ask } from '../console';
import { minorOf, typedAmount } from '../amount';
import { to } from '../routes';
import { useForm, type FormValues } from '../state/form';
import { goodsById } from '../state/goods';
import { useResource } from '../state/resource';
import { texts } from '../texts';

/** New goods at `/ops/goods/new`, else those of the address. */
export function GoodsFormPage() {
  const id = useRoute().params.goodsId ?? 'new';
  const { goods } = texts.value;
  return (
    <div class="stack narrow">
      <PageHead title={id === 'new' ? goods.create : goods.edit} />
      {id === 'new' ? <GoodsForm /> : <EditGoods key={id} id={id} />}
    </div>
  );
}

function EditGoods({ id }: { id: string }) {
  const goods = useResource(id, () => goodsById(id));
  return <Loaded of={goods} height={480}>{(data) => <GoodsForm goods={data} />}</Loaded>;
}

const bodyOf = (values: FormValues): Schemas['CreateGoodsDto'] => ({
  title: values.text('title'),
  listPriceMinor: minorOf(values.text('listPriceMinor'), values.text('currency')),
  currency: values.text('currency').trim().toUpperCase(),
  description: values.text('description') || null,
  imageUrl: values.text('imageUrl') || null,
});

function GoodsForm({ goods }: { goods?: Schemas['GoodsDto'] }) {
  const { route } = useLocation();
  const form = useForm(
    (values) => ask(goods ? api.PATCH('/api/admin/goods/{goodsId}', { params: { path: { goodsId: goods.id } }, body: bodyOf(values) }) : api.POST('/api/admin/goods', { body: bodyOf(values) })),
    () => route(to.goods),
  );
  const { goods: text, common } = texts.value;
  return (
    <form ref={form.ref} class="card stack" onSubmit={form.onSubmit} noValidate>
      <TextField form={form} name="title" label={text.name} value={goods?.title} />
      <div class="columns">
        <AmountField form={form} name="listPriceMinor" label={text.price} value={goods && typedAmount(goods.listPriceMinor, goods.currency)} />
        <TextField form={form} name="currency" label={text.currency} hint={text.currencyHint} value={goods?.currency ?? 'EUR'} />
      </div>
      <TextArea form={form} name="description" label={`${text.description} (${common.optional})`} value={goods?.description ?? undefined} />
      <TextField form={form} name="imageUrl" label={`${text.imageUrl} (${common.optional})`} type="url" value={goods?.imageUrl ?? undefined} />
      {form.problem.value && <ProblemNote problem={form.problem.value} />}
      <div class="row">
        <button type="submit" class="primary" disabled={form.busy.value}>{form.busy.value ? common.working : common.save}</button>
        <a class="button" href={to.goods}>{common.cancel}</a>
      </div>
    </form>
  );
}
