// feeds(ort, FOLDER): a model's inputs as a folder of `vouch run --io` has them, as tensors of ONNX Runtime by name.
const fs = require('fs');
const path = require('path');

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array, int8: Int8Array, uint8: Uint8Array,
  bool: Uint8Array,
};

module.exports = (ort, folder) => {
  const feeds = {};
  for (const file of fs.readdirSync(folder).filter((f) => f.startsWith('in_') && f.endsWith('.json'))) {
    const {name, type, dims} = JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8'));
    const bytes = fs.readFileSync(path.join(folder, file.replace(/\.json$/, `.${type}.bin`)));
    feeds[name] = new ort.Tensor(type, new ARRAYS[type](new Uint8Array(bytes).buffer), dims);
  }
  return feeds;
};
