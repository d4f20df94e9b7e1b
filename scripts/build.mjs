/** `npm run build`: builds the service and the web pages, unless the build is that of the sources as they are. */
import { ensureBuild } from './lib/build.mjs';
import { linesTo, runMain } from './lib/console.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { requireNode } from './lib/project.mjs';
import { outliveCommands } from './lib/run.mjs';

const lines = linesTo(process.stderr);

await runMain(async () => {
  requireNode();
  outliveCommands();
  await ensurePackages(lines);
  await ensureBuild(lines);
  return 0;
});
