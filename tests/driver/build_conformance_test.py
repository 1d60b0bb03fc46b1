"""ONNX's conformance suite, as libraries: every case that the interpreter passes is built and gives the suite's reference outputs, or is
refused with a reason before anything is written.

    build_conformance_test.py VOUCH PROJECT [all | PATTERN]

tests/property/conformance.txt has the interpreter's verdict of each case. PATTERN: a regular expression, for the cases whose names have it. Without
either, a random fortieth of the cases."""
import collections
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

from command import SKIPPED, Checks, Vouch
from library import C_TYPES, Loaded, compile_shared, numbers

try:
    import numpy
    import onnx
    from onnx import numpy_helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)

DATA = pathlib.Path("/usr/share/libonnx-testdata/data")
if not DATA.is_dir():
    print("not run: libonnx-testdata is not there")
    sys.exit(SKIPPED)

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
chance = random.Random(21)
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")


def passed(path):
    """The cases that the interpreter passes."""
    lines = (line.rpartition(": ") for line in pathlib.Path(path).read_text().splitlines())
    return [name for name, _, verdict in lines if verdict == "pass"]


def tensors(case, kind, infos):
    """By name; nothing where a value is no tensor."""
    found = {}
    for path in (case / "test_data_set_0").glob(f"{kind}_*.pb"):
        info = infos[int(re.search(r"_(\d+)$", path.stem)[1])]
        if info.type.WhichOneof("value") != "tensor_type":
            return None
        found[info.name] = numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))
    return found


def alike(found, expected, within=None):
    """Floats within rounding, NaN and infinities in the same places; all others equal."""
    if expected.dtype.kind != "f":
        return numpy.array_equal(found, expected)
    relative = within or (2e-3 if expected.dtype == numpy.float16 else 1e-4)
    return numpy.allclose(found, expected, rtol=relative, atol=1e-6, equal_nan=True)


def computed(name, folder, case, graph):
    """The library against the reference outputs."""
    held = {one.name for one in graph.initializer}
    given = tensors(case, "input", [one for one in graph.input if one.name not in held])
    expected = tensors(case, "output", graph.output)
    library = Loaded(folder, compile_shared(folder, folder / "library.so", flags=("-O1", "-fopenmp-simd")))
    checks.that(not library.by_file or library.load() == 0, f"{name}: its weights")
    arguments = []
    for one in library.manifest["inputs"]:
        values = given[one["name"]].flatten()
        held = "uint16" if one["type"] == "bfloat16" else one["type"]  # the suite has its bits
        checks.that(values.size == one["cells"] and values.dtype == held, f"{name}: input {one} is {values.size} {values.dtype}")
        values = values.view(numpy.uint16) if values.dtype == numpy.float16 else values
        arguments.append((C_TYPES[one["type"]] * max(one["cells"], 1))(*values.tolist()))
    code, found = library.run(arguments)
    checks.that(code == 0 and set(found) == set(expected), f"{name} runs: {code}, {sorted(found)}")
    for what, values in expected.items():
        kind = next(one["type"] for one in library.manifest["outputs"] if one["name"] == what)
        if kind == "bfloat16":  # the suite has its bits, and cuts where we round
            values = numpy.array(numbers(kind, values.flatten().tolist()), dtype=numpy.float32)
        got = numpy.array(found[what], dtype=values.dtype)[:values.size]
        checks.that(alike(got, values.flatten(), 2 ** -7 if kind == "bfloat16" else None), f"{name}, {what}: {got[:8]}, reference {values.flatten()[:8]}")


def refusal(err):
    """A reason without the names and numbers of the case; nothing where none is given."""
    line = next((line for line in err.splitlines() if "error" in line), "")
    return re.sub(r"'[^']*'|\d+", "…", line.partition("error: ")[2])


def case_of(name):
    """What became of it."""
    case = DATA / name
    folder = place / name.replace("/", "_")
    code, out, err = vouch("build", case / "model.onnx", "-o", folder, "--name", "library", "--plain", seconds=300)
    if code == 0:
        computed(name, folder, case, onnx.load(str(case / "model.onnx")).graph)
        return "built"
    checks.that(code == 3 and refusal(err) and not folder.exists(), f"{name} is refused: exit {code}: {out}{err}")
    return "refused: " + refusal(err)


cases = passed(pathlib.Path(sys.argv[2]) / "tests" / "property" / "conformance.txt")
if len(sys.argv) < 4:
    cases = chance.sample(cases, len(cases) // 40)
elif sys.argv[3] != "all":
    cases = [name for name in cases if re.search(sys.argv[3], name)]
counts = collections.Counter(map(case_of, cases))
for what, count in counts.most_common():
    print(f"{count:5} {what}")
checks.that(counts["built"] > sum(counts.values()) / 3, f"a third of the cases is built: {counts['built']}")
shutil.rmtree(place)
checks.end()
