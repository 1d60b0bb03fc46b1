// onnxruntime_session.js MODEL: seconds to create a session without and with graph optimisation, as JSON. The difference is
// what ONNX Runtime spends on rewriting.
const runtime = require(process.cwd() + '/node_modules/onnxruntime-node');

async function seconds(model, level) {
  const options = { graphOptimizationLevel: level, intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 };
  const start = process.hrtime.bigint();
  const session = await runtime.InferenceSession.create(model, options);
  const spent = Number(process.hrtime.bigint() - start) * 1e-9;
  await session.release();
  return spent;
}

(async () => {
  const model = process.argv[2];
  await seconds(model, 'disabled');  // the first session pays for starting
  console.log(JSON.stringify({ disabled: await seconds(model, 'disabled'), all: await seconds(model, 'all') }));
})();
