#!/bin/sh
# Installs ONNX Runtime's package for node into FOLDER, whole or not at all: tests that find the folder may begin at any time.
# Exit 77: it is not there, and why.
#   packages.sh FOLDER
set -u
folder=$1
not_run() {
  echo "not run: $1"
  exit 77
}
[ ! -f "$folder/node_modules/onnxruntime-node/package.json" ] || exit 0
command -v node >/dev/null || not_run "node is not there"
command -v npm >/dev/null || not_run "npm is not there"
rm -rf "$folder/node_modules" "$folder.new"
mkdir -p "$folder" "$folder.new" || exit 1
echo '{"private": true}' | tee "$folder/package.json" >"$folder.new/package.json"
(cd "$folder.new" && timeout 300 npm install --ignore-scripts --no-audit --no-fund onnxruntime-node@1.30) >"$folder/npm.log" 2>&1 ||
  not_run "npm cannot install onnxruntime-node 1.30: $(tail -n 1 "$folder/npm.log")"
[ -f "$folder.new/node_modules/onnxruntime-node/package.json" ] || not_run "onnxruntime-node is not there"
mv "$folder.new/node_modules" "$folder/node_modules" && rm -rf "$folder.new"
