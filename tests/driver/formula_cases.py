"""Calls of one operator whose values are numpy's: the interpreter and the library compute these, and so does the interpreter of what
`optimize` writes, and ONNX Runtime of both. A test that imports this is run as

    X_test.py VOUCH PROJECT [PATTERN]

PATTERN: a regular expression, for the cases whose names have it."""
import os
import pathlib
import re
import shutil
import sys
import tempfile

from command import SKIPPED, Checks, Vouch, has_prover
from library import C_TYPES, Loaded, compile_shared

try:
    import numpy
    import onnx
    from onnx import helper, numpy_helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)
from onnx_judge import judge

vouch, root = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2])
wanted = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")
FLOATS = ("float32", "float16", "float64")
TOLERANCE = {"float16": 3e-3, "float32": 1e-5, "float64": 1e-5}  # ONNX keeps moments of float64 in float32
pairs = []  # for ONNX Runtime
JUDGED = ("float32", "int64", "bool")  # of other types it lacks some of these operators


def value_info(name, array):
    return helper.make_tensor_value_info(name, onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], array.shape)


def written(name, nodes, inputs, outputs, held, opset):
    graph = helper.make_graph(nodes, name, [value_info(*one) for one in inputs.items()], [value_info(*one) for one in outputs.items()],
                              [numpy_helper.from_array(array, one) for one, array in held.items()])
    path = place / f"{name}.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8).SerializeToString())
    return path


def alike(found, expected):
    if expected.dtype.kind != "f":
        return numpy.array_equal(found, expected)
    scale = numpy.abs(expected[numpy.isfinite(expected)]).max(initial=1e-3)
    return numpy.allclose(found.astype(float), expected.astype(float), rtol=0, atol=scale * TOLERANCE[expected.dtype.name], equal_nan=True)


def computed(name, path, inputs, outputs, words):
    """By the library."""
    folder = place / name
    code, out, err = vouch("build", path, "-o", folder, "--name", "library", *words, seconds=300)
    checks.that(code == 0, f"{name} is built: exit {code}: {out}{err}")
    if code != 0:
        return
    library = Loaded(folder, compile_shared(folder, place / f"{name}.so", flags=("-O1", "-fopenmp-simd")))
    checks.that(not library.by_file or library.load() == 0, f"{name}: its weights")
    arguments = []
    for one in library.manifest["inputs"]:
        values = inputs[one["name"]].flatten()
        values = values.view(numpy.uint16) if values.dtype == numpy.float16 else values
        arguments.append((C_TYPES[one["type"]] * one["cells"])(*values.tolist()))
    code, found = library.run(arguments)
    checks.that(code == 0 and set(found) == set(outputs), f"{name} runs: {code}, {sorted(found)}")
    for what, expected in outputs.items():
        got = numpy.array(found[what], dtype=expected.dtype).reshape(expected.shape)
        checks.that(alike(got, expected), f"{name}, {what}: {got.ravel()[:8]}, numpy {expected.ravel()[:8]}")


def case(name, nodes, inputs, outputs, held=None, opset=20, words=(), by_runtime=True):
    """`by_runtime`: ONNX Runtime takes such a call."""
    if not wanted.search(name):
        return
    path = written(name, nodes, inputs, outputs, held or {}, opset)
    io = place / f"{name}_io"
    io.mkdir()
    for prefix, arrays in (("in_", inputs), ("out_", outputs)):
        for one, array in arrays.items():
            numpy.save(io / f"{prefix}{one}.npy", array)
    kind = next(iter(outputs.values())).dtype.name
    code, out, err = vouch("run", path, "--io", io, "--tolerance", TOLERANCE.get(kind, 0))
    checks.that(code == 0, f"{name}: numpy has other numbers: {out}{err}")
    computed(name, path, inputs, outputs, words)
    other = place / f"{name}.written.onnx"
    code, out, err = vouch("optimize", path, "--rules", root / "rules", "-o", other)
    checks.that(code == 0, f"{name} is written: exit {code}: {out}{err}")
    code, out, err = vouch("run", other, "--io", io, "--tolerance", TOLERANCE.get(kind, 0))
    checks.that(code == 0, f"{name}: what is written gives other numbers: {out}{err}")
    if by_runtime and all(array.dtype.name in JUDGED and numpy.isfinite(array).all() for array in inputs.values()):  # JSON has numbers alone
        pairs.append((name, path, other, [(one, a.dtype.name, a.shape, a.ravel().tolist()) for one, a in inputs.items()]))


def node(op, inputs, outputs=("y",), **attributes):
    return helper.make_node(op, list(inputs), list(outputs), **attributes)


def verified(*names, lie):
    """Coq certifies the libraries of these cases; of the last one a kernel that has the second text of `lie` for the first is refused."""
    if not has_prover(vouch.program) or not all((place / name).is_dir() for name in names):
        return print("not verified: coqc or the compiled library is not there, or PATTERN leaves the cases out")
    code, out, err = vouch("verify", *(place / name for name in names), limited=False, seconds=900)
    checks.that(code == 0, f"{names} are verified: exit {code}: {out}{err}")
    kernel = next(path for path in sorted((place / names[-1] / "kernels").iterdir()) if lie[0] in path.read_text())
    kernel.write_text(kernel.read_text().replace(*lie, 1))
    code, out, err = vouch("verify", place / names[-1], limited=False, seconds=900)
    checks.that(code == 1 and kernel.name in out + err, f"{kernel.name} with {lie[1]} for {lie[0]}: exit {code}: {out}{err}")


def judged(most=1e-5):
    """What ONNX Runtime says of the cases, if it is there; then the test ends."""
    for name, answer in (judge(sys.argv[1], root, place, pairs) or {}).items():
        checks.that(answer["difference"] is not None and answer["difference"] <= most, f"{name}: ONNX Runtime: {answer}")
    shutil.rmtree(place)
    checks.end()
