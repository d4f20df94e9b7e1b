import { Controller, Get, Global, Injectable, Module, ServiceUnavailableException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService, HealthIndicatorService, TerminusModule, TypeOrmHealthIndicator, type HealthCheckResult, type HealthIndicatorResult } from '@nestjs/terminus';
import { isStopping } from '../http/index.js';
import { RedisConnections } from '../redis/index.js';
import { LifeSigns } from './life-signs.js';

const TIMEOUT_MS = 1000;

@Injectable()
export class RedisHealth {
  constructor(
    private readonly connections: RedisConnections,
    private readonly indicators: HealthIndicatorService,
  ) {}

  async check(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('redis');
    try {
      await this.connections.request.ping();
      return indicator.up();
    } catch (error) {
      return indicator.down({ message: error instanceof Error ? error.message : 'no answer' });
    }
  }
}

@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly redis: RedisHealth,
    private readonly http: HttpAdapterHost,
  ) {}

  /** The process runs and answers; says nothing about what it depends on. */
  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Redis and the database answer within a second, and the process is not about to stop. */
  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    if (isStopping(this.http.httpAdapter.getHttpServer() as object)) throw new ServiceUnavailableException('stopping');
    return this.health.check([() => this.redis.check(), () => this.database.pingCheck('database', { timeout: TIMEOUT_MS })]);
  }
}

@Global()
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [RedisHealth, LifeSigns],
  exports: [LifeSigns],
})
export class HealthModule {}
