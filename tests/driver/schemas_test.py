"""What the commands write as JSON is what the schemas in docs/schemas say, and a schema refuses what is not."""
import copy
import json
import pathlib
import re
import struct
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
mnist = root / "tests" / "models" / "mnist"
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name in ("integer", "number"):
        return not isinstance(value, bool) and isinstance(value, int if name == "integer" else (int, float))
    return isinstance(value, TYPES[name])


def faults(value, schema, at="$"):
    """JSON Schema 2020-12, the words that our schemas use; any other word is a fault of the schema."""
    known = {"$schema", "title", "type", "properties", "required", "additionalProperties", "items", "enum", "const"}
    yield from (f"{at}: the schema says '{word}'" for word in schema.keys() - known)
    kinds = schema.get("type", [])
    if kinds and not any(is_type(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        yield f"{at}: expected {kinds}, found {json.dumps(value)[:80]}"
        return
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {json.dumps(value)[:80]} is not among those allowed"
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        yield from (f"{at}: '{name}' is missing" for name in schema.get("required", []) if name not in value)
        for name, inner in value.items():
            others = schema.get("additionalProperties", True)
            if name in properties:
                yield from faults(inner, properties[name], f"{at}.{name}")
            elif others is False:
                yield f"{at}: '{name}' is not in the schema"
            elif isinstance(others, dict):
                yield from faults(inner, others, f"{at}.{name}")
    if isinstance(value, list) and "items" in schema:
        for k, item in enumerate(value):
            yield from faults(item, schema["items"], f"{at}[{k}]")


def holds(name, found, what):
    schema = json.loads((root / "docs" / "schemas" / f"{name}.json").read_text())
    wrong = list(faults(found, schema))
    checks.that(not wrong, f"{what}: {wrong[:5]}")
    for member in schema["required"]:
        less = copy.deepcopy(found)
        del less[member]
        checks.that(list(faults(less, schema)), f"{name}.json holds without '{member}'")


def written(*words):
    code, out, errors = vouch(*words, "--json", "-", seconds=300)
    checks.that(code in (0, 1, 2, 3), f"{words}: {code} {errors}")
    return json.loads(out)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "broken.gsl").write_text("rule broken { let x = *; source Relo(x); target x; }\n")
    for rules in (root / "rules" / "unsound" / "gsl.gsl", root / "rules" / "gsl" / "compositions.gsl", folder / "broken.gsl"):
        holds("check", written("check", rules), f"check {rules.name}")
    code, _, errors = vouch("optimize", mnist / "model.onnx", "-o", folder / "small.onnx")
    checks.that(code == 0, f"optimize: {errors}")
    holds("diff", written("diff", mnist / "model.onnx", folder / "small.onnx"), "diff")
    code, _, errors = vouch("refute", root / "rules" / "unsound" / "gsl.gsl", "--save", folder / "saved")
    for path in (folder / "saved").glob("*.json"):
        holds("counterexample", json.loads(path.read_text()), path.name)
    checks.that(len(list((folder / "saved").glob("*.json"))) >= 5, f"refute --save: {errors}")
    holds("run", written("run", mnist / "model.onnx", "--io", mnist / "io"), "run")
    holds("draw", written("draw", mnist / "model.onnx", "-o", folder / "model.svg"), "draw MODEL")
    holds("draw", written("draw", mnist / "model.onnx", "--match", "conv_add_bias", "--rules", root / "rules", "-o", folder / "matches.svg"), "draw --match")
    holds("draw", written("draw", "mul_one", "-o", folder / "rule.svg"), "draw RULE")
    holds("optimize", written("optimize", mnist / "model.onnx", "--rules", root / "rules", "--io", mnist / "io"), "optimize")
    holds("why-not", written("why-not", "conv_batch_norm", mnist / "model.onnx", "--rules", root / "rules"), "why-not")
    (folder / "other.json").write_text(json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [2]}],
                                                   "nodes": [{"name": "y", "op": "Relu", "operands": ["x"]}], "outputs": [{"name": "y", "value": "y"}]}))
    (folder / "x.json").write_text(json.dumps({"name": "x", "type": "float32", "dims": [2]}))
    (folder / "x.float32.bin").write_bytes(struct.pack("<2f", 0.5, -6))
    holds("run-exact", written("run", folder / "other.json", "--exact", "--input", f"x={folder / 'x.json'}"), "run --exact")
    (folder / "another.json").write_text((folder / "other.json").read_text().replace("Relu", "Neg"))
    for a, b in ((mnist / "model.onnx", folder / "small.onnx"), (folder / "other.json", folder / "another.json"), (folder / "other.json", mnist / "model.onnx")):
        holds("equiv", written("equiv", a, b), f"equiv {a.name} {b.name}")
    vouch("compile", root / "kernels" / "vector" / "dot.fun", "-o", folder / "compiled")
    vouch("check", root / "rules" / "elementwise.gsl", "--rule", "mul_one", "--coq", folder / "theorems")
    holds("build", written("build", mnist / "model.onnx", "-o", folder / "library"), "build")
    holds("build", json.loads((folder / "library" / "manifest.json").read_text()), "the manifest of a library")
    (folder / "sized.json").write_text(json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": ["n", 40]}],
                                                   "nodes": [{"name": "y", "op": "Softmax", "operands": ["x"], "attributes": {"axis": 1}}],
                                                   "outputs": [{"name": "y", "value": "y"}]}))
    holds("build", written("build", folder / "sized.json", "-o", folder / "sized", "--size", "n=2,4", "--lanes", "--reorder", "--targets", "generic,avx2",
                           "--no-alloc", "--embed"), "build with every option")
    for name in ("compiled", "theorems", "library", "sized", "nowhere"):
        holds("verify", written("verify", folder / name), f"verify {name}")
    holds("tune", written("tune", root / "kernels" / "index" / "conv_tiled.tk", "--seconds", "0", "-o", folder / "tuned.sched"), "tune")
    (folder / "shift.tk").write_text("Y<n>[i] = X<n>[i + 1];\n")
    (folder / "broken.tk").write_text("Y<n>[i] = X<n>[i + ];\n")
    for kernel in ("shift.tk", "broken.tk"):
        holds("show", written("show", folder / kernel), f"show {kernel}")
    holds("rules", written("rules", root / "rules" / "elementwise.gsl"), "rules")
page = (root / "docs" / "json.md").read_text()
commands = re.findall(r"^  ([a-z-]+) {2,}", vouch("--help")[1], re.M)
with_json = [command for command in commands if "--json" in vouch(command, "--help")[1]]
checks.that(len(with_json) >= 11, f"commands with --json: {with_json}")
for command in with_json:
    checks.that(f"| `vouch {command}`" in page, f"docs/json.md names no schema of {command}")
for schema in (root / "docs" / "schemas").glob("*.json"):
    first, version = next(iter(json.loads(schema.read_text())["properties"].items()))
    checks.that("const" in version, f"{schema.name}: its first member, '{first}', is no version")
    checks.that(f"schemas/{schema.name}" in page, f"docs/json.md does not name {schema.name}")
checks.end()
