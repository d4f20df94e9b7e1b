import { textsOf } from '../../shared/language';
import { en } from './en';
import type { Texts } from './texts';
import { zh } from './zh';

/** The shop's texts in the language that is set. */
export const texts = textsOf<Texts>({ en, zh });
