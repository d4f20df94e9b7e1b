import type { Client } from 'openapi-fetch';
import type { Schemas } from '../shared/api';
import { api } from './console';

/*
 * The calls that the OpenAPI document of this build does not have yet. Once it has them, their types come from `Schemas`, the calls go to
 * `api`, and this file is deleted.
 */

export type ItemStats = Schemas['ItemStatsView'] & { title: string; claimed: number; held: number; paid: number; returning: number; withdrawn: number };
export type Stats = Omit<Schemas['StatsView'], 'items'> & { serverTime: string; refusals: Record<string, number>; waitMs?: { p50: number; p99: number }; items: ItemStats[] };

export interface SamplePoint { at: string; joins: number; refused: number; decided: number; ordered: number; paid: number; waiting: number; standby: number }
export interface Series { saleId: string; everyMs: number; points: SamplePoint[] }

export interface ReadinessCheck { name: string; status: 'ok' | 'warning' | 'failed'; message: string; figures: Record<string, number | string> }
export interface Readiness { saleId: string; ready: boolean; checkedAt: string; checks: ReadinessCheck[] }

interface Percentiles { p50: number; p99: number }
export interface RehearsalReport {
  proofOk: boolean; oddTokens: number; seconds: number; joins: number; joinsPerSecond: number; ordersPerSecond: number;
  joinMs: Percentiles; decidedMs: Percentiles; sold: number; soldOut: number; paid: number; cancelled: number;
}
export interface Rehearsal {
  id: string; state: 'running' | 'passed' | 'failed'; phase: 'preparing' | 'joining' | 'deciding' | 'paying' | 'proving' | 'cleaning' | 'done';
  shoppers: number; stock: number; startedAt: string; finishedAt?: string; joined: number; decided: number; paid: number; reason?: string; report?: RehearsalReport;
}

interface Answer<Status extends number, Body> { responses: Record<Status, { headers: Record<string, unknown>; content: { 'application/json': Body } }> }
interface OfSale { parameters: { path: { saleId: string } } }
interface NewPaths {
  '/api/admin/sales/{saleId}/stats': { get: OfSale & Answer<200, Stats> };
  '/api/admin/sales/{saleId}/series': { get: { parameters: { path: { saleId: string }; query?: { since?: string } } } & Answer<200, Series> };
  '/api/admin/sales/{saleId}/readiness': { get: OfSale & Answer<200, Readiness> };
  '/api/admin/rehearsals': {
    get: Answer<200, { rehearsals: Rehearsal[] }>;
    post: { requestBody: { content: { 'application/json': { shoppers: number; stock: number } } } } & Answer<202, Rehearsal>;
  };
  '/api/admin/rehearsals/{id}': { get: { parameters: { path: { id: string } } } & Answer<200, Rehearsal> };
  '/api/admin/queues/session': { post: { responses: { 204: { headers: Record<string, unknown>; content?: never } } } };
}

export const newApi = api as unknown as Client<NewPaths>;
