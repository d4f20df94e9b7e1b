import type { Provider } from '@nestjs/common';
import { OrderPaying } from './order-paying.js';
import { PaymentConfirmation } from './payment-confirmation.js';
import { PAYMENT_PROVIDER_LIST, type PaymentProvider } from './payment-provider.js';
import { PaymentRegistry } from './payment-registry.js';
import { PaymentVoiding } from './payment-voiding.js';
import { SandboxCourier } from './sandbox/sandbox.courier.js';
import { SandboxProvider } from './sandbox/sandbox.provider.js';
import { StripeProvider } from './stripe/stripe.provider.js';
import { RedisClock } from '../../infra/clock/index.js';
import { Settings } from '../../config/index.js';
import { OrderRevival } from '../order-revival.js';
import { RefundJob } from './refund.job.js';
import { RefundBooking } from './refund-booking.js';
import { Refunding } from './refunding.js';
import { VoidJob } from './void.job.js';
import { WebhookIntake } from './webhook-intake.js';

/** Ways to pay. A new one is written beside the sandbox and added here, and to PAYMENT_PROVIDERS in the settings. */
const WAYS_TO_PAY = [SandboxProvider, StripeProvider] as const;
/** How each is made. One that the settings leave out is null. */
const WAYS_ARE_MADE: Provider[] = [SandboxProvider, { provide: StripeProvider, inject: [Settings, RedisClock], useFactory: StripeProvider.of }];

/** What every process needs that closes orders: to void their open payments. */
export const paymentVoidingProviders: Provider[] = [
  SandboxCourier,
  ...WAYS_ARE_MADE,
  {
    provide: PAYMENT_PROVIDER_LIST,
    inject: [...WAYS_TO_PAY],
    useFactory: (...ways: (PaymentProvider | null)[]): PaymentProvider[] => ways.filter((way) => way !== null),
  },
  PaymentRegistry,
  PaymentVoiding,
];

/** What the API needs besides: starting payments, taking the providers' word, refunds. */
export const paymentApiProviders: Provider[] = [OrderRevival, RefundBooking, Refunding, PaymentConfirmation, OrderPaying, WebhookIntake];

/** What the scheduler needs besides: sending money back, and telling providers of void payments. */
export const paymentSchedulerProviders: Provider[] = [RefundBooking, Refunding, RefundJob, VoidJob];
