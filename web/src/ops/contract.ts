import type { Client } from 'openapi-fetch';
import { api } from './console';

/*
 * The calls that the OpenAPI document of this build does not have yet. Once it has them, their types come from `Schemas`, the calls go to
 * `api`, and this file is deleted.
 */

export interface ReadinessCheck { name: string; status: 'ok' | 'warning' | 'failed'; message: string; figures: Record<string, number | string> }
export interface Readiness { saleId: string; ready: boolean; checkedAt: string; checks: ReadinessCheck[] }

interface NewPaths {
  '/api/admin/sales/{saleId}/readiness': {
    get: { parameters: { path: { saleId: string } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': Readiness } } } };
  };
  '/api/admin/queues/session': { post: { responses: { 204: { headers: Record<string, unknown>; content?: never } } } };
}

export const newApi = api as unknown as Client<NewPaths>;
