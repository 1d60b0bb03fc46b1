// onnxruntime_inference.js MODEL IO: a session with all optimisations on one thread. For each line of standard input, a number of
// runs: a line with the least milliseconds that one of them took.
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const runtime = require(process.cwd() + '/node_modules/onnxruntime-node');

const ARRAYS = { float32: Float32Array, int64: BigInt64Array, int32: Int32Array };

function inputs(folder) {
  const feeds = {};
  for (const file of fs.readdirSync(folder).filter((f) => f.startsWith('in_') && f.endsWith('.json'))) {
    const about = JSON.parse(fs.readFileSync(path.join(folder, file)));
    const raw = fs.readFileSync(path.join(folder, file.replace(/json$/, `${about.type}.bin`)));
    const bytes = raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length);
    feeds[about.name] = new runtime.Tensor(about.type, new ARRAYS[about.type](bytes), about.dims);
  }
  return feeds;
}

(async () => {
  const options = { graphOptimizationLevel: 'all', intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 };
  const session = await runtime.InferenceSession.create(process.argv[2], options);
  const feeds = inputs(process.argv[3]);
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let least = Infinity;
    for (let k = 0; k < Number(line); ++k) {
      const start = process.hrtime.bigint();
      await session.run(feeds);
      least = Math.min(least, Number(process.hrtime.bigint() - start) * 1e-6);
    }
    console.log(least);
  }
})();
