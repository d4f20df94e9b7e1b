import type { ServiceModel } from './service-model.js';
import type { Real } from './service-steps.js';

/** Compares what shoppers and the operator see, and what the tables hold, with the model. */
export async function verify(model: ServiceModel, real: Real): Promise<void> {
  expect(await found(real)).toEqual(predicted(model, real));
}

async function found({ shop, sale, shoppers }: Real): Promise<object> {
  const tickets = await Promise.all(shoppers.map(async (shopper) => {
    const { body } = await shopper.get(`/sales/${sale.id}/ticket`);
    return body.status && !body.code ? body.status : body.code;
  }));
  const orders = await Promise.all(shoppers.map(async (shopper) => {
    const { body } = await shopper.get('/orders');
    return body.orders.filter((order: { saleId: string }) => order.saleId === sale.id).map(({ status }: { status: string }) => status).reverse();
  }));
  const proof = await shop.proof(sale);
  const items = proof.items.map(({ inList, claimed, held, returning, odd }: Record<string, unknown>) => ({ inList, claimed, held, returning, odd }));
  return { tickets, orders, ok: proof.ok, items };
}

function predicted(model: ServiceModel, { shoppers }: Real): object {
  return {
    tickets: shoppers.map((_, user) => model.tickets.get(user)?.status ?? 'NO_TICKET'),
    orders: shoppers.map((_, user) => model.orders.filter((order) => order.user === user).map(({ status }) => status)),
    ok: true,
    items: model.stock.map((_, item) => ({
      inList: model.free(item), claimed: model.claimedUnits(item), held: model.heldUnits(item), returning: model.returningUnits(item), odd: [],
    })),
  };
}
