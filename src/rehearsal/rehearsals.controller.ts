import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, OperatorOnly } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { RehearsalDto, RehearsalsDto, rehearsalView } from './dto/rehearsal.answers.js';
import { StartRehearsalDto } from './dto/rehearsal.requests.js';
import { RehearsalRunner } from './rehearsal.runner.js';
import { Rehearsals } from './rehearsals.js';

@ApiTags('admin')
@OperatorOnly()
@AnswersInTime()
@Controller('admin/rehearsals')
export class RehearsalsController {
  constructor(
    private readonly rehearsals: Rehearsals,
    private readonly runner: RehearsalRunner,
  ) {}

  @Post()
  @HttpCode(202)
  @ApiOperation({ summary: 'Sends shoppers that do not exist through a sale that nobody else sees, on the running service; ask for it to follow it' })
  @ApiAcceptedResponse({ type: RehearsalDto })
  @ApiProblems('VALIDATION_FAILED', 'REHEARSAL_RUNNING')
  async start(@Body() plan: StartRehearsalDto): Promise<RehearsalDto> {
    const { id } = await this.runner.start(plan);
    return rehearsalView(await this.rehearsals.get(id));
  }

  @Get()
  @ApiOperation({ summary: 'The newest 20 rehearsals, newest first' })
  @ApiOkResponse({ type: RehearsalsDto })
  async list(): Promise<RehearsalsDto> {
    return { rehearsals: (await this.rehearsals.newest()).map(rehearsalView) };
  }

  @Get(':rehearsalId')
  @ApiOperation({ summary: 'How far a rehearsal has come, about a second ago, or what it has shown' })
  @ApiOkResponse({ type: RehearsalDto })
  @ApiProblems('REHEARSAL_NOT_FOUND')
  async show(@Param('rehearsalId') rehearsalId: string): Promise<RehearsalDto> {
    return rehearsalView(await this.rehearsals.get(rehearsalId));
  }
}
