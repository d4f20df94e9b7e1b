import type { Outcome, Schemas } from '../../shared/api';
import { api, ask } from '../console';
import { isoOf } from '../format';
import type { FormValues } from '../state/form';

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
  pull: (sale: Sale, values: FormValues) => Promise<Outcome<unknown>>;
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
    pull: (sale, values) => {
      const delta = values.number('delta') * (values.text('direction') === 'withdraw' ? -1 : 1);
      return ask(api.POST('/api/admin/sales/{saleId}/items/{itemId}/stock', { ...ofItem(sale, values), body: { delta } }));
    },
  },
  limit: {
    states: ['draft', 'scheduled', 'live', 'paused'],
    pull: (sale, values) => ask(api.PATCH('/api/admin/sales/{saleId}/items/{itemId}', { ...ofItem(sale, values), body: { limitPerUser: values.number('limitPerUser') } })),
  },
  end: { states: ['scheduled', 'live', 'paused'], danger: true, pull: (sale) => ask(api.POST('/api/admin/sales/{saleId}/end', of(sale))) },
};
