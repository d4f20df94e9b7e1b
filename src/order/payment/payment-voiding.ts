import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RedisClock } from '../../infra/clock/index.js';
import { reasonOf } from '../../infra/errors.js';
import { within } from '../../infra/within.js';
import { PaymentRegistry } from './payment-registry.js';
import type { Payment } from './payment.js';
import { dueVoids, markTold, putOffVoid, voidPendingPayments } from './payment-voiding.statements.js';

/** A payment that was pending when its order closed. */
export type VoidedPayment = Payment & { status: 'cancelled' };

/** How long a provider may take to hear that a payment is void: while a shopper waits for it, and when nobody does. */
const [TELL_TIMEOUT_MS, PATIENT_TIMEOUT_MS] = [3000, 15_000];
/** When many orders expire together, the rest is told by the job: providers limit how often they are called. */
const AT_ONCE = 50;

/**
 * Ends the open payments of orders that close, in our books and at the provider. That the provider is to be told is written by the
 * transaction that voids the payment, and stands until it was told.
 */
@Injectable()
export class PaymentVoiding {
  private readonly logger = new Logger('Payment');

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: RedisClock,
    private readonly registry: PaymentRegistry,
  ) {}

  /** In the transaction that closes the orders: their pending payments become `cancelled`. */
  async voidPending(manager: EntityManager, orderIds: string[], nowMs: number): Promise<VoidedPayment[]> {
    const payments = await voidPendingPayments(manager, orderIds, nowMs);
    return payments.map((payment) => ({ ...payment, status: 'cancelled' }));
  }

  /**
   * After the commit: asks the providers to drop them. Never throws and never waits long: who was not told now is told later by
   * `tellDue`. A success that comes anyway buys the units again or goes back.
   */
  async tellProviders(payments: VoidedPayment[]): Promise<void> {
    await this.tellAll(payments.slice(0, AT_ONCE), TELL_TIMEOUT_MS);
  }

  /** Tells the providers what they have not heard yet; answers how many payments are through. Never throws: what fails is tried again, later each time. */
  async tellDue(): Promise<number> {
    const due = await dueVoids(this.dataSource, this.clock.nowMs(), AT_ONCE);
    // First, so that a provider that does not answer is not asked by everyone at once.
    await putOffVoid(this.dataSource, due.map(({ id }) => id), this.clock.nowMs());
    return this.tellAll(due, PATIENT_TIMEOUT_MS);
  }

  private async tellAll(payments: Payment[], timeoutMs: number): Promise<number> {
    const told = await Promise.all(payments.map(async (payment) => ((await this.tell(payment, timeoutMs)) ? [payment.id] : [])));
    const ids = told.flat();
    try {
      await markTold(this.dataSource, ids);
    } catch (error) {
      // They are told once more, which changes nothing.
      this.logger.warn({ payments: ids.length, reason: reasonOf(error), msg: 'not noted that providers were told' });
    }
    return ids.length;
  }

  private async tell(payment: Payment, timeoutMs: number): Promise<boolean> {
    try {
      const provider = this.registry.find(payment.provider);
      if (!provider) throw new Error(`there is no provider ${payment.provider} any more`);
      await within(timeoutMs, provider.cancel(payment), () => new Error('no answer in time'));
      return true;
    } catch (error) {
      this.logger.warn({ paymentId: payment.id, provider: payment.provider, reason: reasonOf(error), msg: 'provider not told that a payment is void' });
      return false;
    }
  }
}
