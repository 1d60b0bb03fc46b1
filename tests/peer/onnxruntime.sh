#!/bin/sh
# Runs onnxruntime.mjs, or with `pairs` equiv_pairs.py on what ONNX Runtime makes of the models; packages.sh has put its package into
# FOLDER. Exit 77: not run, and why.
#   onnxruntime.sh VOUCH ROOT FOLDER [pairs [MODEL…]]
set -u
vouch=$1 root=$2 folder=$3
models=$root/../shared/data/models
not_run() {
  echo "not run: $1"
  exit 77
}
[ -d "$models" ] || not_run "the models are not there, expected in $models"
[ -f "$folder/node_modules/onnxruntime-node/package.json" ] || not_run "onnxruntime-node is not there: peer/packages says why"
if [ "${4:-}" = pairs ]; then
  node "$root/tests/peer/pairs.mjs" "$models" "$folder" "$folder/pairs" || exit 1
  shift 4
  exec python3 "$root/tests/peer/equiv_pairs.py" "$vouch" "$root" "$folder/pairs" "$@"
fi
exec node "$root/tests/peer/onnxruntime.mjs" "$vouch" "$root/rules" "$models" "$folder" "$folder/models"
