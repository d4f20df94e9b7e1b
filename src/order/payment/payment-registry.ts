import { Inject, Injectable } from '@nestjs/common';
import { Settings } from '../../config/index.js';
import { PAYMENT_PROVIDER_LIST, type PaymentProvider } from './payment-provider.js';

const NAME = /^[a-z0-9_-]{1,24}$/;

/** Finds payment providers by name. */
@Injectable()
export class PaymentRegistry {
  private readonly byName: ReadonlyMap<string, PaymentProvider>;

  /** @throws Error on a name that is taken twice or does not fit its column */
  constructor(
    @Inject(PAYMENT_PROVIDER_LIST) providers: readonly PaymentProvider[],
    private readonly settings: Settings,
  ) {
    for (const { name } of providers) if (!NAME.test(name)) throw new Error(`"${name}" can't be the name of a payment provider`);
    this.byName = new Map(providers.map((provider) => [provider.name, provider]));
    if (this.byName.size !== providers.length) throw new Error('two payment providers have the same name');
  }

  /** The provider of that name, or undefined. One that shoppers can't choose any more still has its refunds and its word to give. */
  find(name: string): PaymentProvider | undefined {
    return this.byName.get(name);
  }

  /** The names that shoppers may choose from, the default one first. */
  get choices(): string[] {
    return this.settings.waysToPay.filter((name) => this.byName.has(name));
  }

  /** The provider that a shopper chooses, or the one for who names none; undefined where there is no such way to pay. */
  choose(name: string | null | undefined): PaymentProvider | undefined {
    const { waysToPay } = this.settings;
    const chosen = name ?? waysToPay[0];
    return chosen !== undefined && waysToPay.includes(chosen) ? this.find(chosen) : undefined;
  }
}
