"""Planted faults: each changes one thing of a real model, in a random place, and `vouch equiv` must never call the two equal.

What is a fault is decided without `equiv`: the interpreter runs both models on one input, and their outputs differ. Of those, each
must be found `different`, with an input, and a tensor named; what `equiv` leaves `open` is counted and bounded.

    equiv_faults_test.py VOUCH ROOT [FAULTS] [SEED]"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

SKIPPED = 77
try:
    import numpy
    import onnx
    from onnx import helper, numpy_helper
except ImportError:
    print("skipped: python3-onnx or numpy is not there")
    sys.exit(SKIPPED)

vouch, root = sys.argv[1], pathlib.Path(sys.argv[2])
wanted = int(sys.argv[3]) if len(sys.argv) > 3 else 20
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
models = root.parent / "shared" / "data" / "models"
if not models.is_dir():
    print(f"skipped: the shared models are not there ({models})")
    sys.exit(SKIPPED)
NAMES = ["mnist", "transformer", "t5_encoder", "tinyvit", "autoencoder1d", "go1_policy", "gtcrn_simple"]
folder = pathlib.Path(tempfile.mkdtemp())


def nodes_of(model, *ops):
    return [node for node in model.graph.node if node.op_type in ops]


def attribute(node, name):
    return next((a for a in node.attribute if a.name == name), None)


def floats_of(model):
    return [t for t in model.graph.initializer if t.data_type == onnx.TensorProto.FLOAT and numpy_helper.to_array(t).size]


def replace(tensor, value):
    tensor.CopyFrom(numpy_helper.from_array(numpy.ascontiguousarray(value), tensor.name))


def initializer(model, name):
    return next((t for t in model.graph.initializer if t.name == name), None)


def set_int(node, name, value):
    old = attribute(node, name)
    if old is not None:
        node.attribute.remove(old)
    node.attribute.append(helper.make_attribute(name, value))


def skip_node(model, node):
    """Whoever reads the node reads its first operand."""
    for other in model.graph.node:
        for k, name in enumerate(other.input):
            if name == node.output[0]:
                other.input[k] = node.input[0]
    if any(o.name == node.output[0] for o in model.graph.output):
        return False
    model.graph.node.remove(node)
    return True


def constant_of(model, name):
    """The tensor of that name, an initialiser or what a Constant gives: a view that can be set."""
    tensor = initializer(model, name)
    if tensor is not None:
        return tensor
    for node in nodes_of(model, "Constant"):
        if node.output[0] == name and attribute(node, "value") is not None:
            return attribute(node, "value").t
    return None


def change_list(model, rng, op, operand, change):
    """Changes one number of a list that is an operand of such a call."""
    for node in rng.sample(nodes_of(model, op), len(nodes_of(model, op))):
        tensor = constant_of(model, node.input[operand]) if len(node.input) > operand else None
        if tensor is None:
            continue
        value = numpy_helper.to_array(tensor).copy()
        if value.size:
            flat = value.reshape(-1)
            at = rng.randrange(flat.size)
            flat[at] = change(flat[at])
            replace(tensor, value)
            return True
    return False


def with_attribute(rng, nodes, name, change):
    found = [node for node in nodes if attribute(node, name) is not None]
    if not found:
        return False
    node = rng.choice(found)
    value = helper.get_attribute_value(attribute(node, name))
    set_int(node, name, change(value))
    return True


def one_of(rng, items):
    return rng.choice(items) if items else None


def changed_item(values, at, by):
    out = list(values)
    out[at % len(out)] += by
    return out


def axis(m, r):
    return with_attribute(r, nodes_of(m, "Softmax", "Concat", "Gather", "Split", "LayerNormalization"), "axis", lambda v: 0 if v else 1)


def dropped_bias(m, r):
    node = one_of(r, [n for n in nodes_of(m, "Conv", "Gemm", "ConvTranspose") if len(n.input) == 3])
    if node is None:
        return False
    del node.input[2]
    return True


def epsilon(m, r):
    return with_attribute(r, nodes_of(m, "BatchNormalization", "LayerNormalization"), "epsilon", lambda v: v * 1000 + 1e-3)


def swapped_sub(m, r):
    node = one_of(r, nodes_of(m, "Sub", "Div"))
    if node is None:
        return False
    node.input[0], node.input[1] = node.input[1], node.input[0]
    return True


def pads(m, r):
    return with_attribute(r, nodes_of(m, "Conv", "MaxPool"), "pads", lambda v: list(v[len(v) // 2:]) + list(v[:len(v) // 2])
                          if v[0] != v[-1] else changed_item(changed_item(v, 0, 1), len(v) // 2, -1))


def other_weights(m, r):
    tensors = floats_of(m)
    pairs = [(a, b) for a in tensors for b in tensors if a.name < b.name and a.dims == b.dims and len(a.dims) > 1]
    pair = one_of(r, pairs)
    if pair is None:
        return False
    replace(pair[0], numpy_helper.to_array(pair[1]))
    return True


def slice_off_by_one(m, r):
    return change_list(m, r, "Slice", 1, lambda v: v + 1)


def dropped_transposition(m, r):
    node = one_of(r, nodes_of(m, "Transpose"))
    return node is not None and skip_node(m, node)


def wrong_scale(m, r):
    tensor = one_of(r, [t for t in floats_of(m) if len(t.dims) <= 1])
    if tensor is None:
        return False
    replace(tensor, (numpy_helper.to_array(tensor) * 1.01).astype(numpy.float32))
    return True


def clip_bounds(m, r):
    return change_list(m, r, "Clip", 2, lambda v: v * 0.5) or change_list(m, r, "Max", 1, lambda v: v + 0.01)


def keepdims(m, r):
    return with_attribute(r, nodes_of(m, "ReduceMean", "ReduceSum", "ReduceMax"), "keepdims", lambda v: 1 - v)


def groups(m, r):
    node = one_of(r, [n for n in nodes_of(m, "Conv") if initializer(m, n.input[1]) is not None and attribute(n, "group") is not None])
    if node is None:
        return False
    w = initializer(m, node.input[1])
    value = numpy_helper.to_array(w)
    if value.shape[0] % 2 or value.shape[1] % 2 or helper.get_attribute_value(attribute(node, "group")) != 1:
        return False
    replace(w, value[:, : value.shape[1] // 2])
    set_int(node, "group", 2)
    return True


def dilation(m, r):
    node = one_of(r, [n for n in nodes_of(m, "Conv") if attribute(n, "kernel_shape") is not None
                      and max(helper.get_attribute_value(attribute(n, "kernel_shape"))) == 3])
    if node is None or attribute(node, "pads") is None:
        return False
    spatial = len(helper.get_attribute_value(attribute(node, "kernel_shape")))
    shape = helper.get_attribute_value(attribute(node, "kernel_shape"))
    set_int(node, "dilations", [2 if k == 3 else 1 for k in shape])
    old = helper.get_attribute_value(attribute(node, "pads"))
    set_int(node, "pads", [p + (1 if shape[k % spatial] == 3 else 0) for k, p in enumerate(old)])
    return True


def reduction_axes(m, r):
    return with_attribute(r, nodes_of(m, "ReduceMean", "ReduceSum"), "axes", lambda v: [v[0] - 1] + list(v[1:])) or \
        change_list(m, r, "ReduceMean", 1, lambda v: v - 1)


def truncated(m, r):
    node = one_of(r, nodes_of(m, "Relu", "Tanh", "Sigmoid", "Add"))
    if node is None or any(o.name == node.output[0] for o in m.graph.output):
        return False
    at = list(m.graph.node).index(node)
    names = [f"{node.output[0]}_{k}" for k in ("whole", "integer")]
    last = node.output[0]
    node.output[0] = names[0]
    m.graph.node.insert(at + 1, helper.make_node("Cast", [names[0]], [names[1]], to=onnx.TensorProto.INT32))
    m.graph.node.insert(at + 2, helper.make_node("Cast", [names[1]], [last], to=onnx.TensorProto.FLOAT))
    return True


def gather_index(m, r):
    return change_list(m, r, "Gather", 1, lambda v: 1 - v if v in (0, 1) else v - 1)


def concat_order(m, r):
    node = one_of(r, [n for n in nodes_of(m, "Concat") if len(n.input) > 1 and n.input[0] != n.input[1]])
    if node is None:
        return False
    node.input[0], node.input[1] = node.input[1], node.input[0]
    return True


def ceil_mode(m, r):
    node = one_of(r, nodes_of(m, "MaxPool", "AveragePool"))
    if node is None:
        return False
    set_int(node, "ceil_mode", 1)
    return True


def activation_left_out(m, r):
    node = one_of(r, nodes_of(m, "Relu", "Gelu", "Tanh", "Sigmoid", "PRelu", "Softmax"))
    return node is not None and skip_node(m, node)


def constant_perturbed(m, r):
    tensor = one_of(r, floats_of(m))
    value = numpy_helper.to_array(tensor).copy()
    flat = value.reshape(-1)
    at = int(numpy.argmax(numpy.abs(flat)))
    flat[at] *= numpy.float32(1.001)
    replace(tensor, value)
    return True


KINDS = [axis, dropped_bias, epsilon, swapped_sub, pads, other_weights, slice_off_by_one, dropped_transposition, wrong_scale,
         clip_bounds, keepdims, groups, dilation, reduction_axes, truncated, gather_index, concat_order, ceil_mode,
         activation_left_out, constant_perturbed]


def run(model, io, out):
    out.mkdir(exist_ok=True)
    done = subprocess.run([vouch, "run", model, "--io", io, "--out", out, "--tolerance", "1e30"], capture_output=True, text=True, timeout=120)
    return done.returncode in (0, 1)


def outputs(path):
    out = {}
    for text in path.glob("out_*.json"):
        about = json.loads(text.read_text())
        raw = (text.parent / f"{text.stem}.{about['type']}.bin").read_bytes()
        out[about["name"]] = numpy.frombuffer(raw, about["type"]).reshape(about["dims"])
    return out


def differ(a, b):
    """By more than rounding, in any output; None where shapes differ (the interface tells that)."""
    for name, x in a.items():
        y = b.get(name)
        if y is None or y.shape != x.shape:
            return None
        if numpy.max(numpy.abs(x.astype(float) - y.astype(float)), initial=0) > 1e-4 * max(1e-30, numpy.max(numpy.abs(x), initial=0)):
            return True
    return False


def planted():
    """(kind, model's name, changed model) in turn; those that cannot be planted or are no faults are passed over."""
    rng = random.Random(seed)
    for turn in range(wanted * 12):
        kind = KINDS[turn % len(KINDS)]
        name = rng.choice(NAMES)
        path = models / name / "model.onnx"
        model = onnx.load(path)
        if not kind(model, rng):
            continue
        changed = folder / "changed.onnx"
        onnx.save(model, changed)
        original, other = folder / f"out_{name}", folder / "out_changed"
        for file in other.glob("*") if other.exists() else []:
            file.unlink()
        if run(path, models / name / "io", original) and run(changed, models / name / "io", other) and \
                differ(outputs(original), outputs(other)):
            yield kind.__name__, name, path, changed, models / name / "io"


found = {"different": 0, "open": 0}
named = failed = 0
for count, (kind, name, path, changed, io) in enumerate(planted()):
    if count == wanted:
        break
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    done = subprocess.run([vouch, "equiv", path, changed, "--io", io, "--json", report], capture_output=True, text=True, timeout=600)
    details = json.loads(report.read_text()) if report.exists() else {}
    verdict = details.get("verdict", f"exit {done.returncode}: {done.stderr[-300:]}")
    if verdict not in found or (verdict == "different" and "difference" not in details):
        failed += 1
        print(f"FAILED: {kind} in {name}: {verdict}")
    else:
        found[verdict] += 1
        named += "first_differing" in details or "first_differing_namesake" in details
        print(f"{kind} in {name}: {verdict}, {details.get('first_differing', '-')}")
total = sum(found.values())
print(f"{total} planted faults: {found['different']} different, {found['open']} open, {named} placed, {failed} wrong")
sys.exit(1 if failed or total < wanted // 2 or found["open"] > total // 10 or named < 0.9 * found["different"] else 0)
