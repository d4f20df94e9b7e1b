import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useForm, type FormValues } from '../state/form';
import { OPEN_REFUNDS, ORDER_STATUSES, type OrderFilter } from '../state/order-filter';
import { texts } from '../texts';
import { Select, TextField } from './field';

interface Props {
  filter: OrderFilter;
  /** Whether the sale is given by the page. */
  hasSale: boolean;
  /** What the API said against the filters. */
  faults: { field: string; message: string }[];
  change: (filter: OrderFilter) => void;
}

const filled = (values: FormValues): OrderFilter =>
  Object.fromEntries(['status', 'refund', 'username', 'saleId', 'from', 'to'].map((name) => [name, values.text(name).trim() || undefined]));

/** What the orders are looked for by. Choices count at once, what is typed on Enter or the button. */
export function OrderFilters({ filter, hasSale, faults, change }: Props) {
  const cleared = useSignal(0);
  const form = useForm((values) => Promise.resolve({ ok: true, data: filled(values) }), change);
  const shown = useSignal<Record<string, string>>({});
  useEffect(() => void (shown.value = Object.fromEntries(faults.map(({ field, message }) => [field, message]))), [JSON.stringify(faults)]);
  const { orders: text, orderStatuses, refunds, common } = texts.value;
  const search = () => form.ref.current?.requestSubmit();
  const field = { form: { ...form, faults: shown } };
  return (
    <form ref={form.ref} key={cleared.value} class="card filters" role="search" onSubmit={form.onSubmit} noValidate>
      <Select {...field} name="status" label={text.status} value={filter.status ?? ''} onChange={search} options={[['', common.all], ...ORDER_STATUSES.map((name) => [name, orderStatuses[name] ?? name] as const)]} />
      <Select {...field} name="refund" label={text.refund} value={filter.refund ?? ''} onChange={search} options={[['', common.all], ...OPEN_REFUNDS.map((name) => [name, refunds[name] ?? name] as const)]} />
      <TextField {...field} name="username" label={text.user} value={filter.username} />
      {!hasSale && <TextField {...field} name="saleId" label={text.sale} inputMode="numeric" value={filter.saleId} />}
      <TextField {...field} name="from" label={text.from} type="datetime-local" value={filter.from} />
      <TextField {...field} name="to" label={text.to} type="datetime-local" value={filter.to} />
      <div class="row tight filter-buttons">
        <button type="submit" class="primary">{common.search}</button>
        <button type="button" class="quiet" onClick={() => { cleared.value += 1; change({}); }}>{common.reset}</button>
      </div>
    </form>
  );
}
