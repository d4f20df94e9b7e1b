import { saleKeys } from '../../src/goods/sale-keys.js';
import type { Answering, Lab } from '../lab.js';
import { inRounds, measured, type Duel, type Sample } from '../measure.js';
import type { BenchSale } from '../operator.js';
import { joinRequest, pollRequest, shared } from '../requests.js';
import { until } from '../wait.js';

export interface RoutesPlan {
  rounds: number;
  connections: number;
  /** Requests a round and contestant; a multiple of `connections`. */
  amount: number;
}

export const pidsOf = (lab: Lab, { process }: Answering): { tested: number; redis: number } => ({ tested: process.pid, redis: lab.redisPid });

/** Joins of distinct shoppers into a new sale. Nobody drains it: each of them must stand in its line afterwards. */
export async function joinRound(lab: Lab, at: Answering, plan: Omit<RoutesPlan, 'rounds'>): Promise<Sample & { sale: BenchSale }> {
  const sale = await lab.sale({ stock: plan.amount });
  const sample = await joinAll(lab, at, sale, plan);
  await proveJoins(lab, sale, plan.amount);
  return { ...sample, sale };
}

/** The joins alone, of the first shoppers of the token file. */
export function joinAll(lab: Lab, at: Answering, sale: BenchSale, { connections, amount }: Omit<RoutesPlan, 'rounds'>): Promise<Sample> {
  const requestsOf = shared(lab.tokens.slice(0, amount), connections, (token) => joinRequest(sale, token));
  return measured(pidsOf(lab, at), { base: at.base, connections, amount, requestsOf }, 202);
}

/** @throws Error unless each of so many joins has a ticket and a place in the sale's line */
export async function proveJoins(lab: Lab, sale: BenchSale, amount: number): Promise<void> {
  const proof = await lab.operator.proof(sale);
  const shard = { saleId: sale.id, shard: 0 };
  const [waiting, tickets] = [await lab.redis.llen(saleKeys.queue(shard)), await lab.redis.hlen(saleKeys.status(shard))];
  if (!proof.ok || waiting !== amount || tickets !== amount) throw new Error(`${amount} joins were accepted, ${waiting} stand in line with ${tickets} tickets, proof ${proof.ok}`);
}

/** The join, beside floor (a). */
export async function compareJoins(lab: Lab, plan: RoutesPlan): Promise<Duel> {
  await lab.needShoppers(plan.amount);
  return inRounds(plan.rounds, { service: () => joinRound(lab, lab.api, plan), floor: () => joinRound(lab, lab.floor, plan) });
}

/** Refusals of a sale that is sold out, beside floor (d), which is sent the same requests. */
export async function compareRefusals(lab: Lab, plan: RoutesPlan): Promise<Duel> {
  const sale = await soldOutSale(lab, plan);
  const duel = await inRounds(plan.rounds, { service: refusals(lab, sale, plan, lab.api, 410), floor: refusals(lab, sale, plan, lab.floor, 200, '/constant') });
  await proveSoldOut(lab, sale);
  return duel;
}

/** How long joins and refusals take at most, beside floor (a). */
export async function compareLatencies(lab: Lab, plan: RoutesPlan): Promise<Duel> {
  const sale = await soldOutSale(lab, plan);
  const duel = await inRounds(plan.rounds, { join: () => joinRound(lab, lab.api, plan), refusal: refusals(lab, sale, plan, lab.api, 410), floor: () => joinRound(lab, lab.floor, plan) });
  await proveSoldOut(lab, sale);
  return duel;
}

/** Sends joins of shoppers who come too late. */
export function refusals(lab: Lab, sale: BenchSale, plan: Omit<RoutesPlan, 'rounds'>, at: Answering, expected: number, path?: string): () => Promise<Sample> {
  const requestsOf = shared(lab.tokens.slice(1, plan.amount + 1), plan.connections, (token) => joinRequest(sale, token, path));
  return () => measured(pidsOf(lab, at), { ...plan, base: at.base, requestsOf }, expected);
}

/** @throws Error unless the one unit is where it should be */
export async function proveSoldOut(lab: Lab, sale: BenchSale): Promise<void> {
  const proof = await lab.operator.proof(sale);
  if (!proof.ok || proof.inList !== 0) throw new Error('the sale that is sold out has lost a unit');
}

/** A sale whose only unit is reserved, by the first of the shoppers. */
export async function soldOutSale(lab: Lab, { amount }: Pick<RoutesPlan, 'amount'>): Promise<BenchSale> {
  await lab.needShoppers(amount + 1);
  const sale = await lab.sale({ stock: 1, mode: 'instant' });
  const status = await joinOnce(lab, sale, lab.tokens[0] ?? '');
  if (status !== 202) throw new Error(`the last unit was not sold: ${status}`);
  await until('the sale to be sold out', async () => (await lab.redis.exists(saleKeys.stock({ saleId: sale.id, shard: 0 }, sale.itemId))) === 0);
  return sale;
}

/** Polls of a ticket in line, beside a bare route with one HMGET. */
export async function comparePolls(lab: Lab, plan: RoutesPlan): Promise<Duel> {
  await lab.needShoppers(plan.amount);
  const { sale } = await joinRound(lab, lab.api, plan);
  return inRounds(plan.rounds, { service: looks(lab, sale, plan, lab.api), floor: looks(lab, sale, plan, lab.floor) });
}

/** One join of one shopper. Answers its status. */
export async function joinOnce(lab: Lab, sale: BenchSale, token: string): Promise<number> {
  const { method = '', path = '', headers, body } = joinRequest(sale, token);
  return (await fetch(`${lab.api.base}${path}`, { method, headers: headers as Record<string, string>, body: String(body) })).status;
}

/** Looks of shoppers at their tickets. */
export function looks(lab: Lab, sale: BenchSale, plan: Omit<RoutesPlan, 'rounds'>, at: Answering): () => Promise<Sample> {
  const requestsOf = shared(lab.tokens.slice(0, plan.amount), plan.connections, (token) => pollRequest(sale, token));
  return () => measured(pidsOf(lab, at), { ...plan, base: at.base, requestsOf }, 200);
}
