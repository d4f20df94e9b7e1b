import type { Contestant, Expectation } from './contestant.js';
import type { Round } from './lab.js';

/** Ratios of fewer rounds say little. */
const FEWEST_ROUNDS = 5;

/** What is wrong with a run, one line each; none when every contestant was what it has to be. */
export function faultsOf(contestants: readonly Contestant[], rounds: readonly Round[], wantedRounds: number): string[] {
  return contestants.flatMap(({ name, title, expects }) => {
    const mine = rounds.filter((round) => round.name === name);
    const few = mine.length < Math.min(FEWEST_ROUNDS, wantedRounds) ? [`${title}: the time was up after ${mine.length} rounds`] : [];
    return [...few, ...mine.flatMap(oddities), ...specificFaults(title, expects, mine)].map((fault) => (fault.startsWith(title) ? fault : `${title}: ${fault}`));
  });
}

/** Never in order, whatever a technique is known for. */
function oddities({ odd, failed }: Round): string[] {
  return [...odd, ...(failed > 0 ? [`${failed} requests failed with an error of the server`] : [])];
}

function specificFaults(title: string, expects: Expectation, rounds: readonly Round[]): string[] {
  if (expects === 'oversells' || expects === 'leaves stock') return notShown(title, expects, rounds);
  return rounds.flatMap((round) => wrongs(round, expects === 'right but slow' && round.unanswered > 0));
}

function wrongs({ oversold, left, duplicates, sold, unanswered }: Round, timeWasUp: boolean): string[] {
  const wrong: string[] = [];
  if (oversold > 0) wrong.push(`${oversold} oversold`);
  if (duplicates > 0) wrong.push(`${duplicates} bought twice`);
  if (left > 0 && !timeWasUp) wrong.push(`${left} left over, ${sold} sold, ${unanswered} requests not answered in time`);
  return wrong;
}

function notShown(title: string, expects: 'oversells' | 'leaves stock', rounds: readonly Round[]): string[] {
  const isShown = rounds.some(({ oversold, left }) => (expects === 'oversells' ? oversold : left) > 0);
  const also = expects === 'leaves stock' ? rounds.flatMap(({ oversold, duplicates }) => (oversold + duplicates > 0 ? [`${oversold} oversold, ${duplicates} bought twice`] : [])) : [];
  return isShown ? also : [...also, `${title}: the lab did not show that it ${expects}; its load is too small to prove anything about the others`];
}
