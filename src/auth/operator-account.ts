import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Settings } from '../config/index.js';
import { Accounts } from './accounts.js';

/** Sees to it, before the first request, that the operator named in the settings can sign in. */
@Injectable()
export class OperatorAccount implements OnApplicationBootstrap {
  constructor(
    private readonly accounts: Accounts,
    private readonly settings: Settings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.accounts.ensureOperator(this.settings.OPERATOR_USERNAME, this.settings.OPERATOR_PASSWORD);
  }
}
