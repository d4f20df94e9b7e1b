export { Accounts } from './accounts.js';
export { ApiProblems, Problem } from './api-problems.js';
export { AuthApiModule, AuthModule } from './auth.module.js';
export { AuthenticatedUser, USER_ROLES, type UserRole } from './authenticated-user.js';
export { Authenticated, CurrentToken, CurrentUser, OperatorOnly } from './decorators.js';
export { User } from './entities/user.entity.js';
export { Sessions, type Session } from './sessions.js';
export { requesterOf } from './signed-in.js';
export { TEST_SHOPPER_PASSWORD, TestShoppers, type ShopperToken, type TestShoppersOptions } from './test-shoppers.js';
