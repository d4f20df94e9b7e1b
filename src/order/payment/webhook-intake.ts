import { Injectable, Logger } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '../../infra/errors.js';
import { PaymentConfirmation } from './payment-confirmation.js';
import { PaymentRegistry } from './payment-registry.js';

/** Takes the calls of payment providers: nothing is believed before its signature was checked. */
@Injectable()
export class WebhookIntake {
  private readonly logger = new Logger('Payment');

  constructor(
    private readonly registry: PaymentRegistry,
    private readonly confirmation: PaymentConfirmation,
  ) {}

  /**
   * Books one call. Replays, late calls, and calls about other things or a payment we do not have are taken and change nothing, so that
   * the provider stops sending.
   * @throws DomainError NOT_FOUND (no such provider), INVALID_SIGNATURE
   */
  async receive(providerName: string, headers: IncomingHttpHeaders, rawBody: Buffer): Promise<{ received: true }> {
    const provider = this.registry.find(providerName);
    if (!provider) throw new DomainError('NOT_FOUND', 'There is no such payment provider.');
    const reading = provider.verifyWebhook(headers, rawBody);
    if (reading.outcome === 'rejected') {
      this.logger.warn({ provider: provider.name, reason: reading.reason, msg: 'webhook refused' });
      throw new DomainError('INVALID_SIGNATURE', 'The call is not signed by the payment provider.');
    }
    if (reading.outcome === 'ignored') this.logger.debug({ provider: provider.name, kind: reading.kind, msg: 'webhook of no interest' });
    else await this.confirmation.apply(provider.name, reading.event);
    return { received: true };
  }
}
