import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { within } from '../../infra/within.js';
import { PaymentRegistry } from './payment-registry.js';
import type { Payment } from './payment.js';
import { voidPendingPayments } from './payment.statements.js';

/** A payment that was pending when its order closed. */
export type VoidedPayment = Payment & { status: 'cancelled' };

/** How long a provider may take to hear that a payment is void. */
const TELL_TIMEOUT_MS = 3000;

/** Ends the open payments of orders that close, in our books and at the provider. */
@Injectable()
export class PaymentVoiding {
  private readonly logger = new Logger('Payment');

  constructor(private readonly registry: PaymentRegistry) {}

  /** In the transaction that closes the orders: their pending payments become `cancelled`. */
  async voidPending(manager: EntityManager, orderIds: string[], nowMs: number): Promise<VoidedPayment[]> {
    const payments = await voidPendingPayments(manager, orderIds, nowMs);
    return payments.map((payment) => ({ ...payment, status: 'cancelled' }));
  }

  /** After the commit: asks the providers to drop them. Never throws and never waits long; a success that comes anyway becomes `refund_due`. */
  async tellProviders(payments: VoidedPayment[]): Promise<void> {
    await Promise.all(payments.map((payment) => this.tell(payment)));
  }

  private async tell(payment: VoidedPayment): Promise<void> {
    try {
      const told = this.registry.find(payment.provider)?.cancel(payment) ?? Promise.resolve();
      await within(TELL_TIMEOUT_MS, told, () => new Error('no answer in time'));
    } catch (error) {
      this.logger.warn({ paymentId: payment.id, provider: payment.provider, reason: String(error), msg: 'provider not told that a payment is void' });
    }
  }
}
