import { Global, Module } from '@nestjs/common';
import { LeaderLock } from './leader-lock.js';

@Global()
@Module({ providers: [LeaderLock], exports: [LeaderLock] })
export class LockModule {}
