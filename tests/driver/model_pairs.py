"""Small ONNX models for tests, and what `vouch equiv` says of two of them. A test that imports this is skipped where onnx is not there."""
import collections
import json
import pathlib
import sys
import tempfile

from command import SKIPPED

try:
    from onnx import TensorProto, helper
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)

FLOAT, DOUBLE, HALF, BFLOAT = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16
INT8, UINT8, INT32, INT64, BOOL, STRING = (TensorProto.INT8, TensorProto.UINT8, TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL,
                                           TensorProto.STRING)


def value(name, shape=(2, 3), kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def node(op, inputs, outputs="y", domain="", **attributes):
    """`_` is an operand that is absent."""
    return helper.make_node(op, ["" if name == "_" else name for name in inputs.split()], outputs.split(), domain=domain, **attributes)


def tensor(name, values, dims=None, kind=FLOAT):
    return helper.make_tensor(name, kind, [len(values)] if dims is None else dims, values)


def ints(name, *values):
    return tensor(name, list(values), kind=INT64)


def model(nodes, inputs=None, outputs=None, constants=(), opset=13, functions=(), imports=(), ir=8, **more):
    graph = helper.make_graph(nodes, "g", inputs or [value("x")], outputs or [value("y")], list(constants), **more)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1), *(helper.make_opsetid(d, v) for d, v in imports)]
    made = helper.make_model(graph, opset_imports=opsets, functions=list(functions))
    made.ir_version = ir
    return made


class Pairs:
    """Each pair is judged in both orders: neither claim may depend on which model comes first."""

    def __init__(self, vouch, checks):
        self.vouch, self.checks = vouch, checks
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.kept_apart, self.equal = 0, 0
        self.verdicts = collections.Counter()  # of all that was asked

    def verdict(self, a, b, *options):
        paths = []
        for name, made in (("a", a), ("b", b)):
            path = made if isinstance(made, pathlib.Path) else self.folder / f"{name}.onnx"
            if path is not made:
                path.write_bytes(made.SerializeToString())
            paths.append(path)
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        code, _, errors = self.vouch("equiv", *paths, "--json", report, *options, seconds=120)
        found = json.loads(report.read_text())["verdict"] if report.exists() else f"exit {code}: {errors[-300:]}"
        agrees = code == {"e": 0, "d": 1, "o": 2}.get(found[0]) if report.exists() else code == 3
        self.checks.that(agrees, f"exit code {code} for {found}")
        self.verdicts[found.split(":")[0]] += 1
        return found

    def judged(self, name, a, b, options, holds):
        for first, second in ((a, b), (b, a)):
            found = self.verdict(first, second, *options)
            print(f"{name}: {found}")
            self.checks.that(holds(found), f"{name}: {found}")

    def never_equal(self, name, a, b, *options):
        self.kept_apart += 1
        self.judged(name, a, b, options, lambda found: not found.startswith("equal"))

    def never_exact(self, name, a, b):
        """Equal over the reals at most; asked for bit equality, not at all."""
        self.kept_apart += 1
        self.judged(name, a, b, (), lambda found: "exact" not in found)
        self.judged(name, a, b, ("--exact",), lambda found: not found.startswith("equal"))

    def is_equal(self, name, a, b, wanted="equal"):
        self.equal += 1
        self.judged(name, a, b, (), lambda found: found.startswith(wanted))
