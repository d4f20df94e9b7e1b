import { ApiProperty } from '@nestjs/swagger';
import { CHECKS, FINDING_STATUSES, type CheckName, type Finding } from './finding.js';

export class ReadinessCheckView implements Finding {
  @ApiProperty({ enum: CHECKS }) name!: CheckName;
  @ApiProperty({ enum: FINDING_STATUSES }) status!: Finding['status'];
  @ApiProperty({ description: 'What was found, and what to do about it; for people' }) message!: string;
  @ApiProperty({ type: 'object', additionalProperties: { oneOf: [{ type: 'number' }, { type: 'string' }] } }) figures!: Finding['figures'];
}

/** Whether all is ready for a sale to open. */
export class ReadinessView {
  @ApiProperty() saleId!: string;
  @ApiProperty({ description: 'No check has failed' }) ready!: boolean;
  @ApiProperty({ format: 'date-time' }) checkedAt!: string;
  @ApiProperty({ type: [ReadinessCheckView] }) checks!: ReadinessCheckView[];
}
