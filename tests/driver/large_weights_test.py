"""A model whose weights are more than 2 GiB, which one file of ONNX cannot hold: they are read where they lie and written apart without
being asked, each element in its place; the file that was read stays as it was. It is a sparse file: few of its pages are there."""
import pathlib
import shutil
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
COUNT, TENSORS = 190_000_000, 3
BYTES = 4 * COUNT
assert BYTES * TENSORS > 2**31


def external(name, at):
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[COUNT], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "weights.bin"), ("offset", at), ("length", BYTES)):
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def model():
    nodes = [helper.make_node("Gather", [f"w{k}", "i"], [f"g{k}"], axis=0) for k in range(TENSORS)]
    nodes += [helper.make_node("Sum", [f"g{k}" for k in range(TENSORS)], ["s"]), helper.make_node("Relu", ["s"], ["r"]), helper.make_node("Relu", ["r"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("i", TensorProto.INT64, [2])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
                              [external(f"w{k}", k * BYTES) for k in range(TENSORS)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    made.ir_version = 8
    return made


def marks(k):
    """Positions of a tensor and what stands there; all else is 0."""
    return {k + 1: 1.0 + k, COUNT // 2 + k: 4.0 + k, COUNT - 1 - k: -8.0 - k}


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    if shutil.disk_usage(folder).free < 8 << 30:
        print("not run: there is no room for 8 GiB in the folder for temporary files")
        sys.exit(SKIPPED)
    (folder / "m.onnx").write_bytes(model().SerializeToString())
    weights = folder / "weights.bin"
    with open(weights, "wb") as file:
        file.truncate(BYTES * TENSORS)
        for k in range(TENSORS):
            for at, value in marks(k).items():
                file.seek(k * BYTES + 4 * at)
                file.write(numpy.float32(value).tobytes())
    before = weights.stat()
    code, _, errors = vouch("optimize", folder / "m.onnx", "--rules", root / "rules", "-o", folder / "out.onnx", limited=False, seconds=600)
    checks.that(code == 0, f"exit {code}: {errors}")
    after = weights.stat()
    checks.that((before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns), "the weights that were read have changed")
    if code == 0:
        written = onnx.load(str(folder / "out.onnx"), load_external_data=False)
        checks.that([node.op_type for node in written.graph.node].count("Relu") == 1, "no rule fired")
        found = {tensor.name: {entry.key: entry.value for entry in tensor.external_data} for tensor in written.graph.initializer}
        checks.that(sorted(found) == [f"w{k}" for k in range(TENSORS)], f"initialisers: {sorted(found)}")
        for k, (tensor, entry) in enumerate(sorted(found.items())):
            checks.that(entry["location"] != "weights.bin" and int(entry["length"]) == BYTES, f"{tensor}: {entry}")
            elements = numpy.memmap(folder / entry["location"], numpy.float32, "r", int(entry["offset"]), (COUNT,))
            there = {int(at): float(elements[at]) for at in numpy.flatnonzero(elements)}
            checks.that(there == marks(k), f"{tensor} holds {there}")
checks.end()
