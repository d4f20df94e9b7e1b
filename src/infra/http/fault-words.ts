/** What class-validator says, and how it is put here; `$1` and so on are its own numbers and names. */
const REWORDED: [RegExp, string][] = [
  [/^property (.+) should not exist$/, '$1 is not a known field'],
  [/^an unknown value was passed to the validate function$/, 'the body must be a JSON object'],
  [/^each value in nested property (\S+) must be either object or array$/, 'each of $1 must be an object'],
  [/^nested property (\S+) must be either object or array$/, '$1 must be an object'],
  [/^each value in (\S+) /, 'each of $1 '],
  [/^All (.+)'s elements must be unique$/, '$1 must not name anything twice'],
  [/must be longer than or equal to 1 characters$/, 'must not be empty'],
  [/must be longer than or equal to (\d+) characters$/, 'must have at least $1 characters'],
  [/must be shorter than or equal to (\d+) characters$/, 'must have at most $1 characters'],
  [/must contain at least 1 elements$/, 'must not be empty'],
  [/must contain at least (\d+) elements$/, 'must have at least $1 entries'],
  [/must contain no more than (\d+) elements$/, 'must have at most $1 entries'],
  [/must not be less than (\S+)$/, 'must be at least $1'],
  [/must not be greater than (\S+)$/, 'must be at most $1'],
  [/must be one of the following values: (.*)$/, 'must be one of: $1'],
  [/must be an integer number$/, 'must be a whole number'],
  [/must be a boolean value$/, 'must be true or false'],
  [/should not be empty$/, 'must not be empty'],
  [/should not be equal to (\S+)$/, 'must not be $1'],
];

/** What is said of a field that nobody asked for. */
export const unknownField = (name: string): string => `${name} is not a known field`;

/** A validator's message in plain words, which name a field within others by its whole path (`items.0.quantity must be at least 1`). */
export function inPlainWords(message: string, property: string, path: string): string {
  const words = REWORDED.reduce((text, [said, put]) => text.replace(said, put), message);
  if (words.startsWith(`${property} `)) return `${path}${words.slice(property.length)}`;
  const prefix = `each of ${property} `;
  return words.startsWith(prefix) ? `each of ${path} ${words.slice(prefix.length)}` : words;
}
