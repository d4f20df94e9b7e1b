/** `node scripts/with-packages.mjs <npm script> [arguments]`: one of npm's scripts that needs the packages, which may not be there yet. */
import { linesTo, runMain } from './lib/console.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { requireNode } from './lib/project.mjs';
import { npmCommand, outliveCommands, run } from './lib/run.mjs';

await runMain(async () => {
  requireNode();
  outliveCommands();
  await ensurePackages(linesTo(process.stderr));
  const [script, ...args] = process.argv.slice(2);
  return script ? run(...npmCommand(['run', '--silent', script, '--', ...args])) : 0;
});
