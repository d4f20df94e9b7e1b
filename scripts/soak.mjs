/** `npm run soak -- --minutes 10`: sale after sale under random kills; the figures are printed at the end. */
import { parseArgs } from 'node:util';
import { fail } from './lib/console.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) fail('--minutes must be a positive number');
process.env.SOAK_MINUTES = String(minutes);
process.argv.splice(2, Infinity, '-c', 'jest.faults.config.mjs', 'soak.spec');
await import('./test.mjs');
