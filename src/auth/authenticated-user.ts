import { ApiProperty } from '@nestjs/swagger';

export const USER_ROLES = ['shopper', 'operator'] as const;
export type UserRole = (typeof USER_ROLES)[number];

/** Who makes a request: what the session says, and all that the rest of the service knows of a user. */
export class AuthenticatedUser {
  @ApiProperty({ example: '42' })
  id!: string;

  @ApiProperty({ example: 'ada' })
  username!: string;

  @ApiProperty({ enum: USER_ROLES })
  role!: UserRole;
}

const ID = /^[1-9]\d*$/;

/** Reads a user from a session's JSON; null for anything that is not one. */
export function parseUser(json: string): AuthenticatedUser | null {
  const value = parseJson(json);
  if (typeof value !== 'object' || value === null) return null;
  const { id, username, role } = value as Record<string, unknown>;
  const known = USER_ROLES.find((name) => name === role);
  if (typeof id !== 'string' || !ID.test(id) || typeof username !== 'string' || username === '' || !known) return null;
  return { id, username, role: known };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
