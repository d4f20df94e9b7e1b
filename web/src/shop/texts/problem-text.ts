import type { Facts, Texts, ToldCode } from './texts';

interface Refusal {
  code: string;
  extra: Record<string, unknown>;
}

/** A refusal as a plain sentence. @param titles those of the items it may be about, by id */
export function problemText({ code, extra }: Refusal, problems: Texts['problems'], titles: ReadonlyMap<string, string> = new Map()): string {
  const facts: Facts = {
    item: typeof extra.itemId === 'string' ? titles.get(extra.itemId) : undefined,
    limit: typeof extra.limitPerUser === 'number' ? extra.limitPerUser : undefined,
    remaining: typeof extra.remaining === 'number' ? extra.remaining : undefined,
  };
  return problems[isTold(code, problems) ? code : 'UNKNOWN'](facts);
}

const isTold = (code: string, problems: Texts['problems']): code is ToldCode => Object.hasOwn(problems, code);
