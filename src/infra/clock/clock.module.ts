import { Global, Module } from '@nestjs/common';
import { RedisClock } from './redis-clock.js';

@Global()
@Module({ providers: [RedisClock], exports: [RedisClock] })
export class ClockModule {}
