// onnxruntime_session.js MODEL: seconds of CPU time to create a session without and with graph optimisation, a line of each.
// The difference is what ONNX Runtime spends on rewriting.
const runtime = require(process.cwd() + '/node_modules/onnxruntime-node');

async function seconds(model, level) {
  const options = { graphOptimizationLevel: level, intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 };
  const start = process.cpuUsage();
  const session = await runtime.InferenceSession.create(model, options);
  const spent = process.cpuUsage(start);
  await session.release();
  return (spent.user + spent.system) * 1e-6;
}

(async () => {
  const model = process.argv[2];
  console.log(await seconds(model, 'disabled'));
  console.log(await seconds(model, 'all'));
})();
