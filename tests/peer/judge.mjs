// ONNX Runtime on pairs of models: whether each loads, and how far their outputs are apart on the same inputs.
//   node judge.mjs PACKAGES PAIRS.json
// PACKAGES: the folder with node_modules/onnxruntime-node. PAIRS: a list of {"name", "a", "b", "feeds": [{"name", "type", "dims",
// "data"}], "outputs": those that are asked for, or all, "basic": where what the basic level makes of `a` is written, or nowhere}.
// Prints a list of {"name", "a": error or null, "b": error or null, "difference": of the outputs relative to the largest of `a`, or
// null where one did not run}.
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join, resolve} from "node:path";

const [packages, pairs] = process.argv.slice(2);
const ort = createRequire(join(resolve(packages), "package.json"))("onnxruntime-node");
const arrays = {
  float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array, int8: Int8Array, uint8: Uint8Array,
  bool: Uint8Array,
};

async function run(path, feeds, outputs) {
  const session = await ort.InferenceSession.create(path, {graphOptimizationLevel: "disabled", logSeverityLevel: 4});
  const inputs = {};
  for (const {name, type, dims, data} of feeds.filter((feed) => session.inputNames.includes(feed.name))) {
    inputs[name] = new ort.Tensor(type, arrays[type].from(type === "int64" ? data.map(BigInt) : data), dims);
  }
  const wanted = outputs ?? session.outputNames;
  const results = await session.run(inputs, wanted);
  return wanted.map((name) => [name, results[name]]);
}

function difference(a, b) {
  if (a.length !== b.length) {
    return Infinity;
  }
  let worst = 0;
  a.forEach(([name, x], k) => {
    const [other, y] = b[k];
    if (name !== other || x.type !== y.type || x.dims.join() !== y.dims.join()) {
      worst = Infinity;
      return;
    }
    const largest = x.data.reduce((most, v) => Math.max(most, Number.isFinite(Number(v)) ? Math.abs(Number(v)) : 0), 0);
    x.data.forEach((v, at) => {
      const [left, right] = [Number(v), Number(y.data[at])];
      if (!Object.is(left, right) && left !== right) {
        worst = Math.max(worst, Number.isFinite(left - right) ? Math.abs(left - right) / (largest || 1) : Infinity);
      }
    });
  });
  return worst;
}

const told = [];
for (const {name, a, b, feeds, outputs, basic} of JSON.parse(readFileSync(pairs, "utf8"))) {
  const one = {name, a: null, b: null, difference: null};
  const found = {};
  for (const [side, path] of [["a", a], ["b", b]]) {
    try {
      found[side] = await run(path, feeds, outputs);
    } catch (error) {
      one[side] = String(error.message).slice(0, 300);
    }
  }
  if (found.a && basic) {
    await ort.InferenceSession.create(a, {graphOptimizationLevel: "basic", optimizedModelFilePath: basic, logSeverityLevel: 4});
  }
  if (found.a && found.b) {
    const apart = difference(found.a, found.b);
    one.difference = Number.isFinite(apart) ? apart : "infinite";
  }
  told.push(one);
}
console.log(JSON.stringify(told));
