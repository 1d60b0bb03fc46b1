"""ONNX's quantised operators in numpy, from their specification: sums of integers are exact, quotients are in double precision."""
import numpy


def one_for(value, axis, rank):
    """A scale or zero point of an axis, as it broadcasts."""
    value = numpy.asarray(value)
    return value if value.ndim == 0 or value.size == 1 else value.reshape([-1 if k == axis % rank else 1 for k in range(rank)])


def quantise(x, scale, zero, axis=1):
    zero = numpy.asarray(zero)
    bounds = numpy.iinfo(zero.dtype)
    steps = numpy.rint(x / one_for(scale, axis, x.ndim).astype(float)) + one_for(zero, axis, x.ndim)
    return numpy.clip(steps, bounds.min, bounds.max).astype(zero.dtype)


def dequantise(q, scale, zero=0, axis=1):
    return (q.astype(numpy.int64) - one_for(zero, axis, q.ndim)).astype(float) * one_for(scale, axis, q.ndim).astype(float)


def convolve(x, w, strides=(1, 1), pads=(0, 0, 0, 0), group=1, dilations=(1, 1)):
    x = numpy.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    rows, columns = ((x.shape[2 + k] - dilations[k] * (w.shape[2 + k] - 1) - 1) // strides[k] + 1 for k in (0, 1))
    y = numpy.zeros((x.shape[0], w.shape[0], rows, columns), x.dtype)
    each, channels = w.shape[0] // group, w.shape[1]
    for o in range(w.shape[0]):
        part = x[:, o // each * channels:(o // each + 1) * channels]
        for r in range(rows):
            for c in range(columns):
                at = part[:, :, r * strides[0]:r * strides[0] + dilations[0] * (w.shape[2] - 1) + 1:dilations[0],
                          c * strides[1]:c * strides[1] + dilations[1] * (w.shape[3] - 1) + 1:dilations[1]]
                y[:, o, r, c] = (at * w[o]).sum(axis=(1, 2, 3))
    return y


def dynamic(x):
    low, high = min(0.0, float(x.min())), max(0.0, float(x.max()))
    scale = numpy.float32((high - low) / 255) if high > low else numpy.float32(1)
    zero = numpy.uint8(numpy.clip(numpy.rint(-low / float(scale)), 0, 255))
    return quantise(x, scale, zero), scale, zero


def run(model, values):
    """The outputs of a model of these operators. `values`: by name, the inputs and initialisers; what is computed is added."""
    for node in model.graph.node:
        given = [values[name] if name else None for name in node.input]
        how = {attribute.name: list(attribute.ints) or attribute.i for attribute in node.attribute}
        found = OPERATORS[node.op_type](how, *given)
        for name, value in zip(node.output, found if isinstance(found, tuple) else (found,)):
            values[name] = value
    return [values[output.name] for output in model.graph.output]


def whole(q, zero, axis=1):
    return q.astype(numpy.int64) - one_for(0 if zero is None else zero, axis, q.ndim)


def qlinear_conv(how, x, sx, zx, w, sw, zw, sy, zy, b=None):
    total = convolve(whole(x, zx), whole(w, zw, 0), **how)
    total = total if b is None else total + b.astype(numpy.int64).reshape(1, -1, 1, 1)
    return quantise(total * (float(sx) * one_for(sw, 1, 4).astype(float)), sy, zy)


def conv(how, x, w, b=None):
    return convolve(x, w, **how) + (0 if b is None else b.reshape(1, -1, 1, 1))


OPERATORS = {
    "QuantizeLinear": lambda how, x, s, z: quantise(x, s, z, how.get("axis", 1)),
    "DequantizeLinear": lambda how, q, s, z=0: dequantise(q, s, z, how.get("axis", 1)),
    "DynamicQuantizeLinear": lambda how, x: dynamic(x),
    "QLinearConv": qlinear_conv,
    "Conv": conv,
    "QLinearMatMul": lambda how, a, sa, za, b, sb, zb, sy, zy: quantise(
        whole(a, za) @ whole(b, zb) * (float(sa) * numpy.asarray(sb).astype(float)), sy, zy),
    "MatMulInteger": lambda how, a, b, za=None, zb=None: whole(a, za) @ whole(b, zb),
    "MatMul": lambda how, a, b: a @ b,
    "Mul": lambda how, a, b: a * b,
    "Add": lambda how, a, b: a + b,
    "Relu": lambda how, x: numpy.maximum(x, 0),
    "Floor": lambda how, x: numpy.floor(x),
    "Round": lambda how, x: numpy.rint(x),
    "Div": lambda how, a, b: a / b,
    "Cast": lambda how, x: x.astype({1: float, 2: numpy.uint8, 3: numpy.int8, 6: numpy.int32}[how["to"]]),
    "Clip": lambda how, x, low, high: numpy.clip(x, low, high),
    "QLinearAdd": lambda how, a, sa, za, b, sb, zb, sy, zy: quantise(dequantise(a, sa, za) + dequantise(b, sb, zb), sy, zy),
    "QLinearMul": lambda how, a, sa, za, b, sb, zb, sy, zy: quantise(dequantise(a, sa, za) * dequantise(b, sb, zb), sy, zy),
}
