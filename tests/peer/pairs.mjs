// ONNX Runtime writes its optimised form of each model: pairs for `vouch equiv`.
//   node pairs.mjs MODELS PACKAGES OUT
// PACKAGES: the folder with node_modules/onnxruntime-node; OUT: gets NAME.basic.onnx and NAME.extended.onnx.
import {existsSync, mkdirSync, readdirSync} from "node:fs";
import {createRequire} from "node:module";
import {join, resolve} from "node:path";

const [models, packages, out] = process.argv.slice(2);
const ort = createRequire(join(resolve(packages), "package.json"))("onnxruntime-node");

mkdirSync(out, {recursive: true});
let failed = 0;
for (const name of readdirSync(models).sort()) {
  const model = join(models, name, "model.onnx");
  for (const level of existsSync(model) ? ["basic", "extended"] : []) {
    const path = join(out, `${name}.${level}.onnx`);
    try {
      await ort.InferenceSession.create(model, {graphOptimizationLevel: level, optimizedModelFilePath: path, logSeverityLevel: 3});
    } catch (error) {
      ++failed;
      console.log(`${name} ${level}: ${String(error.message).split("\n")[0]}`);
    }
  }
}
process.exit(failed ? 1 : 0);
