import type { CheckName, Finding } from '../../src/readiness/finding.js';
import { ok, type Shop } from '../harness/shop.js';

/** A sale's readiness as the operator is answered. */
export interface Readiness {
  ready: boolean;
  findings: Record<CheckName, Finding>;
}

export async function readinessOf(shop: Shop, { id }: { id: string }): Promise<Readiness> {
  const { ready, checks } = ok(await shop.operator.get(`/admin/sales/${id}/readiness`), 200).body;
  return { ready, findings: Object.fromEntries(checks.map(({ name, ...finding }: Finding & { name: CheckName }) => [name, finding])) as Readiness['findings'] };
}

/** What one check came to. */
export const findingOf = async (shop: Shop, sale: { id: string }, check: CheckName): Promise<Finding> => (await readinessOf(shop, sale)).findings[check];
