import { InitialSchema1764600000000 } from './1764600000000-initial-schema.js';

/** Every migration, oldest first; one that was released is never edited. */
export const migrations = [InitialSchema1764600000000];
