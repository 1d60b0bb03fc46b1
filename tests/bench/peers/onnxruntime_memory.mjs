// onnxruntime_memory.mjs PACKAGES MODEL IO: how many bytes a process takes for a session (all optimisations, one thread) and three runs
// of it, beyond what it has once ONNX Runtime is loaded: the largest resident set since then, less that of then.
import fs from 'fs';
import path from 'path';
import { createRequire } from 'module';
import inputs from './onnxruntime_feeds.js';

const runtime = createRequire(path.resolve(process.argv[2], 'package.json'))('onnxruntime-node');

function kilobytes(what) {
  return Number(fs.readFileSync('/proc/self/status', 'utf8').match(new RegExp(`${what}:\\s*(\\d+)`))[1]);
}

const feeds = inputs(runtime, process.argv[4]);
fs.writeFileSync('/proc/self/clear_refs', '5'); // the peak begins anew
const before = kilobytes('VmRSS');
const options = { graphOptimizationLevel: 'all', intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 };
const session = await runtime.InferenceSession.create(process.argv[3], options);
for (let k = 0; k < 3; ++k) await session.run(feeds);
console.log(1024 * (kilobytes('VmHWM') - before));
