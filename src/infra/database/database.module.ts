import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Settings } from '../../config/index.js';
import { openPool } from './connection-pool.js';
import { databaseOptions } from './database.options.js';

/** The one MySQL/MariaDB connection pool of the process. Tables come from migrations only. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Settings],
      useFactory: (settings: Settings) => ({ ...databaseOptions(settings.DATABASE_URL), autoLoadEntities: true, retryAttempts: 5, retryDelay: 1000 }),
      dataSourceFactory: openPool,
    }),
  ],
})
export class DatabaseModule {}
