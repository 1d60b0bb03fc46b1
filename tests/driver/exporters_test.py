"""What exporters write around the layers of a network: images whose channels stand last, each convolution between two transposes; heads of an
attention whose sizes are read from the tensor itself; halves that are turned; windows of images, by six axes. Few calls are left, none for the detour, and the outputs are what NumPy computes."""
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
chance = numpy.random.default_rng(5)
TO_FIRST, TO_LAST = [0, 3, 1, 2], [0, 2, 3, 1]


class Network:
    def __init__(self, name, sizes):
        self.name, self.nodes, self.constants = name, [], []
        self.inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)]

    def call(self, operator, *operands, **attributes):
        names = [operand if isinstance(operand, str) else self.constant(operand) for operand in operands]
        result = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, names, [result], **attributes))
        return result

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def check(self, result, x, expected, left):
        """Optimises, runs, and looks at what is left; a second run changes nothing."""
        self.nodes.append(helper.make_node("Relu", [result], ["y"]))
        graph = helper.make_graph(self.nodes, self.name, self.inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            first, second, io = folder / "first.onnx", folder / "second.onnx", folder / "io"
            io.mkdir()
            onnx.save(model, str(folder / "model.onnx"))
            numpy.save(io / "in_x.npy", x)
            numpy.save(io / "out_y.npy", numpy.maximum(expected, 0))
            for source, written in ((folder / "model.onnx", first), (first, second)):
                code, out, errors = vouch("optimize", source, "--rules", root / "rules", "-o", written, "--io", io)
                checks.that(code == 0, f"{self.name}: exit {code}: {out[-300:]}{errors}")
            found = {}
            for node in onnx.load(str(first)).graph.node:
                if node.op_type != "Constant":
                    found[node.op_type] = found.get(node.op_type, 0) + 1
            checks.that(found == left, f"{self.name}: {found} is left, expected {left}")
            checks.that(first.read_bytes() == second.read_bytes(), f"{self.name}: a second run writes other bytes")


def floats(*sizes):
    return chance.uniform(0.25, 1, sizes).astype(numpy.float32)


def ints(*values):
    return numpy.array(values, numpy.int64)


def between(net, image, operator, *operands, **attributes):
    """A call on images whose channels stand second, where they stand last before and after."""
    return net.call("Transpose", net.call(operator, net.call("Transpose", image, perm=TO_FIRST), *operands, **attributes), perm=TO_LAST)


def pointwise(image, weights):
    return numpy.einsum("nhwc,oc->nhwo", image, weights[:, :, 0, 0])


def number(value):
    return numpy.array(value, numpy.float32)


def images_with_channels_last():
    net, x = Network("channels_last", ["n", 4, 4, 3]), floats(2, 4, 4, 3)
    a, b, c = floats(5, 3, 1, 1), floats(5, 5, 1, 1), floats(5, 5, 1, 1)
    scale, shift, bias = floats(5), floats(5), floats(1, 1, 1, 5)
    # A convolution, a batch normalisation in parts, bounds; the result is read twice.
    v = net.call("Clip", net.call("Add", net.call("Mul", between(net, "x", "Conv", a), scale), shift), number(0), number(6))
    w = numpy.clip(pointwise(x, a) * scale + shift, 0, 6)
    # A hard swish in parts, and its sum with what was before.
    h = net.call("Sub", between(net, v, "Conv", b), bias)
    h = net.call("Mul", h, net.call("Mul", net.call("Clip", net.call("Add", h, number(3)), number(0), number(6)), number(0.125)))
    k = pointwise(w, b) - bias
    v, w = net.call("Add", v, h), w + k * (numpy.clip(k + number(3), 0, 6) * number(0.125))
    # The mean decides how much of each channel goes on.
    gate = net.call("Sigmoid", between(net, net.call("ReduceMean", v, axes=[1, 2], keepdims=1), "Conv", c))
    v, w = net.call("Mul", v, gate), w / (1 + numpy.exp(-pointwise(w.mean((1, 2), keepdims=True), c)))
    v = between(net, net.call("Pad", v, ints(0, 1, 0, 0, 0, 0, 2, 0)), "MaxPool", kernel_shape=[2, 2], strides=[1, 1])
    w = numpy.pad(w, ((0, 0), (1, 0), (0, 2), (0, 0)))
    w = numpy.lib.stride_tricks.sliding_window_view(w, (2, 2), (1, 2)).max((-1, -2))
    v, w = net.call("ReduceMean", v, axes=[1, 2], keepdims=0), w.mean((1, 2))
    net.check(v, x, w.astype(numpy.float32), {"Transpose": 1, "Conv": 3, "Clip": 2, "Add": 2, "Mul": 3, "GlobalAveragePool": 1, "Sigmoid": 1,
                                              "Pad": 1, "MaxPool": 1, "ReduceMean": 1, "Relu": 1})


def heads_of_open_sizes():
    """(batch, tokens, 6) to two heads of 3 and back, by sizes that the tensors have."""
    net, x, weights = Network("heads", ["batch", "tokens", 6]), floats(2, 5, 6), floats(6, 6)

    def sizes(tensor):
        shape = net.call("Shape", tensor)
        return [net.call("Unsqueeze", net.call("Gather", shape, numpy.array(axis, numpy.int64), axis=0), ints(0)) for axis in (0, 1)]

    v = net.call("MatMul", "x", weights)
    v = net.call("Reshape", v, net.call("Concat", *sizes(v), ints(2), ints(3), axis=0))
    v = net.call("Softmax", net.call("Transpose", v, perm=[0, 2, 1, 3]), axis=2)
    v = net.call("Transpose", v, perm=[0, 2, 1, 3])
    v = net.call("Reshape", v, net.call("Concat", *sizes(v), ints(6), axis=0))
    w = (x @ weights).reshape(2, 5, 2, 3)
    w = numpy.exp(w - w.max(1, keepdims=True))
    w = (w / w.sum(1, keepdims=True)).reshape(2, 5, 6)
    net.check(v, x, w, {"MatMul": 1, "Reshape": 2, "Transpose": 2, "Softmax": 1, "Relu": 1})


def rotated_halves():
    """Each element turned with the one half an axis away, by angles that two axes are put in front of."""
    net, x, cosines, sines = Network("rotated", ["batch", 2, "tokens", 4]), floats(3, 2, 5, 4), floats(3, 4), floats(3, 4)

    def angles(values):  # of each batch and place in a head
        v = net.call("Exp", net.call("ReduceMean", "x", axes=[1, 2], keepdims=0))
        return net.call("Unsqueeze", net.call("Unsqueeze", net.call("Mul", v, values), ints(1)), ints(1))

    v, w = "x", x
    for more in ((ints(3), ints(1)), (ints(3),)):  # with steps, and without
        low, high = net.call("Slice", v, ints(0), ints(2), *more), net.call("Slice", v, ints(2), ints(2**63 - 1), *more)
        turned = net.call("Concat", net.call("Neg", high), low, axis=-1)
        v = net.call("Add", net.call("Mul", v, angles(cosines)), net.call("Mul", turned, angles(sines)))
        mean = numpy.exp(x.mean((1, 2)))[:, None, None]
        w = w * (mean * cosines[:, None, None]) + numpy.concatenate([-w[..., 2:], w[..., :2]], -1) * (mean * sines[:, None, None])
    net.check(v, x, w, {"Split": 2, "Neg": 2, "Concat": 2, "Mul": 6, "Add": 2, "Unsqueeze": 2, "ReduceMean": 1, "Exp": 1, "Relu": 1})


def windows(name, batch):
    """An image in windows of four by four and back, by six axes: sizes are numbers, or the batch is open and read from tensors."""
    net, x, weights = Network(name, [batch, 64, 6]), floats(2, 64, 6), floats(6, 6)

    def sizes(tensor, *others):
        if isinstance(batch, int):
            return ints(batch, *others)
        first = net.call("Unsqueeze", net.call("Gather", net.call("Shape", tensor), numpy.array(0, numpy.int64), axis=0), ints(0))
        return net.call("Concat", first, *(ints(other) for other in others), axis=0)

    v = net.call("Reshape", "x", sizes("x", 8, 8, 6))
    v = net.call("Transpose", net.call("Reshape", v, sizes(v, 2, 4, 2, 4, 6)), perm=[0, 1, 3, 2, 4, 5])
    v = net.call("Reshape", net.call("Reshape", v, ints(-1, 4, 4, 6)), ints(-1, 16, 6))
    v = net.call("Reshape", net.call("Softmax", net.call("MatMul", v, weights), axis=1), ints(-1, 4, 4, 6))
    v = net.call("Transpose", net.call("Reshape", v, ints(-1, 2, 2, 4, 4, 6)), perm=[0, 1, 3, 2, 4, 5])
    v = net.call("Reshape", net.call("Reshape", v, ints(-1, 8, 8, 6)), sizes("x", 64, 6))
    w = x.reshape(2, 2, 4, 2, 4, 6).transpose(0, 1, 3, 2, 4, 5).reshape(8, 16, 6) @ weights
    w = numpy.exp(w - w.max(1, keepdims=True))
    w = (w / w.sum(1, keepdims=True)).reshape(2, 2, 2, 4, 4, 6).transpose(0, 1, 3, 2, 4, 5).reshape(2, 64, 6)
    net.check(v, x, w, {"Reshape": 4, "Transpose": 2, "MatMul": 1, "Softmax": 1, "Relu": 1})


images_with_channels_last()
heads_of_open_sizes()
rotated_halves()
windows("windows", 2)
windows("windows_of_open_batches", "batch")
checks.end()
