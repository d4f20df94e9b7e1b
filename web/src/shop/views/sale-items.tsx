import { count, money } from '../../shared/format';
import { hasRoom, mostOf, quantitiesFor, setQuantity } from '../state/basket';
import type { Sale, SaleItem } from '../state/shop-api';
import { texts } from '../texts';
import { Picture } from './picture';
import { Quantity } from './quantity';
import './sale-items.css';

/** What the sale offers, each with what is left of it and how much of it is in the basket. */
export function SaleItems({ sale: { id: saleId, items }, isFixed }: { sale: Sale; isFixed: boolean }) {
  const quantities = quantitiesFor(saleId, items);
  const least = items.length === 1 ? 1 : 0;
  return (
    <ul class="items plain-list">
      {items.map((item) => {
        const quantity = quantities[item.id] ?? 0;
        return (
          <li key={item.id} class="item" data-chosen={quantity > 0}>
            <Picture title={item.title} imageUrl={item.imageUrl} />
            <div class="item-words">
              <h2>{item.title}</h2>
              <Price item={item} />
            </div>
            <Stock item={item} />
            <Quantity
              title={item.title} value={quantity} least={least} most={quantity > 0 || hasRoom(quantities) ? mostOf(item) : 0} disabled={isFixed}
              onChange={(next) => setQuantity(saleId, items, item.id, next)}
            />
          </li>
        );
      })}
    </ul>
  );
}

function Price({ item: { priceMinor, listPriceMinor, currency } }: { item: SaleItem }) {
  const { price, listPrice, off } = texts.value;
  const percent = Math.floor((1 - priceMinor / Math.max(1, listPriceMinor)) * 100);
  return (
    <p class="price">
      <span class="visually-hidden">{price} </span><strong>{money(priceMinor, currency)}</strong>
      {listPriceMinor > priceMinor && <><span class="visually-hidden"> {listPrice} </span><s class="soft">{money(listPriceMinor, currency)}</s></>}
      {percent > 0 && <span class="off">{off(percent)}</span>}
    </p>
  );
}

function Stock({ item: { remaining, stock, limitPerUser } }: { item: SaleItem }) {
  const { left, soldOut, limit } = texts.value;
  const share = stock === 0 ? 0 : Math.min(1, remaining / stock);
  const level = share === 0 ? 'none' : share < 0.15 ? 'low' : 'good';
  return (
    <div class="stock" data-level={level}>
      <div class="stock-bar" aria-hidden="true"><span style={{ transform: `scaleX(${share})` }} /></div>
      <p class="small number">
        <span class="stock-left">{remaining === 0 ? soldOut : left(count(remaining), count(stock))}</span>
        <span class="soft">{limit(limitPerUser)}</span>
      </p>
    </div>
  );
}
