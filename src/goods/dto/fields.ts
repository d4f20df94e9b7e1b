import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsString, Length, Matches, Max, MaxLength, Min, ValidateBy, ValidateIf } from 'class-validator';

/**
 * Largest price that is taken, in minor units. Lua's cjson writes numbers with 14 digits, and the dearest order (10 lines of 1,000 units)
 * must come through it exactly: 10 x 1,000 x 9,999,999,999 has 14.
 */
export const MAX_MINOR = 9_999_999_999;

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
const FIRST_MS = Date.UTC(1970, 0, 1);
const LAST_MS = Date.UTC(9990, 0, 1);

/** May be left out. Unlike class-validator's `@IsOptional()`, `null` is not the same as left out. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** A title of 1 to 200 characters, without space around it. */
export function Title(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ minLength: 1, maxLength: 200 }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value)),
    IsString(),
    Length(1, 200),
    Matches(/^[^\p{Cc}\p{Cs}]*$/u, { message: '$property must not have control characters or halves of characters' }),
  );
}

/** An amount of money in minor units. */
export function AmountMinor(): PropertyDecorator {
  return applyDecorators(ApiProperty({ type: 'integer', minimum: 0, maximum: MAX_MINOR, example: 1999 }), IsInt(), Min(0), Max(MAX_MINOR));
}

/** A whole number; only a JSON number will do. */
export function WholeNumber(minimum: number, maximum: number): PropertyDecorator {
  return applyDecorators(ApiProperty({ type: 'integer', minimum, maximum }), IsInt(), Min(minimum), Max(maximum));
}

/** The same, with what it is when left out. */
export function OptionalNumber(minimum: number, maximum: number, description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum, maximum, description }),
    MayBeAbsent(),
    IsInt(),
    Min(minimum),
    Max(maximum),
  );
}

/** An ISO 4217 code. */
export function Currency(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ pattern: '^[A-Z]{3}$', example: 'EUR' }),
    IsString(),
    Matches(/^[A-Z]{3}$/, { message: '$property must be a currency code of three upper-case letters' }),
  );
}

/** A moment as ISO 8601 text with an offset, on a day that exists. */
export function Instant(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ format: 'date-time', example: '2026-11-11T14:00:00Z' }),
    ValidateBy({
      name: 'isInstant',
      validator: { validate: isInstant, defaultMessage: () => '$property must be a moment in ISO 8601 with an offset, like 2026-11-11T14:00:00Z' },
    }),
  );
}

/** An absolute http(s) address. */
export function HttpUrl(): PropertyDecorator {
  return applyDecorators(
    ValidateBy({ name: 'isHttpUrl', validator: { validate: isHttpUrl, defaultMessage: () => '$property must be an http or https address' } }),
    MaxLength(2000),
  );
}

function isInstant(value: unknown): boolean {
  const parts = typeof value === 'string' ? INSTANT.exec(value) : null;
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const daysOfMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const ms = Date.parse(parts[0]);
  return day <= daysOfMonth && ms >= FIRST_MS && ms < LAST_MS;
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/[^\s\\]+$/i.test(value) && URL.canParse(value);
}
