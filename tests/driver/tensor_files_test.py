"""What a model's owner has: arrays that NumPy saved, and test data as ONNX has it. Both run, in every element type; what is none is named."""
import pathlib
import shutil
import sys
import tempfile

import numpy
from onnx import TensorProto, helper, numpy_helper

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
top = pathlib.Path(tempfile.mkdtemp())
TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
rng = numpy.random.default_rng(5)


def identity(name, elements, shape):
    """y = x, of this element type."""
    info = [helper.make_tensor_value_info(v, elements, shape) for v in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", info[:1], info[1:])
    path = top / f"{name}.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=7).SerializeToString())
    return path


def folder_of(name):
    shutil.rmtree(top / name, ignore_errors=True)
    (top / name).mkdir()
    return top / name


def runs(model, *words, fine=True):
    code, out, errors = vouch("run", model, *words)
    checks.that(code == 0 and ("no reference" in out) != fine, f"{words}: {code} {out}{errors}")


def refused(model, path, told):
    code, out, errors = vouch("run", model, "--input", f"x={path}")
    checks.that(code == 3 and told in errors and str(path) in errors, f"{path.name}: {code}, expected {told} in: {out}{errors}")


for name in TYPES:
    array = (rng.integers(0, 2, (2, 3)) if name == "bool" else rng.integers(0, 100, (2, 3))).astype(name)
    model = identity(name, helper.np_dtype_to_tensor_dtype(array.dtype) if hasattr(helper, "np_dtype_to_tensor_dtype")
                     else numpy_helper.from_array(array).data_type, [2, 3])
    folder = folder_of("io")
    numpy.save(folder / "in_x.npy", array)
    runs(model, "--io", folder, fine=False)
    numpy.save(folder / "out_y.npy", array)
    runs(model, "--io", folder)
    runs(model, "--input", f"x={folder / 'in_x.npy'}", fine=False)
    # Another array is another result: what is compared is what was saved.
    array.flat[4] = not array.flat[4] if name == "bool" else array.flat[4] + 27
    numpy.save(folder / "out_y.npy", array)
    checks.that(vouch("run", model, "--io", folder)[0] == 1, f"{name}: a wrong reference passes")
    # What run writes of it has these bytes.
    code, _, errors = vouch("run", model, "--input", f"x={folder / 'out_y.npy'}", "--out", top / "out")
    checks.that(code == 0 and (top / "out" / f"out_y.{name}.bin").read_bytes() == array.tobytes(), f"{name}: {code} {errors}")
    data = folder_of("test_data_set_0")
    for k, (kind, tensor) in enumerate((("input", "x"), ("output", "y"))):
        (data / f"{kind}_0.pb").write_bytes(numpy_helper.from_array(array, tensor).SerializeToString())
    runs(model, "--io", data)

model = identity("plain", TensorProto.FLOAT, [2, 3])
good = rng.standard_normal((2, 3)).astype(numpy.float32)
for version in ((1, 0), (2, 0), (3, 0)):
    with open(top / "v.npy", "wb") as file:
        numpy.lib.format.write_array(file, good, version=version)
    runs(model, "--input", f"x={top / 'v.npy'}", fine=False)
for shape in ((), (6,), (0, 3)):
    of = identity("of", TensorProto.FLOAT, list(shape))
    numpy.save(top / "s.npy", numpy.ones(shape, numpy.float32))
    runs(of, "--input", f"x={top / 's.npy'}", fine=False)


def saved(name, content):
    path = top / name
    path.write_bytes(content) if isinstance(content, bytes) else numpy.save(path, content)
    return path


numpy.save(top / "whole.npy", good)
whole = (top / "whole.npy").read_bytes()
refused(model, saved("fortran.npy", numpy.asfortranarray(good)), "numpy.ascontiguousarray")
refused(model, saved("big.npy", good.astype(">f4")), "no element type for NumPy's '>f4'")
refused(model, saved("complex.npy", good.astype(numpy.complex64)), "no element type for NumPy's '<c8'")
refused(model, saved("objects.npy", numpy.array([[None]], object)), "no element type for NumPy's '|O'")
refused(model, saved("zip.npy", b"PK\x03\x04" + whole), "no array as NumPy saves it")
for cut in (0, 5, 9, 40, len(whole) - 1):
    refused(model, saved("cut.npy", whole[:cut]), "does not fit" if cut > 100 else "no array as NumPy saves it")
refused(model, saved("more.npy", whole + b"1234"), "does not fit")
refused(model, saved("huge.npy", whole.replace(b"(2, 3)", b"(2, 3000000000)")[:len(whole)]), "")
refused(model, saved("negative.npy", whole.replace(b"(2, 3)", b"(-2,3)")), "no array as NumPy saves it")
refused(model, saved("text.npz", whole), "ending in .npy, .json, .bin or .pb")
nameless = folder_of("nameless")
(nameless / "input_0.pb").write_bytes(numpy_helper.from_array(good).SerializeToString())
code, _, errors = vouch("run", model, "--io", nameless)
checks.that(code == 3 and "has no name" in errors and "--input" in errors, f"without a name: {code} {errors}")
code, _, errors = vouch("run", model)
checks.that(code == 3 and "--input x=FILE.npy" in errors and "in_x.npy" in errors, f"nothing given: {code} {errors}")
checks.end()
