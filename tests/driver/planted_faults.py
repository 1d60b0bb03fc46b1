"""Twenty kinds of faults as people and converters make them, planted in a model: for each kind, the places that a model has for it.

A place is (where, plant): `plant(base, changed)` alters two copies of the model. Most leave `base` as it is; a kind that few models
have a place for (a scale of a quantiser, a count of groups) first writes what is right into both. It returns the names of the tensors
that differ first."""
import copy

import numpy
from onnx import TensorProto, helper, numpy_helper

from planting import at_node, attribute, fresh, inserted, left_out, set_attribute, told, with_attribute, with_operand


def axis(model):
    for k, n in model.where("Concat", "Softmax", "Gather", "Split", "Flatten", "LogSoftmax"):
        shape = model.shape(n.input[0])
        now = attribute(n, "axis", {"Softmax": 1 if model.proto.opset_import[0].version < 13 else -1, "LogSoftmax": 1, "Flatten": 1}.get(n.op_type, 0))
        rank = len(shape) if shape else 0
        for other in {0, 1, 2, 3, -1} - {now, now + rank, now - rank}:
            if -rank <= other < rank:
                yield f"{n.op_type} axis {now} -> {other}", with_attribute(k, "axis", other)


def dropped_bias(model):
    for k, n in model.where("Conv", "Gemm", "ConvTranspose"):
        if len(n.input) > 2 and n.input[2]:
            yield f"bias of {n.op_type}", at_node(k, lambda node, graph: node.input.pop())
    for k, n in model.where("Add"):
        for position in (0, 1):
            if model.floats(n.input[position]) is not None:
                yield "bias added", with_operand(k, position, numpy.zeros_like(model.floats(n.input[position])))


def epsilon(model):
    for k, n in model.where("BatchNormalization", "LayerNormalization", "InstanceNormalization"):
        now = attribute(n, "epsilon", 1e-5)
        yield f"epsilon of {n.op_type}", with_attribute(k, "epsilon", now * 300)
    for k, n in model.where("Add"):
        for position in (0, 1):
            value = model.floats(n.input[position])
            if value is not None and value.size == 1 and 0 < value.max() < 1e-3:
                yield "epsilon added", with_operand(k, position, value * numpy.float32(300))


def swapped_operands(model):
    def swap(node, graph):
        node.input[0], node.input[1] = node.input[1], node.input[0]
    for k, n in model.where("Sub", "Div", "Pow", "MatMul"):
        if n.op_type in ("Sub", "Div") or model.shape(n.input[0]) == model.shape(n.input[1]) is not None:
            yield f"operands of {n.op_type}", at_node(k, swap)


def pads(model):
    for k, n in model.where("Conv", "MaxPool", "AveragePool", "ConvTranspose"):
        now = list(attribute(n, "pads", []))
        for at in range(len(now) // 2):
            end = at + len(now) // 2
            kernel = attribute(n, "kernel_shape", model.shape(n.input[-1])[2:] if n.op_type.startswith("Conv") and model.shape(n.input[1]) else ())
            if now[at] > 0 and len(kernel) > at and now[end] + 1 < kernel[at]:
                shifted = list(now)
                shifted[at], shifted[end] = now[at] - 1, now[end] + 1
                yield f"pads of {n.op_type} {now} -> {shifted}", with_attribute(k, "pads", shifted)


def weights_of_another(model):
    shapes = {}
    for t in model.proto.graph.initializer:
        if t.data_type == TensorProto.FLOAT and numpy.prod(t.dims) > 1:
            shapes.setdefault(tuple(t.dims), []).append(t.name)
    for k, n in enumerate(model.nodes):
        for position, name in enumerate(n.input):
            for other in shapes.get(model.shape(name) if name in model.constants else None, []):
                if other != name and model.floats(name) is not None and not numpy.allclose(model.floats(name), model.floats(other), rtol=1e-2):
                    yield f"{name} became {other}", at_node(k, lambda node, graph, p=position, o=other: node.input.__setitem__(p, o))


def slice_off_by_one(model):
    for k, n in model.where("Slice"):
        bounds = [numpy_helper.to_array(model.constants[name]) if name in model.constants else None for name in n.input[1:3]]
        shape = model.shape(n.input[0])
        if len(bounds) != 2 or bounds[0] is None or bounds[1] is None or shape is None:
            continue
        for step in (1, -1):
            low, high = bounds[0] + step, bounds[1] + step
            if (low >= 0).all() and (bounds[1] < 2 ** 31 - 1).all() and (bounds[1] > 0).all():
                def change(node, graph, low=low, high=high):
                    node.input[1], node.input[2] = fresh(graph, low), fresh(graph, high)
                yield f"slice from {bounds[0].tolist()} {step:+}", at_node(k, change)


def missing_transposition(model):
    for k, n in model.where("Transpose"):
        def plant(base, changed, k=k):
            node = changed.graph.node[k]
            source, made = node.input[0], node.output[0]
            node.output[0] = f"{made}.turned"
            changed.graph.node.insert(k + 1, helper.make_node("Shape", [node.output[0]], [f"{made}.form"]))
            changed.graph.node.insert(k + 2, helper.make_node("Reshape", [source, f"{made}.form"], [made]))
            return {made, f"{made}.form", *told(node)}
        shape = model.shape(n.input[0])
        order = attribute(n, "perm")
        moved = [a for a in order if shape is None or shape[a] != 1] if order else []
        if moved != sorted(moved):
            yield f"Transpose {list(order)}", plant
    for k, n in model.where("Gemm"):
        shape = model.shape(n.input[1])
        if shape and shape[0] == shape[1]:
            yield "Gemm transB", with_attribute(k, "transB", 1 - attribute(n, "transB", 0))


def scale_or_zero_point(model):
    """The scale of a normalisation; the scale and the zero point of a quantiser that both copies have."""
    for k, n in model.where("BatchNormalization", "LayerNormalization"):
        if model.floats(n.input[1]) is not None:
            yield f"scale of {n.op_type}", with_operand(k, 1, model.floats(n.input[1]) * numpy.float32(1.02))
    for tensor in quantisable(model):
        for name, scale, zero in (("scale", 0.055, 128), ("zero point", 0.05, 129), ("zero point", 0.05, 120)):
            def steps(graph, source, target, scale, zero, tensor=tensor):
                s, z = fresh(graph, numpy.float32(0.05)), fresh(graph, numpy.uint8(128))
                t, u = fresh(graph, numpy.float32(scale)), fresh(graph, numpy.uint8(zero))
                return [helper.make_node("QuantizeLinear", [source, s, z], [f"{tensor}.steps"]),
                        helper.make_node("DequantizeLinear", [f"{tensor}.steps", t, u], [target])]
            yield f"{name} at {tensor}", lambda base, changed, s=scale, z=zero, t=tensor, steps=steps: inserted(
                base, changed, t, lambda g, a, b: steps(g, a, b, 0.05, 128), lambda g, a, b: steps(g, a, b, s, z))


def quantisable(model):
    opset = model.proto.opset_import[0].version
    return [n.output[0] for n in model.nodes if opset >= 10 and n.op_type in ("Conv", "Gemm", "MatMul", "Relu", "Add")
            and model.is_float(n.output[0]) and n.output[0] in model.users and n.output[0] not in model.outputs]


def clip_bounds(model):
    for k, n in model.where("Clip"):
        high = attribute(n, "max")
        if high is not None:
            yield f"Clip to {high}", with_attribute(k, "max", high / 3)
        elif len(n.input) > 2 and model.floats(n.input[2]) is not None:
            yield "Clip", with_operand(k, 2, model.floats(n.input[2]) / numpy.float32(3))
    for k, n in model.where("Relu"):
        def bounded(node, graph, low):
            node.op_type = "Clip"
            if model.proto.opset_import[0].version < 11:
                set_attribute(node, "min", low)
            else:
                node.input.append(fresh(graph, numpy.float32(low)))
        def plant(base, changed, k=k, bounded=bounded):
            bounded(base.graph.node[k], base.graph, 0.0)
            bounded(changed.graph.node[k], changed.graph, 0.05)
            return told(changed.graph.node[k])
        yield "Relu as Clip from 0.05", plant


def keepdims(model):
    for k, n in model.where("ReduceMean", "ReduceSum", "ReduceMax", "ArgMax"):
        yield f"keepdims of {n.op_type}", with_attribute(k, "keepdims", 1 - attribute(n, "keepdims", 1))


def group_count(model):
    """A convolution in two groups, each with its half of the weights; and the two axes of a shuffle of channels exchanged."""
    for k, n in model.where("Conv"):
        weight = model.floats(n.input[1])
        if weight is not None and attribute(n, "group", 1) == 1 and weight.shape[0] % 2 == 0 and weight.shape[1] % 2 == 0:
            def plant(base, changed, k=k, half=weight[:, :weight.shape[1] // 2]):
                node = changed.graph.node[k]
                set_attribute(node, "group", 2)
                node.input[1] = fresh(changed.graph, numpy.ascontiguousarray(half))
                return told(node)
            yield f"groups of {n.name or n.output[0]}", plant
    for k, n in model.where("Reshape"):
        form = model.constants.get(n.input[1])
        form = numpy_helper.to_array(form) if form is not None else []
        if len(form) == 5 and form[1] != form[2] and min(form[1], form[2]) > 1:
            turned = numpy.array(form)
            turned[[1, 2]] = turned[[2, 1]]
            readers = model.users.get(n.output[0], [])
            if readers and readers[0].op_type == "Transpose":
                yield f"groups of a shuffle {form.tolist()}", with_operand(k, 1, turned)


def dilation(model):
    for k, n in model.where("Conv", "MaxPool"):
        kernel = attribute(n, "kernel_shape") or (model.shape(n.input[1]) or ())[2:]
        now = list(attribute(n, "pads", [0] * 2 * len(kernel)))
        if n.op_type == "Conv" and kernel and max(kernel) > 1 and not attribute(n, "auto_pad", b"NOTSET").startswith(b"SAME"):
            def change(node, graph, kernel=kernel, now=now):
                before = list(attribute(node, "dilations", [1] * len(kernel)))
                more = [kernel[a] - 1 for a in range(len(kernel))]
                set_attribute(node, "dilations", [d + 1 for d in before])
                set_attribute(node, "pads", [now[a] + more[a] // 2 for a in range(len(kernel))] +
                              [now[len(kernel) + a] + more[a] - more[a] // 2 for a in range(len(kernel))])
            yield f"dilation of {n.op_type} {list(kernel)}", at_node(k, change)


def reduction_axes(model):
    for k, n in model.where("ReduceMean", "ReduceSum", "ReduceMax"):
        now = attribute(n, "axes")
        for other in ([0], [1], [2], [-1], [-2], [1, 2]):
            if now and list(now) != other:
                yield f"axes of {n.op_type} {list(now)} -> {other}", with_attribute(k, "axes", other)
    for k, n in model.where("GlobalAveragePool"):
        def change(node, graph):
            node.op_type = "ReduceMean"
            set_attribute(node, "axes", [2])
        if model.proto.opset_import[0].version < 18:
            yield "axes of a global average", at_node(k, change)


def cast(model):
    # Through float16 would be one, too, which the noise of a deep model hides.
    for tensor in quantisable(model):
        def through(graph, source, target, tensor=tensor):
            return [helper.make_node("Cast", [source], [f"{tensor}.steps"], to=TensorProto.INT32),
                    helper.make_node("Cast", [f"{tensor}.steps"], [target], to=TensorProto.FLOAT)]
        yield f"through int32 at {tensor}", lambda base, changed, t=tensor, through=through: inserted(
            base, changed, t, lambda g, a, b: [helper.make_node("Identity", [a], [b])], through)


def gather_index(model):
    for k, n in model.where("Gather"):
        if n.input[1] in model.constants:
            index = numpy_helper.to_array(model.constants[n.input[1]])
            shape = model.shape(n.input[0])
            extent = shape[attribute(n, "axis", 0)] if shape else 0
            for step in (1, -1):
                other = index.copy()
                other.reshape(-1)[0] += step
                if other.min() < 0 or (step == 1 and other.max() >= extent):
                    continue
                yield f"index of {n.name or n.output[0]} {step:+}", with_operand(k, 1, other)


def concat_order(model):
    for k, n in model.where("Concat"):
        for x in range(len(n.input)):
            for y in range(x):
                def swap(node, graph, x=x, y=y):
                    node.input[x], node.input[y] = node.input[y], node.input[x]
                yield f"operands {y} and {x} of {n.name or n.output[0]}", at_node(k, swap)


def ceil_mode(model):
    for k, n in model.where("MaxPool", "AveragePool"):
        if model.proto.opset_import[0].version >= 10:
            yield f"ceil mode of {n.op_type}", with_attribute(k, "ceil_mode", 1 - attribute(n, "ceil_mode", 0))
        else:
            # What rounding up would add is a row and a column of padding there.
            now = list(attribute(n, "pads", [0, 0, 0, 0]))
            yield f"{n.op_type} as if rounded up", with_attribute(k, "pads", now[:2] + [now[2] + 1, now[3] + 1])


def activation_left_out(model):
    for k, n in model.where("Relu", "Sigmoid", "Tanh", "PRelu", "Gelu", "HardSigmoid", "Clip", "Softmax", "Elu", "LeakyRelu"):
        yield f"{n.op_type} {n.name or n.output[0]}", left_out(k)


def constant_perturbed(model):
    for k, n in enumerate(model.nodes):
        for position, name in enumerate(n.input):
            value = model.floats(name)
            if value is not None and value.size and numpy.abs(value).max() > 0:
                yield f"{name} by a thousandth", with_operand(k, position, value * numpy.float32(1.001))


KINDS = (axis, dropped_bias, epsilon, swapped_operands, pads, weights_of_another, slice_off_by_one, missing_transposition,
         scale_or_zero_point, clip_bounds, keepdims, group_count, dilation, reduction_axes, cast, gather_index, concat_order, ceil_mode,
         activation_left_out, constant_perturbed)


def places(model):
    """The kinds that the model has places for, each with all of them."""
    return {kind.__name__: found for kind in KINDS if (found := list(kind(model)))}


def planted(proto, plant):
    base, changed = copy.deepcopy(proto), copy.deepcopy(proto)
    first = plant(base, changed)
    return base, changed, first
