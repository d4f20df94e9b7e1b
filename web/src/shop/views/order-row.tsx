import { moment, money } from '../../shared/format';
import type { Order } from '../state/shop-api';
import { texts } from '../texts';
import { OrderActions } from './order-actions';
import './order-row.css';

/** One order: what, for how much, how it stands, and what can be done about it. */
export function OrderRow({ order, onChanged }: { order: Order; onChanged: (order: Order | null) => void }) {
  const { order: name, orderStatus, orderedAt, toSale, refund } = texts.value;
  return (
    <article class="order" data-testid="order" data-status={order.status} aria-label={name(order.id.slice(-6))}>
      <div class="order-head">
        <span class="order-status">{orderStatus[order.status]}</span>
        <strong class="number">{money(order.amountMinor, order.currency)}</strong>
      </div>
      <ul class="plain-list">
        {order.lines.map((line) => (
          <li key={line.itemId} class="order-line"><span>{line.title}</span><span class="soft number">{line.quantity} × {money(line.unitPriceMinor, order.currency)}</span></li>
        ))}
      </ul>
      {order.refund && <p class="small">{refund[order.refund]}</p>}
      <p class="order-foot soft small"><span>{orderedAt} {moment(order.createdAt)}</span><a href={`/sales/${order.saleId}`}>{toSale}</a></p>
      {order.status === 'awaiting_payment' && <OrderActions orderId={order.id} payBefore={order.payBefore} onChanged={onChanged} />}
    </article>
  );
}
