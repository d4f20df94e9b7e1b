import { useSignal } from '@preact/signals';
import type { Schemas } from '../../shared/api';
import { money } from '../../shared/format';
import { minorOf, typedAmount } from '../amount';
import type { FormState, FormValues } from '../state/form';
import { texts } from '../texts';
import { AmountField, Select, TextField } from './field';

type Goods = Schemas['GoodsDto'];
type Item = Schemas['CreateSaleItemDto'];

interface Row { key: number; item?: Item }

/** The items of a new sale. Their fields are named by their place, as the API names those at fault. */
export function ItemsFields({ form, goods, items }: { form: FormState; goods: Goods[]; items: Item[] }) {
  const rows = useSignal<Row[]>((items.length > 0 ? items : [undefined]).map((item, key) => ({ key, ...(item && { item }) })));
  const text = texts.value.saleForm;
  const add = () => (rows.value = [...rows.value, { key: Math.max(0, ...rows.value.map(({ key }) => key)) + 1 }]);
  const remove = (key: number) => (rows.value = rows.value.filter((row) => row.key !== key));
  return (
    <fieldset class="stack items">
      <legend><h2>{text.items}</h2></legend>
      {rows.value.map(({ key, item }, index) => (
        <ItemFields key={key} form={form} goods={goods} index={index} item={item} remove={rows.value.length > 1 ? () => remove(key) : undefined} />
      ))}
      <div><button type="button" onClick={add}>{text.addItem}</button></div>
    </fieldset>
  );
}

interface ItemProps { form: FormState; goods: Goods[]; index: number; item: Item | undefined; remove: (() => void) | undefined }

function ItemFields({ form, goods, index, item, remove }: ItemProps) {
  const goodsId = useSignal(item?.goodsId ?? '');
  const chosen = goods.find(({ id }) => id === goodsId.value);
  const text = texts.value.saleForm;
  const name = (field: string) => `items.${index}.${field}`;
  return (
    <fieldset class="item">
      <legend class="visually-hidden">{text.item(index + 1)}</legend>
      <Select form={form} name={name('goodsId')} label={text.goods} value={goodsId.value} onChange={(value) => (goodsId.value = value)}
        options={[['', text.choose], ...goods.map(({ id, title }) => [id, title] as const)]} />
      <AmountField form={form} name={name('priceMinor')} label={chosen ? `${text.price} (${chosen.currency})` : text.price}
        hint={chosen ? text.listPrice(money(chosen.listPriceMinor, chosen.currency)) : undefined} value={item && chosen && typedAmount(item.priceMinor, chosen.currency)} />
      <TextField form={form} name={name('stock')} label={text.stock} type="number" min={1} value={item && String(item.stock)} />
      <TextField form={form} name={name('limitPerUser')} label={text.limit} type="number" min={1} value={String(item?.limitPerUser ?? 1)} />
      <button type="button" class="quiet remove" disabled={!remove} onClick={remove} aria-label={text.removeItem(index + 1)}>✕</button>
    </fieldset>
  );
}

/** The items that were filled in, in the order they stand in. */
export function itemsOf(values: FormValues, goods: Goods[]): Item[] {
  const items: Item[] = [];
  for (let index = 0; values.has(`items.${index}.goodsId`); index += 1) {
    const name = (field: string) => `items.${index}.${field}`;
    const goodsId = values.text(name('goodsId'));
    const currency = goods.find(({ id }) => id === goodsId)?.currency ?? '';
    items.push({ goodsId, priceMinor: minorOf(values.text(name('priceMinor')), currency), stock: values.number(name('stock')), limitPerUser: values.number(name('limitPerUser')) });
  }
  return items;
}
