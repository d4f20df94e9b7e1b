import { Inject, Injectable } from '@nestjs/common';
import { PAYMENT_PROVIDER_LIST, type PaymentProvider } from './payment-provider.js';

const NAME = /^[a-z0-9_-]{1,24}$/;

/** Finds payment providers by name. */
@Injectable()
export class PaymentRegistry {
  private readonly byName: ReadonlyMap<string, PaymentProvider>;

  /** @throws Error on a name that is taken twice or does not fit its column */
  constructor(@Inject(PAYMENT_PROVIDER_LIST) private readonly providers: readonly PaymentProvider[]) {
    for (const { name } of providers) if (!NAME.test(name)) throw new Error(`"${name}" can't be the name of a payment provider`);
    this.byName = new Map(providers.map((provider) => [provider.name, provider]));
    if (this.byName.size !== providers.length) throw new Error('two payment providers have the same name');
  }

  /** The provider of that name, or undefined. */
  find(name: string): PaymentProvider | undefined {
    return this.byName.get(name);
  }

  /** The provider used where the shopper names none. */
  get default(): PaymentProvider {
    const [first] = this.providers;
    if (!first) throw new Error('no payment provider is registered');
    return first;
  }
}
