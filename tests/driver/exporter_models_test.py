"""Models as exporters of many years write them (exporter_models.py), of opsets 7 to 26: each is read; what is written loads in ONNX Runtime
and gives the same, is valid where the model was, has no more nodes than ONNX Runtime leaves at its basic level, and all that the model says
of itself; a second run changes nothing.

    exporter_models_test.py VOUCH PROJECT [all]

Without `all` every third model, and those that were answered wrongly once."""
import json
import pathlib
import sys
import tempfile

from command import Checks, Vouch
from exporter_models import FILES, MODELS
from onnx_judge import is_valid, judge

import onnx

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
RULES = ("--rules", root / "rules")
ONCE_WRONG = ("torch_embedding_bag", "text_20", "dynamo_functions", "function_overloads", "function_default_attributes", "conv_of_volumes",
              "window_of_swin_10", "entries_everywhere", "told_at_length", "decoder_of_open_sizes")
# What stands for more nodes than there: texts have no value here, and sizes of zero are matched by few rules.
MORE_NODES = ("texts", "zero_sized_input")
# Halves are rounded by each runtime where it likes to: the model's own result is no more exact.
HALVES = ("float16_mixed", "float16_norm_in_float32", "bfloat16_mixed")
OLDEST_IR = 4  # that is written: in older models each initialiser was an input, too
names = [name for k, name in enumerate(MODELS) if "all" in sys.argv[3:] or k % 3 == 0 or name in ONCE_WRONG]


def nodes_of(graph):
    inner = [one for n in graph.node for a in n.attribute if a.HasField("g") for one in nodes_of(a.g)]
    return [n for n in graph.node if n.op_type != "Constant"] + inner


def optimize(name, source, written):
    code, out, errors = vouch("optimize", source, *RULES, "-o", written, "--json", "-")
    checks.that(code == 0, f"{name}: exit {code}: {errors[:300]}")
    return json.loads(out) if code == 0 else None


def declared(value):
    """Without the type: where a model leaves the shape of an output open, it is said."""
    value = type(value).FromString(value.SerializeToString())
    if not value.type.tensor_type.HasField("shape"):
        value.ClearField("type")
    return value.SerializeToString()


def keeps_what_is_told(name, path, written):
    old, new = (onnx.load(str(p), load_external_data=False) for p in (path, written))
    for field in ("producer_name", "producer_version", "domain", "model_version", "doc_string", "metadata_props", "training_info"):
        checks.that(getattr(old, field) == getattr(new, field), f"{name}: {field} became {getattr(new, field)}")
    for field in ("name", "doc_string", "quantization_annotation"):
        checks.that(getattr(old.graph, field) == getattr(new.graph, field), f"{name}: the graph's {field} became {getattr(new.graph, field)}")
    checks.that(max(old.ir_version, OLDEST_IR) <= new.ir_version, f"{name}: IR version {new.ir_version}")
    constants = {one.name for one in old.graph.initializer} if old.ir_version < OLDEST_IR else set()
    inputs = [declared(one) for one in old.graph.input if one.name not in constants]
    checks.that(inputs == [declared(one) for one in new.graph.input], f"{name}: inputs became {[one.name for one in new.graph.input]}")
    for one, other in zip(old.graph.output, new.graph.output):
        same = declared(one) == declared(other) or (not one.type.tensor_type.HasField("shape") and one.name == other.name)
        checks.that(same, f"{name}: output {one.name} became {other}")
    checks.that(len(old.graph.output) == len(new.graph.output), f"{name}: {len(new.graph.output)} outputs")
    given = [n.name for n in new.graph.node if n.name]
    checks.that(len(set(given)) == len(given), f"{name}: two nodes have one name")
    before = {(n.op_type, n.output[0]): n for n in old.graph.node if n.name}
    for n in new.graph.node:
        was = before.get((n.op_type, n.output[0]))
        extra = lambda one: type(one)(name="", doc_string=one.doc_string).SerializeToString() + entries(one)
        checks.that(was is None or (was.name == n.name and extra(was) == extra(n)), f"{name}: node {was and was.name} became {n}")


def entries(node):
    """Fields that Python's protobuf does not know by name: what is left when the others are taken away."""
    bare = type(node).FromString(node.SerializeToString())
    for field in ("input", "output", "name", "op_type", "domain", "attribute", "doc_string"):
        bare.ClearField(field)
    return bare.SerializeToString()


with tempfile.TemporaryDirectory() as made:
    folder = pathlib.Path(made)
    for file, content in FILES.items():
        (folder / file).write_bytes(content)
    pairs = []
    for name in names:
        data, feeds, outputs = MODELS[name]
        path, written, again = (folder / f"{name}{kind}.onnx" for kind in ("", ".1", ".2"))
        path.write_bytes(data)
        if optimize(name, path, written) is None:
            continue
        second = optimize(name, written, again)
        changes = second and {key: second[key] for key in ("rewrites", "folded", "merged") if second[key]}
        checks.that(not changes and written.read_bytes() == again.read_bytes(), f"{name}: a second run does more: {changes}")
        newer = onnx.load(str(written), load_external_data=False).ir_version > onnx.IR_VERSION  # than the checker
        checks.that(newer or is_valid(written) or not is_valid(path), f"{name}: the written model is not valid")
        keeps_what_is_told(name, path, written)
        pairs.append((name, path, written, feeds, {"outputs": outputs, "basic": str(folder / f"{name}.basic.onnx")}))
    judged = 0
    for name, answer in (judge(sys.argv[1], root, folder, pairs) or {}).items():
        if answer["a"] is not None:
            print(f"ONNX Runtime refuses the model: {name}: {answer['a'][:120]}")
            continue
        judged += 1
        most = 2e-3 if name in HALVES else 1e-5
        same = answer["b"] is None and answer["difference"] != "infinite" and answer["difference"] <= most
        checks.that(same, f"{name} in ONNX Runtime: {answer}")
        ours, theirs = (len(nodes_of(onnx.load(str(folder / f"{name}.{kind}.onnx"), load_external_data=False).graph)) for kind in ("1", "basic"))
        checks.that(ours <= theirs or name in MORE_NODES, f"{name}: {ours} nodes, ONNX Runtime leaves {theirs}")
    print(f"{len(names)} models, {judged} judged by ONNX Runtime")
checks.end()
