// onnxruntime_inference.js MODEL IO: a session with all optimisations on one thread. For each line of standard input, a number of
// runs: a line with the least milliseconds that one of them took.
const readline = require('readline');
const runtime = require(process.cwd() + '/node_modules/onnxruntime-node');
const inputs = require('./onnxruntime_feeds.js');

(async () => {
  const options = { graphOptimizationLevel: 'all', intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 };
  const session = await runtime.InferenceSession.create(process.argv[2], options);
  const feeds = inputs(runtime, process.argv[3]);
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
