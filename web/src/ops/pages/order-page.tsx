import { useSignal } from '@preact/signals';
import { useRoute } from 'preact-iso';
import type { Schemas } from '../../shared/api';
import { money, moment } from '../../shared/format';
import { OrderBadge } from '../components/badge';
import { Choice } from '../components/field';
import { ConfirmDialog } from '../components/confirm-dialog';
import { Fact } from '../components/fact';
import { Loaded } from '../components/notes';
import { PageHead } from '../components/page-head';
import { api, ask } from '../console';
import { to } from '../routes';
import { useResource } from '../state/resource';
import { texts } from '../texts';

type Order = Schemas['OrderRecordAnswer'];

/** Payments and refunds settle a moment later. */
const EVERY_MS = 3000;

/** One order with all that happened to it. */
export function OrderPage() {
  const { orderId = '' } = useRoute().params;
  const order = useResource(orderId, () => ask(api.GET('/api/admin/orders/{orderId}', { params: { path: { orderId } } })), EVERY_MS);
  const { orders: text } = texts.value;
  return (
    <div class="stack">
      <PageHead title={`${text.order} …${orderId.slice(-8)}`}>{order.data.value?.status === 'paid' && <Refund order={order.data.value} done={() => void order.reload()} />}</PageHead>
      <Loaded of={order} height={480}>
        {(data) => (
          <>
            <Summary order={data} />
            <Lines order={data} />
            <div class="columns"><Payments order={data} /><History order={data} /></div>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Refund({ order, done }: { order: Order; done: () => void }) {
  const isOpen = useSignal(false);
  const { orders: text } = texts.value;
  return (
    <>
      <button type="button" class="danger" onClick={() => (isOpen.value = true)} data-testid="refund">{text.refundButton}</button>
      {isOpen.value && (
        <ConfirmDialog title={text.refundTitle} what={text.refundWhat(money(order.amountMinor, order.currency))} confirm={text.refundButton} danger
          send={(values) => ask(api.POST('/api/admin/orders/{orderId}/refund', { params: { path: { orderId: order.id } }, body: { returnUnits: values.text('returnUnits') === 'yes' } }))}
          done={() => { isOpen.value = false; done(); }} close={() => (isOpen.value = false)}>
          {() => <Choice legend={text.returnUnits} name="returnUnits" value="yes" options={[['yes', text.returnYes], ['no', text.returnNo]]} />}
        </ConfirmDialog>
      )}
    </>
  );
}

function Summary({ order }: { order: Order }) {
  const { orders: text } = texts.value;
  const times = [[text.created, order.createdAt], [text.payBefore, order.payBefore], [text.paidAt, order.paidAt], [text.closedAt, order.closedAt], [text.refundedAt, order.refundedAt]] as const;
  return (
    <section class="card stack">
      <div role="status"><OrderBadge order={order} /></div>
      <dl class="facts">
        <Fact name={text.amount}>{money(order.amountMinor, order.currency)}</Fact>
        <Fact name={text.user}><a href={`${to.orders}?username=${encodeURIComponent(order.user.username ?? '')}`}>{order.user.username ?? text.gone}</a></Fact>
        <Fact name={text.sale}><a href={to.sale(order.saleId)}>{order.saleId}</a></Fact>
        {times.map(([name, at]) => at && <Fact key={name} name={name}>{moment(at)}</Fact>)}
        <Fact name={text.order}><span class="id">{order.id}</span></Fact>
        <Fact name={text.ticket}><span class="id">{order.ticketId}</span></Fact>
      </dl>
    </section>
  );
}

function Lines({ order }: { order: Order }) {
  const { orders: text } = texts.value;
  return (
    <section class="card">
      <table>
        <caption class="visually-hidden">{text.lines}</caption>
        <thead><tr><th scope="col">{text.item}</th><th scope="col" class="end">{text.quantity}</th><th scope="col" class="end">{text.unitPrice}</th></tr></thead>
        <tbody>{order.lines.map(({ itemId, title, quantity, unitPriceMinor }) => <tr key={itemId}><th scope="row">{title}</th><td class="end number">{quantity}</td><td class="end number">{money(unitPriceMinor, order.currency)}</td></tr>)}</tbody>
      </table>
    </section>
  );
}

function Payments({ order }: { order: Order }) {
  const { orders: text } = texts.value;
  return (
    <section class="card stack" aria-labelledby="payments-title">
      <h2 id="payments-title">{text.payments}</h2>
      {order.payments.length === 0 ? <p class="soft">{text.noPayments}</p> : (
        <ol class="audit">
          {order.payments.map(({ id, provider, status, createdAt, amountMinor, currency, events }) => (
            <li key={id}>
              <div class="row spread"><strong>{provider}: {status}</strong><time class="soft small number" dateTime={createdAt}>{moment(createdAt)}</time></div>
              <p class="small number">{money(amountMinor, currency)}</p>
              {events.map((event) => <p key={event.eventId} class="small soft number">{moment(event.receivedAt)}: {event.result}{event.reason ? ` (${event.reason})` : ''}</p>)}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function History({ order }: { order: Order }) {
  const { orders: text, orderStatuses } = texts.value;
  const name = (status: string) => orderStatuses[status] ?? status;
  return (
    <section class="card stack" aria-labelledby="history-title">
      <h2 id="history-title">{text.history}</h2>
      <ol class="audit">
        {order.history.map(({ at, from, to: after, cause }) => (
          <li key={at + after}>
            <div class="row spread"><strong>{from ? `${name(from)} → ` : ''}{name(after)}</strong><time class="soft small number" dateTime={at}>{moment(at)}</time></div>
            <p class="small soft">{cause}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
