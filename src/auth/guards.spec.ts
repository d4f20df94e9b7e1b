import 'reflect-metadata';
import type { ExecutionContext } from '@nestjs/common';
import type { AuthenticatedUser } from './authenticated-user.js';
import { OperatorGuard, SessionGuard } from './guards.js';
import type { Sessions } from './sessions.js';
import { recall } from './signed-in.js';

const shopper: AuthenticatedUser = { id: '1', username: 'ada', role: 'shopper' };
const operator: AuthenticatedUser = { id: '2', username: 'grace', role: 'operator' };
const sessions = { find: (token: string) => Promise.resolve({ s: shopper, o: operator }[token] ?? null) } as unknown as Sessions;

function request(authorization?: string) {
  const headers = { headers: authorization === undefined ? {} : { authorization } };
  const context = { switchToHttp: () => ({ getRequest: () => headers }) } as unknown as ExecutionContext;
  return { context, signedIn: () => recall(headers as never) };
}

describe('SessionGuard', () => {
  const guard = new SessionGuard(sessions);

  it('lets a session in and remembers whose it is', async () => {
    const { context, signedIn } = request('bearer s');
    expect(await guard.canActivate(context)).toBe(true);
    expect(signedIn()).toEqual({ user: shopper, token: 's' });
  });

  it.each([undefined, '', 's', 'Bearer', 'Bearer ', 'Basic s', 'Bearer s s', 'Bearer unknown'])('keeps %p out', async (authorization) => {
    const { context, signedIn } = request(authorization);
    await expect(guard.canActivate(context)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(signedIn).toThrow();
  });
});

describe('OperatorGuard', () => {
  const guard = new OperatorGuard(sessions);

  it('lets operators in, tells shoppers apart from strangers', async () => {
    expect(await guard.canActivate(request('Bearer o').context)).toBe(true);
    await expect(guard.canActivate(request('Bearer s').context)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(guard.canActivate(request().context)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
