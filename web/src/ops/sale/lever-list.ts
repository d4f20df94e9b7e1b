import type { Outcome, Schemas } from '../../shared/api';
import { api, ask } from '../console';
import { isoOf } from '../format';
import { faultAt, type FormValues } from '../state/form';
import { texts } from '../texts';

type Sale = Schemas['OperatorSaleDto'];
type State = Schemas['SaleState'];

export const LEVERS = ['publish', 'preload', 'pause', 'resume', 'extend', 'stock', 'limit', 'end'] as const;
export type LeverName = (typeof LEVERS)[number];

/** What a lever does to a sale. */
export interface Lever {
  /** In which states there is something to do for it. */
  states: readonly State[];
  /** Can't be taken back. */
  danger?: boolean;
  /** @param key one for each time the lever is taken in hand: a repeat after a lost answer changes nothing twice */
  pull: (sale: Sale, values: FormValues, key: string) => Promise<Outcome<unknown>>;
}

const of = (sale: Sale) => ({ params: { path: { saleId: sale.id } } });
const ofItem = (sale: Sale, values: FormValues) => ({ params: { path: { saleId: sale.id, itemId: values.text('itemId') } } });

export const levers: Record<LeverName, Lever> = {
  publish: { states: ['draft'], pull: (sale) => ask(api.POST('/api/admin/sales/{saleId}/publish', of(sale))) },
  preload: { states: ['scheduled', 'live', 'paused'], pull: (sale) => ask(api.POST('/api/admin/sales/{saleId}/preload', of(sale))) },
  pause: {
    states: ['scheduled', 'live', 'paused'],
    pull: (sale, values) => ask(api.POST('/api/admin/sales/{saleId}/pause', { ...of(sale), body: { claims: values.text('claims') === 'stop' ? 'stop' : 'go_on' } })),
  },
  resume: { states: ['paused'], pull: (sale) => ask(api.POST('/api/admin/sales/{saleId}/resume', of(sale))) },
  extend: {
    states: ['draft', 'scheduled', 'live', 'paused'],
    pull: (sale, values) => ask(api.PATCH('/api/admin/sales/{saleId}', { ...of(sale), body: { endsAt: isoOf(values.text('endsAt')) } })),
  },
  stock: {
    states: ['draft', 'scheduled', 'live', 'paused', 'ended'],
    pull: (sale, values, key) => {
      const units = values.number('delta');
      if (units < 1) return Promise.resolve(faultAt('delta', texts.value.levers.deltaFault));
      const delta = units * (values.text('direction') === 'withdraw' ? -1 : 1);
      const { params: { path } } = ofItem(sale, values);
      return ask(api.POST('/api/admin/sales/{saleId}/items/{itemId}/stock', { params: { path, header: { 'Idempotency-Key': key } }, body: { delta } }));
    },
  },
  limit: {
    states: ['draft', 'scheduled', 'live', 'paused'],
    pull: (sale, values) => ask(api.PATCH('/api/admin/sales/{saleId}/items/{itemId}', { ...ofItem(sale, values), body: { limitPerUser: values.number('limitPerUser') } })),
  },
  end: { states: ['scheduled', 'live', 'paused'], danger: true, pull: (sale) => ask(api.POST('/api/admin/sales/{saleId}/end', of(sale))) },
};
