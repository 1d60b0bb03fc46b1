#!/bin/sh
# Runs onnxruntime.mjs, or with `pairs` equiv_pairs.py on what ONNX Runtime makes of the models; installs its package into the build
# folder first. Exit 77: not run, and why.
#   onnxruntime.sh VOUCH ROOT FOLDER [pairs [MODEL…]]
set -u
vouch=$1 root=$2 folder=$3
models=$root/../shared/data/models
not_run() {
  echo "not run: $1"
  exit 77
}
[ -d "$models" ] || not_run "the models are not there, expected in $models"
command -v node >/dev/null || not_run "node is not there"
command -v npm >/dev/null || not_run "npm is not there"
mkdir -p "$folder" && cd "$folder" || exit 1
if [ ! -d node_modules/onnxruntime-node ]; then
  [ -f package.json ] || echo '{"private": true}' >package.json
  timeout 300 npm install --ignore-scripts --no-audit --no-fund onnxruntime-node@1.30 >npm.log 2>&1 ||
    not_run "npm cannot install onnxruntime-node 1.30: $(tail -n 1 npm.log)"
fi
[ -f node_modules/onnxruntime-node/package.json ] || not_run "onnxruntime-node is not there"
if [ "${4:-}" = pairs ]; then
  node "$root/tests/peer/pairs.mjs" "$models" "$folder" "$folder/pairs" || exit 1
  shift 4
  exec python3 "$root/tests/peer/equiv_pairs.py" "$vouch" "$root" "$folder/pairs" "$@"
fi
exec node "$root/tests/peer/onnxruntime.mjs" "$vouch" "$root/rules" "$models" "$folder" "$folder/models"
