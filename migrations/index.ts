import { InitialSchema1764600000000 } from './1764600000000-initial-schema.js';
import { PaymentTruth1764700000000 } from './1764700000000-payment-truth.js';
import { IdempotencyKeys1764800000000 } from './1764800000000-idempotency-keys.js';
import { OrderBeginnings1764900000000 } from './1764900000000-order-beginnings.js';
import { PaymentVoids1764910000000 } from './1764910000000-payment-voids.js';
import { EventsOut1764920000000 } from './1764920000000-events-out.js';
import { OrderSearch1764930000000 } from './1764930000000-order-search.js';
import { LiveSales1764940000000 } from './1764940000000-live-sales.js';
import { RefundFailures1764950000000 } from './1764950000000-refund-failures.js';
import { Rehearsals1764960000000 } from './1764960000000-rehearsals.js';
import { SaleSamples1764970000000 } from './1764970000000-sale-samples.js';

/** Every migration, oldest first; one that was released is never edited. */
export const migrations = [
  InitialSchema1764600000000,
  PaymentTruth1764700000000,
  IdempotencyKeys1764800000000,
  OrderBeginnings1764900000000,
  PaymentVoids1764910000000,
  EventsOut1764920000000,
  OrderSearch1764930000000,
  LiveSales1764940000000,
  RefundFailures1764950000000,
  Rehearsals1764960000000,
  SaleSamples1764970000000,
];
