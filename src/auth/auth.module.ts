import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Accounts } from './accounts.js';
import { AuthController } from './auth.controller.js';
import { ClosedSessions } from './closed-sessions.js';
import { User } from './entities/user.entity.js';
import { OperatorAccount } from './operator-account.js';
import { Passwords } from './passwords.js';
import { RecentSessions } from './recent-sessions.js';
import { Sessions } from './sessions.js';
import { SignIn } from './sign-in.js';
import { TestShoppers } from './test-shoppers.js';

/** Accounts and sessions, without HTTP. Global, so that `@Authenticated()` works in every module. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([User])],
  providers: [Accounts, Passwords, Sessions, TestShoppers],
  exports: [Accounts, Sessions, TestShoppers],
})
export class AuthModule {}

/** Sign-in over HTTP, for the api role; makes sure at start that the operator of the settings exists. */
@Module({
  imports: [AuthModule],
  controllers: [AuthController],
  providers: [SignIn, OperatorAccount, ClosedSessions, RecentSessions],
  exports: [ClosedSessions, RecentSessions],
})
export class AuthApiModule {}
