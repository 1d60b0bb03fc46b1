"""`vouch.equiv` on paths, workloads and ModelProtos.

    equiv_test.py ROOT         with a stand-in for a ModelProto where onnx is not there
    equiv_test.py ROOT onnx    with ModelProtos of python3-onnx alone, in the Python that has it"""
import json
import pathlib
import sys
import sysconfig

NEEDS_ONNX = "onnx" in sys.argv[2:]
if NEEDS_ONNX:
    try:
        import onnx
        from onnx import helper, numpy_helper
    except ImportError:
        print("not run: python3-onnx is not installed")
        sys.exit(77)
    if not any(list((pathlib.Path(place) / "vouch").glob(f"_vouch{sysconfig.get_config_var('EXT_SUFFIX')}")) for place in sys.path):
        print(f"not run: the module is built for another Python than {sys.executable}")
        sys.exit(77)

import vouch

root = pathlib.Path(sys.argv[1])
mnist = root / "tests" / "models" / "mnist" / "model.onnx"


def model(op):
    """y = op(x + x) on a batch of any size."""
    return vouch.Workload.from_json(json.dumps({
        "vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": ["n", 3]}],
        "nodes": [{"name": "s", "op": "Add", "operands": ["x", "x"]}, {"name": "r", "op": op, "operands": ["s"]}],
        "outputs": [{"name": "y", "value": "r"}]}))


same = vouch.equiv(mnist, vouch.Workload(mnist, fold=False))
assert same and same.verdict == "equal (exact)", same
other = vouch.equiv(model("Relu"), model("Tanh"))
assert not other and other.verdict == "different", other
assert other.details["difference"]["first"] != other.details["difference"]["second"], other.details
# A ModelProto is told by what it does.
try:
    import onnx
    proto, kind = onnx.load(str(mnist)), "onnx"
except ImportError:
    class Proto:
        def SerializeToString(self):
            return mnist.read_bytes()
    proto, kind = Proto(), "a stand-in, since onnx is not there"
assert vouch.equiv(proto, mnist).verdict == "equal (exact)", "a ModelProto, and its file"
assert vouch.equiv(proto, proto).verdict == "equal (exact)", "two ModelProtos"
print(f"ModelProto: {kind}")
if NEEDS_ONNX:
    shape = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", 3]) for name in "xy"]
    made = {op: helper.make_model(helper.make_graph([helper.make_node(op, inputs, ["y"])], "g", shape[:1], shape[1:],
                                                    [helper.make_tensor("two", onnx.TensorProto.FLOAT, [], [2.0])]),
                                  opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
            for op, inputs in (("Add", ["x", "x"]), ("Mul", ["x", "two"]), ("Sub", ["x", "two"]))}
    found = vouch.equiv(made["Add"], made["Mul"])
    assert found and found.verdict.startswith("equal"), found
    assert "n" in found.details["sizes"], found.details
    found = vouch.equiv(made["Add"], made["Sub"])
    assert not found and found.verdict == "different", found
    changed = onnx.ModelProto()
    changed.CopyFrom(proto)
    weights = next(t for t in changed.graph.initializer if t.data_type == onnx.TensorProto.FLOAT)
    numbers = numpy_helper.to_array(weights) + 1
    weights.CopyFrom(numpy_helper.from_array(numbers, weights.name))
    assert vouch.equiv(proto, changed).verdict == "different", "another weight in a ModelProto"
assert vouch.equiv(model("Relu"), model("Relu"), sizes={"n": 2}), "at a given size"
print("equal and different models are told apart from Python")
