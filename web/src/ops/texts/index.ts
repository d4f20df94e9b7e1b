import type { Problem } from '../../shared/api';
import { textsOf } from '../../shared/language';
import { en } from './en';
import { zh } from './zh';

/** The texts of the console in the language that is set. */
export const texts = textsOf({ en, zh });

/** What is said about a refusal: the console's own words for its code where it has some, else the API's. */
export const problemText = ({ code, detail }: Problem): string => (texts.value.problems[code] ?? detail) || code;
