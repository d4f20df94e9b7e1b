import { ValidationPipe, type Type, type ValidationPipeOptions } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { DomainError } from '../errors.js';
import { inPlainWords } from './fault-words.js';

/** How request bodies are checked: unknown fields are refused, and the first fault becomes the detail. */
const VALIDATION: ValidationPipeOptions = {
  whitelist: true,
  forbidNonWhitelisted: true,
  transform: true,
  stopAtFirstError: true,
  exceptionFactory: (errors: ValidationError[]) => {
    const faults = errors.flatMap((error) => faultsOf(error));
    return new DomainError('VALIDATION_FAILED', faults[0]?.message ?? 'The request is not valid.', { errors: faults });
  },
};

export const validation = new ValidationPipe(VALIDATION);

/** A body as the validation of every route takes it. @throws DomainError VALIDATION_FAILED */
export async function validated<T>(metatype: Type<T>, body: unknown): Promise<T> {
  return (await validation.transform(body, { type: 'body', metatype })) as T;
}

/** Flattens nested validation errors to `{field: 'items.0.stock', message}`. */
function faultsOf(error: ValidationError, path = ''): { field: string; message: string }[] {
  const field = path === '' ? error.property : `${path}.${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((message) => ({ field, message: inPlainWords(message, error.property, field) }));
  return [...own, ...(error.children ?? []).flatMap((child) => faultsOf(child, field))];
}
