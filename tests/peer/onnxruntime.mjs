// ONNX Runtime runs what `vouch optimize` writes: the outputs must be the references that lie beside each model.
//   node onnxruntime.mjs VOUCH RULES MODELS PACKAGES OUT
// PACKAGES: the folder with node_modules/onnxruntime-node; OUT: where the written models go. Each model is written twice:
// as it was read, and rewritten by the rules. Exit 1 if a number differs or a model is refused.
import {execFileSync} from "node:child_process";
import {existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join, resolve} from "node:path";

const [vouch, rules, models, packages, out] = process.argv.slice(2);
const ort = createRequire(join(resolve(packages), "package.json"))("onnxruntime-node");

const arrays = {
  float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array, int8: Int8Array,
  uint8: Uint8Array, bool: Uint8Array,
};
// The reference of this model is coarser than the others' (tests/CMakeLists.txt says why).
const tolerances = {yunet_320: 2e-2};

function read_tensors(folder, prefix) {
  const tensors = [];
  for (const file of readdirSync(folder).filter((f) => f.startsWith(prefix) && f.endsWith(".json")).sort()) {
    const {name, type, dims} = JSON.parse(readFileSync(join(folder, file), "utf8"));
    const bytes = readFileSync(join(folder, file.replace(/\.json$/, `.${type}.bin`)));
    const copy = new Uint8Array(bytes).buffer;  // aligned for every element type
    tensors.push({name, type, dims, data: new arrays[type](copy)});
  }
  return tensors;
}

// The largest |a - b| relative to max|b|; infinite for other shapes and for what is not finite on one side only.
function difference(a, b) {
  if (a.dims.join() !== b.dims.join() || a.data.length !== b.data.length) {
    return Infinity;
  }
  let largest = 0;
  let magnitude = 0;
  for (let k = 0; k < b.data.length; ++k) {
    const [x, y] = [Number(a.data[k]), Number(b.data[k])];
    if (Object.is(x, y) || x === y) {
      magnitude = Number.isFinite(y) ? Math.max(magnitude, Math.abs(y)) : magnitude;
      continue;
    }
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      return Infinity;
    }
    largest = Math.max(largest, Math.abs(x - y));
    magnitude = Math.max(magnitude, Math.abs(y));
  }
  return largest === 0 ? 0 : largest / magnitude;
}

async function worst_difference(path, folder) {
  const session = await ort.InferenceSession.create(path, {graphOptimizationLevel: "disabled", logSeverityLevel: 3});
  const feeds = {};
  for (const {name, type, data, dims} of read_tensors(folder, "in_")) {
    feeds[name] = new ort.Tensor(type, data, dims);
  }
  const results = await session.run(feeds);
  const references = read_tensors(folder, "out_");
  let worst = references.length === 0 ? Infinity : 0;
  for (const reference of references) {
    const result = results[reference.name];
    worst = Math.max(worst, result ? difference(result, reference) : Infinity);
  }
  return worst;
}

mkdirSync(out, {recursive: true});
const nothing = join(out, "none.gsl");
writeFileSync(nothing, "// no rules\n");
let failed = 0;
let done = 0;
for (const name of readdirSync(models).sort()) {
  const folder = join(models, name);
  if (!existsSync(join(folder, "io"))) {
    continue;
  }
  for (const [kind, set] of [["as read", nothing], ["rewritten", rules]]) {
    const path = join(out, `${name}${kind === "rewritten" ? ".rewritten" : ""}.onnx`);
    const limit = tolerances[name] ?? 1e-4;
    let verdict;
    try {
      execFileSync(vouch, ["optimize", join(folder, "model.onnx"), "--rules", set, "--allow-unproven", "-o", path]);
      const worst = await worst_difference(path, join(folder, "io"));
      verdict = worst <= limit ? `ok      ${worst.toExponential(2)}` : `DIFFERS ${worst.toExponential(2)}, allowed ${limit}`;
    } catch (error) {
      verdict = `FAILED  ${String(error.message).split("\n").slice(0, 3).join(" ")}`;
    }
    ++done;
    failed += verdict.startsWith("ok") ? 0 : 1;
    console.log(`${name.padEnd(20)} ${kind.padEnd(10)} ${verdict}`);
  }
}
console.log(`${done} models run by onnxruntime-node ${ort.env?.versions?.node ?? ""}, ${failed} failed`);
process.exit(failed || !done ? 1 : 0);
