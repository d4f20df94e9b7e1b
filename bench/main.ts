import { Lab } from './lab.js';
import { compareJoins, comparePolls, compareRefusals } from './sections/routes.js';
import { ratioOf, type Duel } from './measure.js';
const only = process.argv[2]?.split(',') ?? ['join','refusal','poll'];
const prof = process.env.PROF;
const lab = await Lab.open(prof ? ['--cpu-prof', '--cpu-prof-dir', prof] : []);
const plan = { rounds: Number(process.env.ROUNDS ?? 5), connections: 100, amount: Number(process.env.AMOUNT ?? 10000) };
const t0 = Date.now();
const show = (name: string, duel: Duel): void => {
  for (const [who, f] of Object.entries(duel.figures)) console.log(name, who, Object.entries(f).map(([k, s]) => `${k} ${s.median.toFixed(1)} (${s.min.toFixed(1)}-${s.max.toFixed(1)})`).join('  '));
  for (const k of ['cpuUs', 'perSecond', 'p99Ms'] as const) { const r = ratioOf(duel, 'service', 'floor', (s) => s[k]); console.log('  ratio', k, r.median.toFixed(3), r.min.toFixed(3), r.max.toFixed(3)); }
  console.log((Date.now() - t0) / 1000);
};
try {
  if (only.includes('join')) show('join', await compareJoins(lab, plan));
  if (only.includes('refusal')) show('refusal', await compareRefusals(lab, plan));
  if (only.includes('poll')) show('poll', await comparePolls(lab, plan));
} finally { await lab.close(); }
