import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsBoolean, IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Length, Max, Min, NotEquals, ValidateNested } from 'class-validator';
import { DomainError } from '../errors.js';
import { validated } from './validation.js';

class Line {
  @IsOptional() @Max(10) @Min(1) @IsInt()
  quantity?: number;
}

class Form {
  @IsOptional() @Length(3, 5) @IsString()
  name?: string;

  @IsOptional() @IsNotEmpty()
  note?: string;

  @IsOptional() @NotEquals(0)
  delta?: number;

  @IsOptional() @IsBoolean()
  flag?: boolean;

  @IsOptional() @IsIn(['one', 'two'], { each: true }) @ArrayUnique() @ArrayMaxSize(2) @ArrayMinSize(1) @IsArray()
  kinds?: string[];

  @IsOptional() @ValidateNested({ each: true }) @Type(() => Line)
  lines?: Line[];
}

async function faultOf(body: unknown): Promise<DomainError> {
  try {
    await validated(Form, body);
  } catch (error) {
    if (error instanceof DomainError) return error;
  }
  throw new Error('nothing was refused');
}

describe('the faults of a body', () => {
  it.each<[body: unknown, detail: string]>([
    [{ extra: 1 }, 'extra is not a known field'],
    [{ name: 'ab' }, 'name must have at least 3 characters'],
    [{ name: 'abcdef' }, 'name must have at most 5 characters'],
    [{ name: 1 }, 'name must be a string'],
    [{ note: '' }, 'note must not be empty'],
    [{ delta: 0 }, 'delta must not be 0'],
    [{ flag: 'yes' }, 'flag must be true or false'],
    [{ kinds: [] }, 'kinds must not be empty'],
    [{ kinds: ['one', 'two', 'one'] }, 'kinds must have at most 2 entries'],
    [{ kinds: ['one', 'one'] }, 'kinds must not name anything twice'],
    [{ kinds: ['three'] }, 'each of kinds must be one of: one, two'],
    [{ lines: [{ quantity: 1 }, { quantity: 0 }] }, 'lines.1.quantity must be at least 1'],
    [{ lines: [{ quantity: 11 }] }, 'lines.0.quantity must be at most 10'],
    [{ lines: [{ quantity: 1.5 }] }, 'lines.0.quantity must be a whole number'],
    [{ lines: [{ extra: 1 }] }, 'lines.0.extra is not a known field'],
    [{ lines: [1] }, 'each of lines must be an object'],
  ])('%j reads: %s', async (body, detail) => {
    expect((await faultOf(body)).message).toBe(detail);
  });

  it('name the field by its path', async () => {
    expect((await faultOf({ lines: [{ quantity: 0 }] })).extra).toEqual({ errors: [{ field: 'lines.0.quantity', message: 'lines.0.quantity must be at least 1' }] });
  });
});
