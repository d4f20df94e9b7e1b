import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { REHEARSAL_PHASES, REHEARSAL_STATES, type Rehearsal, type RehearsalPhase, type RehearsalState } from '../entities/rehearsal.entity.js';
import type { Percentiles, RehearsalReport } from '../rehearsal-report.js';

export class PercentilesDto implements Percentiles {
  @ApiProperty() p50!: number;
  @ApiProperty() p99!: number;
}

export class RehearsalReportDto implements RehearsalReport {
  @ApiProperty({ description: 'Whether every token was in exactly one place' }) proofOk!: boolean;
  @ApiProperty({ type: 'integer', description: 'Tokens that were not' }) oddTokens!: number;
  @ApiProperty({ description: 'From the first join to the end of the proof' }) seconds!: number;
  @ApiProperty({ type: 'integer', description: 'Joins that were answered' }) joins!: number;
  @ApiProperty() joinsPerSecond!: number;
  @ApiProperty() ordersPerSecond!: number;
  @ApiProperty({ type: PercentilesDto, description: 'Milliseconds from a join to its answer' }) joinMs!: PercentilesDto;
  @ApiProperty({ type: PercentilesDto, description: 'Milliseconds from a join until the shopper, who looks as often as told, knows what became of it' })
  decidedMs!: PercentilesDto;
  @ApiProperty({ type: 'integer', description: 'Orders that were made' }) sold!: number;
  @ApiProperty({ type: 'integer', description: 'Shoppers who were told that all is sold' }) soldOut!: number;
  @ApiProperty({ type: 'integer', description: 'Orders paid with the sandbox; 0 where it is not allowed' }) paid!: number;
  @ApiProperty({ type: 'integer' }) cancelled!: number;
}

export class RehearsalDto {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: REHEARSAL_STATES }) state!: RehearsalState;
  @ApiProperty({ enum: REHEARSAL_PHASES }) phase!: RehearsalPhase;
  @ApiProperty({ type: 'integer' }) shoppers!: number;
  @ApiProperty({ type: 'integer' }) stock!: number;
  @ApiProperty({ format: 'date-time' }) startedAt!: string;
  @ApiPropertyOptional({ format: 'date-time', description: 'When it was over and everything cleaned up' }) finishedAt?: string;
  @ApiProperty({ type: 'integer', description: 'Shoppers whose join was answered' }) joined!: number;
  @ApiProperty({ type: 'integer', description: 'Shoppers who know what became of them' }) decided!: number;
  @ApiProperty({ type: 'integer', description: 'Orders paid' }) paid!: number;
  @ApiPropertyOptional({ description: 'Why it failed' }) reason?: string;
  @ApiPropertyOptional({ type: RehearsalReportDto, description: 'Absent while it runs, and where it broke off' }) report?: RehearsalReportDto;
}

export class RehearsalsDto {
  @ApiProperty({ type: [RehearsalDto] }) rehearsals!: RehearsalDto[];
}

/** A rehearsal in the form the API shows. */
export function rehearsalView({ id, state, phase, shoppers, stock, joined, decided, paid, startedAt, finishedAt, reason, report }: Rehearsal): RehearsalDto {
  return {
    id, state, phase, shoppers, stock, joined, decided, paid,
    startedAt: startedAt.toISOString(),
    ...(finishedAt !== null && { finishedAt: finishedAt.toISOString() }),
    ...(reason !== null && { reason }),
    // Written by this service alone, as one.
    ...(report !== null && { report: JSON.parse(report) as RehearsalReportDto }),
  };
}
