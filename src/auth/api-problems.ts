import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ERROR_STATUS, type ErrorCode } from '../infra/errors.js';

/** The `application/problem+json` document (RFC 9457), as OpenAPI shows it. */
export class Problem {
  @ApiProperty({ example: 'about:blank' })
  type!: string;

  @ApiProperty({ description: 'The status in words' })
  title!: string;

  @ApiProperty()
  status!: number;

  @ApiProperty({ enum: Object.keys(ERROR_STATUS), enumName: 'ErrorCode' })
  code!: ErrorCode;

  @ApiProperty({ description: 'What went wrong, for people' })
  detail!: string;

  @ApiProperty()
  requestId!: string;
}

/** Documents the refusals of a route: one answer per status, naming its codes. */
export function ApiProblems(...codes: ErrorCode[]): ClassDecorator & MethodDecorator {
  const statuses = [...new Set(codes.map((code) => ERROR_STATUS[code]))];
  return applyDecorators(ApiExtraModels(Problem), ...statuses.map((status) => problemAnswer(status, codes)));
}

function problemAnswer(status: number, codes: ErrorCode[]): ClassDecorator & MethodDecorator {
  return ApiResponse({
    status,
    description: codes.filter((code) => ERROR_STATUS[code] === status).join(', '),
    content: { 'application/problem+json': { schema: { $ref: getSchemaPath(Problem) } } },
  });
}
