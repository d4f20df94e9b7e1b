import type { ValueTransformer } from 'typeorm';

/** BIGINT arrives as a string; amounts in minor units fit a JavaScript integer and are kept as one. */
export const minorUnits: ValueTransformer = {
  to: (value: number) => value,
  from: (value: string | number) => Number(value),
};
