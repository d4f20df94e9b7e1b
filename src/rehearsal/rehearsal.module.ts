import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/index.js';
import type { ProcessRole } from '../config/index.js';
import { GoodsModule } from '../goods/index.js';
import { perRoles } from '../infra/per-roles.js';
import { OrderModule } from '../order/index.js';
import { Cleaning } from './cleaning.js';
import { Rehearsal } from './entities/rehearsal.entity.js';
import { RehearsalJob } from './rehearsal.job.js';
import { RehearsalRunner } from './rehearsal.runner.js';
import { Rehearsals } from './rehearsals.js';
import { RehearsalsController } from './rehearsals.controller.js';
import { ShadowSales } from './shadow-sales.js';

/** Rehearsals: over HTTP (api), for the command line (every role), and the end of those that died (scheduler). */
@Module({})
export class RehearsalModule {
  static readonly for = perRoles((roles) => RehearsalModule.build(roles));

  private static build(roles: ProcessRole[]): DynamicModule {
    return {
      module: RehearsalModule,
      imports: [AuthModule, TypeOrmModule.forFeature([Rehearsal]), GoodsModule.for(roles), OrderModule.for(roles)],
      controllers: roles.includes('api') ? [RehearsalsController] : [],
      providers: [Rehearsals, ShadowSales, Cleaning, RehearsalRunner, ...(roles.includes('scheduler') ? [RehearsalJob] : [])],
      exports: [Rehearsals, RehearsalRunner],
    };
  }
}
