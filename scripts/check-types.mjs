// Compiles each part of the repository against exactly the globals it may use.
import { bins, run } from './lib/run.mjs';

const projects = ['tsconfig.pure.json', 'tsconfig.node.json', 'tsconfig.webview.json', 'tsconfig.test.json'];
const pending = [...projects];
let failed = false;

async function worker() {
  for (let project = pending.shift(); project !== undefined; project = pending.shift()) {
    const { code, output } = await run(process.execPath, [bins.tsc, '-p', project, '--pretty', 'false']);
    // A folder that has no file yet is the only forgivable error: TS18003 "No inputs were found".
    const empty = output.includes('error TS18003');
    if (code !== 0 && !empty) {
      failed = true;
      console.log(output.trimEnd());
    }
    console.log(`${project}: ${code === 0 ? 'ok' : empty ? 'no files' : 'FAILED'}`);
  }
}
await Promise.all([worker(), worker()]);
process.exitCode = failed ? 1 : 0;
