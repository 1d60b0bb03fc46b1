"""`vouch.equiv` on paths and workloads.

    equiv_test.py ROOT"""
import json
import pathlib
import sys

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
assert vouch.equiv(model("Relu"), model("Relu"), sizes={"n": 2}), "at a given size"
print("equal and different models are told apart from Python")
