"""Operators whose values ONNX's conformance data lack: what the interpreter and the library compute is what numpy makes of ONNX's
formulas, of each element type; what `optimize` writes is the same to the interpreter and to ONNX Runtime."""
from formula_cases import FLOATS, case, judged, node, numpy

chance = numpy.random.default_rng(21)


def drawn(kind, *dims):
    return chance.standard_normal(dims).astype(kind)


def group_normal(x, scale, bias, groups):
    rows = x.astype(float).reshape(x.shape[0], groups, -1)
    normal = (rows - rows.mean(axis=2, keepdims=True)) / numpy.sqrt(rows.var(axis=2, keepdims=True) + 1e-5)
    each = (1, -1) + (1,) * (x.ndim - 2)
    repeat = x.shape[1] // len(scale)
    return (normal.reshape(x.shape) * scale.astype(float).repeat(repeat).reshape(each) + bias.astype(float).repeat(repeat).reshape(each)).astype(x.dtype)


for kind in FLOATS:
    for dims, groups in (((2, 4, 3, 3), 2), ((1, 6, 5), 6), ((3, 6, 2, 2, 2), 1), ((2, 4), 2)):
        for opset in (18, 21):  # before 21 scale and bias were given for each group
            x, length = drawn(kind, *dims), groups if opset == 18 else dims[1]
            scale, bias = drawn(kind, length), drawn(kind, length)
            case(f"group_{opset}_{kind}_{len(dims)}", [node("GroupNormalization", "xsb", num_groups=groups)], {"x": x},
                 {"y": group_normal(x, scale, bias, groups)}, {"s": scale, "b": bias}, opset)
    for p in (1, 2):
        for axis in (0, 1, -1):
            x = drawn(kind, 3, 4, 5)
            x[1], x[:, 2] = 0, 0  # where the norm is 0, so is the result
            norm = numpy.linalg.norm(x.astype(float), p, axis, keepdims=True)
            case(f"norm_{kind}_{p}_{axis}", [node("LpNormalization", "x", axis=axis, p=p)], {"x": x},
                 {"y": (x / numpy.where(norm == 0, 1, norm)).astype(kind)})


def lp_pool(x, p, kernel, strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1)):
    """Of two spatial axes; what is padded is 0."""
    x = numpy.pad(numpy.abs(x.astype(float)) ** p, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    sizes = [(x.shape[2 + k] - (kernel[k] - 1) * dilations[k] - 1) // strides[k] + 1 for k in (0, 1)]
    y = sum(x[:, :, r * dilations[0]::strides[0], s * dilations[1]::strides[1]][:, :, :sizes[0], :sizes[1]]
            for r in range(kernel[0]) for s in range(kernel[1]))
    return y ** (1 / p)


for kind in FLOATS:
    for p in (1, 2, 3):
        x = drawn(kind, 1, 2, 6, 7)
        for k, window in enumerate((dict(), dict(strides=(2, 2), pads=(1, 1, 0, 1)), dict(dilations=(2, 2)))):
            case(f"pool_{kind}_{p}_{k}", [node("LpPool", "x", kernel_shape=[2, 3], p=p, **window)], {"x": x},
                 {"y": lp_pool(x, p, (2, 3), **window).astype(kind)}, opset=18)
        case(f"global_pool_{kind}_{p}", [node("GlobalLpPool", "x", p=p)], {"x": x},
             {"y": ((numpy.abs(x.astype(float)) ** p).sum(axis=(2, 3), keepdims=True) ** (1 / p)).astype(kind)})
REDUCED = {"none": lambda old, new: new, "add": lambda old, new: old + new, "mul": lambda old, new: old * new, "max": max, "min": min}


def scattered(x, places, updates, reduction):
    """The updates, one after the other, each at its place."""
    y = x.copy()
    for where, update in zip(places, updates):
        y[where] = REDUCED[reduction](y[where], update)
    return y


def by_elements(x, indices, updates, axis, reduction):
    places = [tuple(int(indices[at]) if k == axis else at[k] for k in range(x.ndim)) for at in numpy.ndindex(indices.shape)]
    return scattered(x, places, updates.ravel(), reduction)


def by_rows(x, indices, updates, reduction):
    depth = indices.shape[-1]
    places = [(*map(int, indices[at]), *rest) for at in numpy.ndindex(indices.shape[:-1]) for rest in numpy.ndindex(x.shape[depth:])]
    return scattered(x, places, updates.ravel(), reduction)


def whole(kind, *dims):
    return chance.integers(0 if kind in ("uint8", "bool") else -5, 2 if kind == "bool" else 6, dims).astype(kind)


# Places are data, and some are counted from the end; with a reduction several updates have one place.
for kind in ("float32", "float16", "int64", "uint8", "bool"):
    for reduction in REDUCED if kind != "bool" else ("none",):
        for axis, dims, part in ((0, (5, 3), (3, 2)), (1, (2, 5, 3), (2, 4, 2))):
            x, updates = whole(kind, *dims), whole(kind, *part)
            distinct = numpy.argsort(chance.random([n if k != axis else dims[axis] for k, n in enumerate(part)]), axis).take(range(part[axis]), axis)
            indices = distinct if reduction == "none" else chance.integers(0, dims[axis], part)
            indices = numpy.where(chance.random(part) < 0.4, indices - dims[axis], indices).astype(numpy.int64)
            expected = by_elements(x, indices, updates, axis, reduction)
            case(f"elements_{kind}_{reduction}_{axis}", [node("ScatterElements", "xiu", axis=axis, reduction=reduction)],
                 {"x": x, "i": indices, "u": updates}, {"y": expected}, opset=18)
        for dims, depth in (((4, 3), 1), ((3, 2, 4), 2)):
            count = int(numpy.prod(dims[:depth]))
            rows = chance.permutation(count)[:3] if reduction == "none" else chance.integers(0, count, 3)
            indices = numpy.stack(numpy.unravel_index(rows, dims[:depth]), -1)
            indices = numpy.where(chance.random(indices.shape) < 0.4, indices - dims[:depth], indices).astype(numpy.int64)
            x, updates = whole(kind, *dims), whole(kind, 3, *dims[depth:])
            case(f"rows_{kind}_{reduction}_{depth}", [node("ScatterND", "xiu", reduction=reduction)], {"x": x, "i": indices, "u": updates},
                 {"y": by_rows(x, indices, updates, reduction)}, opset=18)

# Positions of the largest and smallest integers, the ends of the type among them, equal ones too.
for kind in ("int32", "int64", "uint32", "uint64", "int16", "uint16", "int8", "uint8"):
    low, high = numpy.iinfo(kind).min, numpy.iinfo(kind).max
    x = numpy.array([[low, low, low, low], [high, high, low, high], [1, low, high, low], [5, 5, 7, 7], [high, high - 1, high, high - 1]], kind)
    wide = chance.integers(0, 3, (2, 40)).astype(kind)  # more than are written out
    for op, extremum in (("ArgMax", numpy.argmax), ("ArgMin", numpy.argmin)):
        for last in (0, 1):
            arguments = lambda a: a.shape[1] - 1 - extremum(a[:, ::-1], 1) if last else extremum(a, 1)
            case(f"{op}_{kind}_{last}", [node(op, "x", axis=1, keepdims=0, select_last_index=last)], {"x": x}, {"y": arguments(x)}, by_runtime=False)
            case(f"{op}_{kind}_{last}_wide", [node(op, "x", axis=1, keepdims=0, select_last_index=last)], {"x": wide}, {"y": arguments(wide)},
                 by_runtime=kind == "int64")
judged()
