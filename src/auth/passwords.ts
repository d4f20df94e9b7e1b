import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';

/**
 * argon2id (the library's default variant) at the least cost that OWASP advises: 19 MiB, two passes, one lane.
 * @see https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes and checks passwords, off the event loop. */
@Injectable()
export class Passwords {
  /** A hash nobody knows the password of: what an unknown user's try is checked against, so that it takes as long as a wrong password. */
  private readonly nobodys = this.hash(randomBytes(32).toString('base64url'));

  hash(password: string): Promise<string> {
    return hash(password, COST);
  }

  /** Whether the password is the one of `passwordHash`; without a hash, false after the same time. */
  async matches(passwordHash: string | undefined, password: string): Promise<boolean> {
    const matches = await verify(passwordHash ?? (await this.nobodys), password);
    return matches && passwordHash !== undefined;
  }
}
