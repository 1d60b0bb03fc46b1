// Processor seconds that ONNX Runtime takes for each model: to read, optimise (basic level) and write it, and to run it once with
// one thread. The least of several.
//   node onnxruntime_models.mjs PACKAGES MODELS OUT [NAME...]: of these models alone.
import {existsSync, mkdirSync, readdirSync} from "node:fs";
import {createRequire} from "node:module";
import {join, resolve} from "node:path";
import feeds from "./onnxruntime_feeds.js";

const [packages, models, out, ...names] = process.argv.slice(2);
const ort = createRequire(join(resolve(packages), "package.json"))("onnxruntime-node");

async function least(times, what) {
  let best = Infinity;
  for (let k = 0; k < times; ++k) {
    const before = process.cpuUsage();
    await what();
    const {user, system} = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6);
  }
  return best;
}

mkdirSync(out, {recursive: true});
const told = {};
const asked = names.length ? names : readdirSync(models).filter((n) => existsSync(join(models, n, "model.onnx"))).sort();
for (const name of asked) {
  const path = join(models, name, "model.onnx");
  const options = {intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 4};
  try {
    const written = join(out, `${name}.onnx`);
    const optimise = await least(5, () => ort.InferenceSession.create(path, {
      ...options, graphOptimizationLevel: "basic", optimizedModelFilePath: written}));
    const session = await ort.InferenceSession.create(path, {...options, graphOptimizationLevel: "all"});
    const given = feeds(ort, join(models, name, "io"));
    told[name] = {optimise, run: await least(5, () => session.run(given))};
  } catch (error) {
    told[name] = {error: String(error.message).slice(0, 200)};
  }
}
console.log(JSON.stringify(told));
