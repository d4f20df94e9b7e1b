import { Injectable } from '@nestjs/common';
import type { ProcessRole } from '../../config/index.js';
import { LifeSigns } from '../../infra/health/index.js';
import type { Finding } from '../finding.js';

/** Whether some process can do the work of a role. */
@Injectable()
export class Roles {
  constructor(private readonly signs: LifeSigns) {}

  async alive(role: Exclude<ProcessRole, 'api'>): Promise<Finding> {
    const alive = await this.signs.count(role);
    if (alive === 0) return { status: 'failed', message: `No process has said lately that it can do the work of a ${role}: start one, or look into its log.`, figures: { alive } };
    return { status: 'ok', message: alive === 1 ? `A ${role} is at work.` : `${alive} ${role}s are at work.`, figures: { alive } };
  }
}
