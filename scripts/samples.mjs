// `node scripts/samples.mjs ROOT WORKSPACE` (a Node that reads TypeScript, 22.18 or newer): writes the bundled sample sessions
// below ROOT; those of "this workspace" name WORKSPACE as the directory they ran in.
import { writeSampleSessions } from '../test/support/samples.ts';

const [root, workspace] = process.argv.slice(2);
if (root === undefined || workspace === undefined) {
  console.error('usage: node scripts/samples.mjs ROOT WORKSPACE');
  process.exit(2);
}
await writeSampleSessions(root, workspace);
console.log(`sample sessions are in ${root}`);
