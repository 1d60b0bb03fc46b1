"""Hostile files: exit 3 with a message that names the file, nothing written, no crash, no hang, no memory for a lie."""
import os
import pathlib
import random
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())


def refused(path, *expected, command="optimize"):
    """Exit 3 with a message that names the file (a missing file of weights by its own name)."""
    out = folder / "out.onnx"
    arguments = [path, "--rules", root / "rules", "--allow-unproven", "-o", out] if command == "optimize" else [path]
    code, _, errors = vouch(command, *arguments)
    checks.that(code == 3, f"{path.name}: exit {code}: {errors[:300]}")
    for text in (path.name.removesuffix(".onnx"),) + expected:
        checks.that(text in errors, f"{path.name}: no '{text}' in: {errors[:400]}")
    checks.that(not out.exists(), f"{path.name}: a model was written")


def model(name, nodes, inputs, outputs=("y",), initializers=(), opset=13):
    def info(entry):
        return helper.make_tensor_value_info(entry[0], entry[2] if len(entry) > 2 else TensorProto.FLOAT, entry[1])

    graph = helper.make_graph(nodes, "g", [info(i) for i in inputs], [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outputs],
                              initializer=list(initializers))
    path = folder / (name + ".onnx")
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]).SerializeToString())
    return path


def ints(name, values):
    return helper.make_tensor(name, TensorProto.INT64, [len(values)], values)


relu = helper.make_node("Relu", ["x"], ["y"])
refused(model("unknown_opset", [relu], [("x", [2])], opset=99), "99")
refused(model("missing_operand", [helper.make_node("Add", ["x", "nowhere"], ["y"])], [("x", [2])]), "nowhere")
refused(model("cycle", [helper.make_node("Add", ["x", "b"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
                        helper.make_node("Relu", ["b"], ["y"])], [("x", [2])]), "cycl")
refused(model("mistyped_attribute", [helper.make_node("Concat", ["x", "x"], ["y"], axis="one")], [("x", [2])]), "axis")
refused(model("no_broadcast", [helper.make_node("Add", ["x", "z"], ["y"])], [("x", [2, 3]), ("z", [4])]), "broadcast")
refused(model("reshape_overflow", [helper.make_node("Reshape", ["x", "s"], ["y"])], [("x", [4])], initializers=[ints("s", [2 ** 40, 2 ** 40])]))
refused(model("same_name_twice", [relu, helper.make_node("Relu", ["x"], ["y"])], [("x", [2])]), "y")

# A gigabyte that is only claimed.
lie = helper.make_tensor("w", TensorProto.FLOAT, [1], [1.0])
lie.dims[:] = [10 ** 9]
refused(model("claimed_size", [helper.make_node("Add", ["x", "w"], ["y"])], [("x", [1])], initializers=[lie]), "w")
escape = helper.make_tensor("w", TensorProto.FLOAT, [1], [1.0])
escape.ClearField("float_data")
escape.data_location = TensorProto.EXTERNAL
os.mkfifo(folder / "pipe")
for location, name in (("../../../../etc/passwd", "outside"), ("/etc/passwd", "outside"), ("nowhere.bin", "nowhere"), ("pipe", "pipe")):
    del escape.external_data[:]
    entry = escape.external_data.add()
    entry.key, entry.value = "location", location
    refused(model(name, [helper.make_node("Add", ["x", "w"], ["y"])], [("x", [1])], initializers=[escape]))

# Large but honest: a chain of 100,000 calls, an input of 10^9 elements that nothing evaluates.
chain = [helper.make_node("Neg" if k % 2 else "Sigmoid", [f"v{k}" if k else "x"], [f"v{k + 1}"]) for k in range(100000)]
deep = model("deep_chain", chain, [("x", [2])], outputs=["v100000"])
code, _, errors = vouch("optimize", deep, "--rules", root / "rules", "--allow-unproven", "-o", folder / "deep_out.onnx")
checks.that(code == 0 and (folder / "deep_out.onnx").exists(), f"a chain of 100,000 calls: exit {code}: {errors[:300]}")
wide = model("wide", [relu], [("x", [10 ** 9])])
code, _, errors = vouch("optimize", wide, "--rules", root / "rules", "--allow-unproven", "-o", folder / "wide_out.onnx")
checks.that(code == 0, f"an input of 10^9 elements: exit {code}: {errors[:300]}")

inner = helper.make_graph([helper.make_node("Relu", ["x"], ["r"])], "i", [], [helper.make_tensor_value_info("r", TensorProto.FLOAT, [2])])
for _ in range(60):
    inner = helper.make_graph([helper.make_node("If", ["c"], ["r"], then_branch=inner, else_branch=inner)] if _ < 12 else
                              [helper.make_node("If", ["c"], ["r"], then_branch=inner)], "i", [],
                              [helper.make_tensor_value_info("r", TensorProto.FLOAT, [2])])
    if len(inner.SerializeToString()) > 2_000_000:
        break
nested = model("nested", [helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)], [("x", [2]), ("c", [], TensorProto.BOOL)])
code, _, errors = vouch("optimize", nested, "--rules", root / "rules", "--allow-unproven", "-o", folder / "nested.out.onnx")
checks.that(code in (0, 3), f"nested branches: exit {code}")

# Truncated and damaged models, seeded.
good = (root / "tests" / "models" / "mnist" / "model.onnx").read_bytes()
for length in [0, 1, 7, 100, 1000, len(good) // 2, len(good) - 1]:
    path = folder / "truncated.onnx"
    path.write_bytes(good[:length])
    refused(path)
generator = random.Random(20261121)
for seed in range(60):
    damaged = bytearray(good)
    for _ in range(generator.randint(1, 20)):
        damaged[generator.randrange(min(len(damaged), 4000))] = generator.randrange(256)
    path = folder / f"damaged_{seed}.onnx"
    path.write_bytes(damaged)
    code, _, errors = vouch("optimize", path, "--rules", root / "rules", "--allow-unproven", "-o", folder / "damaged_out.onnx")
    checks.that(code in (0, 3), f"damaged model, seed {seed}: exit {code}: {errors[:200]}")
    checks.that(code == 0 or "damaged_" in errors, f"damaged model, seed {seed}: the file is not named: {errors[:200]}")


def text(name, content):
    path = folder / name
    path.write_text(content)
    return path


mnist = root / "tests" / "models" / "mnist" / "model.onnx"


def rule_refused(path, *expected):
    code, _, errors = vouch("optimize", mnist, "--rules", path, "--allow-unproven")
    checks.that(code == 3, f"{path.name}: exit {code}: {errors[:300]}")
    for part in (path.name,) + expected:
        checks.that(part in errors, f"{path.name}: no '{part}' in: {errors[:300]}")


rule_refused(text("deep.gsl", "rule deep { let x = *; source " + "(" * 100000 + "x" + ")" * 100000 + "; target x; }"))
rule_refused(text("deep_attr.gsl", "rule deep { let x = *; where " + "(" * 100000 + "1" + ")" * 100000 + "; source x + x; target x; }"))
rule_refused(text("bytes.gsl", "rule \x01\x02 {{{{"))
rule_refused(text("open.gsl", "rule open { let x = *; source x + "))
rule_refused(folder / "nowhere.gsl")
long_rule = "rule long_chain { let v0 = *; " + "".join(f"let v{k + 1} = Relu(v{k}); " for k in range(10000)) + "source v10000; target Relu(v0); }"
code, _, errors = vouch("optimize", mnist, "--rules", text("long.gsl", long_rule), "--allow-unproven")
checks.that(code == 0, f"a rule of 10,000 nodes: exit {code}: {errors[:300]}")

# Kernels whose terms are walked by recursion.
DEEP = {"signs": "r<n>[i] = " + "-" * 100000 + "a<n>[i];", "brackets": "r<n>[i] = " + "(" * 100000 + "a<n>[i]" + ")" * 100000 + ";",
        "comparisons": "r<n>[i] = select(" + " && ".join(f"a<n>[i] < {k}" for k in range(20000)) + ", a[i], 0);",
        "calls": "r<n>[i] = " + "abs(" * 100000 + "a<n>[i]" + ")" * 100000 + ";", "sums": "r<n>[i] = a<n>[i]" + " + a[i]" * 100000 + ";"}
for what, statement in DEEP.items():
    code, _, errors = vouch("compile", text(f"{what}.tk", f"size n;\n{statement}\n"), "-o", folder / what)
    checks.that(code == 3 and f"{what}.tk:2:" in errors, f"a kernel of many {what}: exit {code}: {errors[:200]}")
code, _, errors = vouch("compile", text("some.tk", "size n;\nr<n>[i] = " + "-" * 799 + "a<n>[i];\n"), "-o", folder / "some")
checks.that(code == 0, f"a kernel of 799 signs: exit {code}: {errors[:200]}")

refused(text("deep.json", "[" * 100000), "deep")
refused(text("wrong.json", '{"vouch": 1, "inputs": [], "nodes": [], "outputs": [{"name": "y", "value": "z"}]}'), "z")
refused(text("claim.json", '{"vouch": 1, "inputs": [], "nodes": [{"name": "w", "kind": "parameter", "type": "float32", "dims": [1000000000], "data": [1]}], "outputs": []}'))
refused(text("negative.json", '{"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [-1]}], "nodes": [], "outputs": []}'))
refused(folder / "nowhere.onnx")
refused(folder / "nowhere.json")
checks.end()
