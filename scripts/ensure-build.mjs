/** `node scripts/ensure-build.mjs`: builds unless the build is that of the sources as they are; the web pages take types from it. */
import { ensureBuild } from './lib/build.mjs';
import { linesTo, runMain } from './lib/console.mjs';

await runMain(async () => {
  await ensureBuild(linesTo(process.stderr));
  return 0;
});
