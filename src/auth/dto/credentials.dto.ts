import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length, Matches, MaxLength } from 'class-validator';

/** What a new username may look like: ASCII only, so that no two names look alike but differ. */
export const USERNAME = /^[A-Za-z0-9._@-]{3,64}$/;

export class RegisterDto {
  @ApiProperty({ pattern: USERNAME.source, description: '3 to 64 letters from A to Z, digits, or . _ - @. Unique; upper and lower case count as the same', example: 'ada' })
  @Matches(USERNAME, { message: 'username must have 3 to 64 characters, each a letter from A to Z (either case), a digit, or one of . _ - @' })
  @IsString()
  username!: string;

  @ApiProperty({ minLength: 8, maxLength: 200, example: 'correct horse battery' })
  @Length(8, 200)
  @IsString()
  password!: string;
}

export class LoginDto {
  @ApiProperty({ example: 'ada' })
  @MaxLength(200)
  @IsString()
  username!: string;

  @ApiProperty({ example: 'correct horse battery' })
  @MaxLength(1000)
  @IsString()
  password!: string;
}
