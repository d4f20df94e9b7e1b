import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/index.js';
import type { ProcessRole } from '../config/index.js';
import { perRoles } from '../infra/per-roles.js';
import { AdminSalesController } from './admin-sales.controller.js';
import { Goods } from './entities/goods.entity.js';
import { SaleItem } from './entities/sale-item.entity.js';
import { Sale } from './entities/sale.entity.js';
import { GoodsCatalogue } from './goods.catalogue.js';
import { GoodsController } from './goods.controller.js';
import { PreloadJob } from './preload.job.js';
import { Preloader } from './preloader.js';
import { Remaining } from './remaining.js';
import { SaleDirectory } from './sale-directory.js';
import { SaleSteering } from './sale-steering.js';
import { SaleAudit } from './sale-audit.js';
import { SaleDesk } from './sale.desk.js';
import { SaleEditor } from './sale.editor.js';
import { SalePages } from './sale.pages.js';
import { SaleReader } from './sale.reader.js';
import { SaleRollout } from './sale.rollout.js';
import { SaleScripts } from './sale.scripts.js';
import { SaleSearch } from './sale.search.js';
import { SaleStages } from './sale.stages.js';
import { SalesController } from './sales.controller.js';

const ENTITIES = TypeOrmModule.forFeature([Goods, Sale, SaleItem]);
const SALES = [SaleReader, SaleDirectory, SaleSearch, SalePages, SaleDesk, SaleAudit, Remaining];
const CHANGES = [GoodsCatalogue, SaleEditor, SaleStages, SaleRollout];
const LOADING = [SaleScripts, Preloader, SaleSteering];

/** Catalogue, sales, and their way into Redis: over HTTP (api role), on the clock (scheduler role), and for other modules and the command line. */
@Module({})
export class GoodsModule {
  static readonly for = perRoles((roles) => GoodsModule.build(roles));

  private static build(roles: ProcessRole[]): DynamicModule {
    return {
      module: GoodsModule,
      imports: [AuthModule, ENTITIES],
      controllers: roles.includes('api') ? [SalesController, GoodsController, AdminSalesController] : [],
      providers: [...SALES, ...CHANGES, ...LOADING, ...(roles.includes('scheduler') ? [PreloadJob] : [])],
      exports: [ENTITIES, ...SALES, ...CHANGES, ...LOADING],
    };
  }
}
