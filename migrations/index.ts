import { InitialSchema1764600000000 } from './1764600000000-initial-schema.js';
import { PaymentTruth1764700000000 } from './1764700000000-payment-truth.js';
import { IdempotencyKeys1764800000000 } from './1764800000000-idempotency-keys.js';
import { OrderBeginnings1764900000000 } from './1764900000000-order-beginnings.js';
import { OrderSearch1764930000000 } from './1764930000000-order-search.js';

/** Every migration, oldest first; one that was released is never edited. */
export const migrations = [
  InitialSchema1764600000000,
  PaymentTruth1764700000000,
  IdempotencyKeys1764800000000,
  OrderBeginnings1764900000000,
  OrderSearch1764930000000,
];
