import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { MayBeAbsent } from './fields.js';

class AuditOperatorDto {
  @ApiProperty({ example: '1' })
  id!: string;

  @ApiProperty()
  username!: string;
}

/** One change of a sale. */
export class AuditEntryDto {
  @ApiProperty({ example: '17' })
  id!: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiPropertyOptional({ type: AuditOperatorDto, description: 'Absent: the command line' })
  operator?: AuditOperatorDto;

  @ApiProperty({ example: 'pause' })
  action!: string;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'What was changed, as it was before' })
  before!: Record<string, unknown>;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The same, as it is since' })
  after!: Record<string, unknown>;
}

export class AuditDto {
  @ApiProperty({ type: [AuditEntryDto], description: 'Newest first' })
  changes!: AuditEntryDto[];

  @ApiPropertyOptional({ description: 'Where the next page begins; absent on the last one' })
  nextCursor?: string;
}

export class ReadAuditDto {
  @ApiPropertyOptional({ description: '`nextCursor` of the page before' })
  @Matches(/^[1-9]\d{0,18}$/, { message: 'cursor must be one that a page gave' })
  @MayBeAbsent()
  cursor?: string;
}
