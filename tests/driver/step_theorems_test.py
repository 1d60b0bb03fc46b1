"""The steps of a library as theorems of Coq: constants that a proof need not know are any tensors in them, however few they are, so
that a search for a proof does not split their elements; a step with several outputs is one theorem, since what replaces one of them
may read what the others did."""
import json
import os
import pathlib
import shutil
import sys
import tempfile

from command import SKIPPED, Checks, Vouch, has_prover

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
if not has_prover(vouch.program):
    print("not run: coqc or the compiled library is not there")
    sys.exit(SKIPPED)
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")


def parameter(name, *dims):
    count = 1
    for extent in dims:
        count *= extent
    data = [((len(name) + 5 * k) % 17) / 16 + 0.25 for k in range(count)]
    return {"name": name, "kind": "parameter", "type": "float32", "dims": list(dims), "data": data}


def conv(name, *operands):
    return {"name": name, "op": "Conv", "operands": list(operands), "attributes": {"kernel_shape": [1, 1]}}


def steps_of(name, nodes, outputs, dims=(1, 3, 2, 2)):
    """What `verify` says of the steps of a library from a model of these nodes."""
    model = place / f"{name}.json"
    model.write_text(json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": list(dims)}], "nodes": nodes,
                                 "outputs": [{"name": one, "value": one} for one in outputs]}))
    code, out, err = vouch("build", model, "-o", place / name, limited=False, seconds=300)
    checks.that(code == 0, f"{name} is built: {out}{err}")
    code, out, err = vouch("verify", place / name, "--json", "-", limited=False, seconds=600)
    checks.that(code == 0, f"{name} is verified: {out[-1500:]}{err[-1500:]}")
    steps = json.loads(out)["rewrites"][0]
    checks.that(steps["verdict"] == "proven" and steps["proven"] == steps["steps"] and not steps["solver_only"],
                f"every step of {name} is a theorem that Coq accepts: {steps}")
    return json.loads((place / name / "source/trace.json").read_text())


def fired(trace):
    return {step["rule"] for step in trace["steps"] if "rule" in step}


# Sixteen channels: their numbers are few enough to be written out, four to a channel.
trace = steps_of("normed", [parameter("w", 16, 3, 1, 1), *(parameter(name, 16) for name in ("s", "bias", "mean", "variance")),
                            conv("c", "x", "w"),
                            {"name": "y", "op": "BatchNormalization", "operands": ["c", "s", "bias", "mean", "variance"]}], ["y"])
checks.that("conv_batch_norm" in fired(trace), f"the batch norm went into the convolution: {fired(trace)}")

# Three outputs at once, with biases of one number and of several.
branches = [(1, "a"), (4, "bb"), (9, "ccc")]
nodes = [node for width, name in branches
         for node in (parameter(f"w{name}", width, 3, 1, 1), parameter(f"b{name}", width), conv(f"y{name}", "x", f"w{name}", f"b{name}"))]
trace = steps_of("parallel", nodes, [f"y{name}" for _, name in branches])
checks.that("merge_parallel_conv_bias" in fired(trace), f"the convolutions are one: {fired(trace)}")
# An attribute that is a tensor of one element.
fill = {"value": {"tensor": {"type": "float32", "dims": [1], "data": [0.1]}}}
trace = steps_of("filled", [{"name": "s", "kind": "constant", "type": "int64", "dims": [4], "data": [1, 2, 1024, 1024]},
                            {"name": "t", "kind": "constant", "type": "int64", "dims": [2], "data": [2048, 1024]},
                            {"name": "f", "op": "ConstantOfShape", "operands": ["s"], "attributes": fill},
                            {"name": "r", "op": "Reshape", "operands": ["f", "t"]},
                            {"name": "y", "op": "Add", "operands": ["x", "r"]}], ["y"], (2048, 1024))
checks.that("reshape_of_image_fill" in fired(trace), f"a fill is made in the last shape at once: {fired(trace)}")
shutil.rmtree(place)
checks.end()
