import { ApiProperty } from '@nestjs/swagger';
import { AuthenticatedUser } from '../authenticated-user.js';

export class SessionDto {
  @ApiProperty({ type: AuthenticatedUser })
  user!: AuthenticatedUser;

  @ApiProperty({ description: 'Goes into `Authorization: Bearer <token>`' })
  token!: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt!: string;
}
