import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnswersInTime } from '../infra/http/index.js';
import { ApiProblems } from './api-problems.js';
import { AuthenticatedUser } from './authenticated-user.js';
import { Authenticated, CurrentToken, CurrentUser } from './decorators.js';
import { LoginDto, RegisterDto } from './dto/credentials.dto.js';
import { SessionDto } from './dto/session.dto.js';
import { RecentSessions } from './recent-sessions.js';
import { SignIn } from './sign-in.js';

@ApiTags('auth')
@AnswersInTime()
@Controller('auth')
export class AuthController {
  constructor(
    private readonly signIn: SignIn,
    private readonly sessions: RecentSessions,
  ) {}

  @Post('register')
  @ApiOperation({ summary: 'Creates a shopper and signs the shopper in' })
  @ApiCreatedResponse({ type: SessionDto })
  @ApiProblems('VALIDATION_FAILED', 'USERNAME_TAKEN', 'UNAVAILABLE')
  register(@Body() credentials: RegisterDto): Promise<SessionDto> {
    return this.signIn.register(credentials);
  }

  @Post('login')
  @ApiOperation({ summary: 'Signs in' })
  @HttpCode(200)
  @ApiOkResponse({ type: SessionDto })
  @ApiProblems('VALIDATION_FAILED', 'INVALID_CREDENTIALS', 'UNAVAILABLE')
  login(@Body() credentials: LoginDto): Promise<SessionDto> {
    return this.signIn.login(credentials);
  }

  @Post('logout')
  @ApiOperation({ summary: 'Ends the session of the token; other sessions of the user go on' })
  @HttpCode(204)
  @Authenticated()
  @ApiNoContentResponse()
  logout(@CurrentToken() token: string): Promise<void> {
    return this.sessions.close(token);
  }

  @Get('me')
  @ApiOperation({ summary: 'Who the token belongs to' })
  @Authenticated()
  @ApiOkResponse({ type: AuthenticatedUser })
  me(@CurrentUser() user: AuthenticatedUser): AuthenticatedUser {
    return user;
  }
}
