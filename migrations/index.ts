import { InitialSchema1764600000000 } from './1764600000000-initial-schema.js';
import { PaymentTruth1764700000000 } from './1764700000000-payment-truth.js';

/** Every migration, oldest first; one that was released is never edited. */
export const migrations = [InitialSchema1764600000000, PaymentTruth1764700000000];
