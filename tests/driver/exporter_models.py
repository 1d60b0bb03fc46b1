"""Models as exporters of many years write them, by name: each a model, what it is fed, and the outputs that ONNX Runtime's node package can
hand over (None: all). `FILES` lie beside them."""
import numpy
from model_pairs import BFLOAT, BOOL, DOUBLE, FLOAT, HALF, INT32, INT64, INT8, STRING, UINT8, ints, node, value
from onnx import AttributeProto, FunctionProto, ModelProto, SparseTensorProto, TensorProto, TypeProto, ValueInfoProto, helper, numpy_helper

MODELS, FILES = {}, {}
KINDS = {FLOAT: "float32", INT64: "int64", INT32: "int32", INT8: "int8", UINT8: "uint8", BOOL: "bool", DOUBLE: "float64"}
IR = {7: 3, 8: 3, 9: 4, 10: 5, 11: 6, 12: 7, 13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11, 24: 12, 25: 12, 26: 13}
chance = numpy.random.RandomState(11)


def graph(nodes, inputs, outputs, constants=(), name="g", **more):
    return helper.make_graph(nodes, name, list(inputs), list(outputs), list(constants), **more)


def model(nodes, inputs, outputs, constants=(), opset=13, imports=(), functions=(), ir=None, **more):
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(*pair) for pair in imports)]
    made = helper.make_model(graph(nodes, inputs, outputs, constants, "main_graph", **more), opset_imports=opsets, functions=list(functions))
    made.ir_version = ir or IR[opset]
    made.producer_name, made.producer_version = "exporter", "1.7"
    return made


def weights(name, *dims, kind=numpy.float32, low=-0.5, high=0.5):
    return numpy_helper.from_array(chance.uniform(low, high, dims).astype(kind), name)


def array(name, values, kind=numpy.float32):
    return numpy_helper.from_array(numpy.array(values, kind), name)


def random_feed(info, sizes):
    kind = KINDS[info.type.tensor_type.elem_type]
    dims = [sizes.get(dim.dim_param, 2) if dim.dim_param else dim.dim_value for dim in info.type.tensor_type.shape.dim]
    count = int(numpy.prod(dims))
    if kind == "bool":
        data = [1] * count
    elif kind.startswith("float"):
        data = [float(numpy.float32(v)) for v in chance.uniform(-1, 1, count)]
    else:
        data = [int(v) for v in chance.randint(0, 3, count)]
    return (info.name, kind, dims, data)


def add(name, made, feeds=None, sizes=None, outputs=None):
    assert name not in MODELS, name
    left_out = {one.name for one in made.graph.initializer}
    if feeds is None:
        feeds = [random_feed(one, sizes or {}) for one in made.graph.input if one.name not in left_out]
    MODELS[name] = (made.SerializeToString() if isinstance(made, ModelProto) else made, feeds, outputs)


def known(opset, since, name, numbers, **attribute):
    """What was an attribute before `since` and is an operand from then on: the operand's name, the constants, the attributes."""
    return ([], [], attribute) if opset < since else ([name], [ints(name, *numbers)], {})


# --- each opset: a small network of images, and the arithmetic of sizes around it
def network_of_images(opset):
    clip = ([], [], dict(min=0.0, max=6.0)) if opset < 11 else (["low", "high"], [array("low", 0.0), array("high", 6.0)], {})
    pads = [0, 0, 1, 1, 0, 0, 1, 1]
    padding = ([], [], dict(pads=pads, mode="constant")) if opset < 11 else (["pads"], [ints("pads", *pads)], {})
    mean = ([], [], dict(axes=[2, 3])) if opset < 18 else (["axes"], [ints("axes", 2, 3)], {})
    drop = dict(ratio=0.25) if opset < 12 else {}
    nodes = [node("Pad", " ".join(["x", *padding[0]]), "p", **padding[2]), node("Conv", "p w b", "c", kernel_shape=[3, 3]),
             node("BatchNormalization", "c s t m v", "n", epsilon=1e-5), node("Clip", " ".join(["n", *clip[0]]), "k", **clip[2]),
             node("MaxPool", "k", "q", kernel_shape=[2, 2], strides=[2, 2]), node("Dropout", "q", "d", **drop),
             node("ReduceMean", " ".join(["d", *mean[0]]), "r", keepdims=0, **mean[2]), node("Gemm", "r u z", "l", transB=1),
             node("Softmax", "l", "y", axis=1)]
    constants = [weights("w", 4, 3, 3, 3), weights("b", 4), weights("s", 4), weights("t", 4), weights("m", 4), weights("v", 4, low=0.5, high=1.5),
                 weights("u", 5, 4), weights("z", 5), *clip[1], *padding[1], *mean[1]]
    inputs = [value("x", ("batch", 3, 8, 8))]
    if IR[opset] < 4:  # then each initialiser is an input, too
        inputs += [value(one.name, list(one.dims)) for one in constants]
    return model(nodes, inputs, [value("y", ("batch", 5))], constants, opset)


def sizes_of_tensors(opset):
    squeeze = known(opset, 13, "first", [0], axes=[0])
    starts = ([], [], dict(starts=[0], ends=[1], axes=[0])) if opset < 10 else (["from", "upto", "first0"], [ints("from", 0), ints("upto", 1), ints("first0", 0)], {})
    parts = known(opset, 13, "parts", [2, 4], split=[2, 4])
    total = known(opset, 13, "last", [2], axes=[2])
    nodes = [node("Shape", "x", "sh"), node("Gather", "sh zero", "n", axis=0), node("Unsqueeze", " ".join(["n", *squeeze[0]]), "n1", **squeeze[2]),
             node("Slice", " ".join(["sh", *starts[0]]), "n2", **starts[2]), node("Concat", "n1 minus three two", "to", axis=0),
             node("Reshape", "x to", "r"), node("Transpose", "r", "t", perm=[0, 1, 3, 2]), node("Concat", "n2 minus six", "back", axis=0),
             node("Reshape", "t back", "f"), node("Split", " ".join(["f", *parts[0]]), "g h", axis=2, **parts[2]), node("Mul", "g g", "gg"),
             node("ReduceSum", " ".join(["h", *total[0]]), "hs", keepdims=1, **total[2]), node("Add", "gg hs", "a"), node("Cast", "a", "i", to=DOUBLE),
             node("Cast", "i", "y", to=FLOAT)]
    constants = [array("zero", 0, numpy.int64), ints("minus", -1), ints("three", 3), ints("two", 2), ints("six", 6), *squeeze[1], *starts[1], *parts[1], *total[1]]
    constants = [c for k, c in enumerate(constants) if c.name not in [d.name for d in constants[:k]]]
    inputs = [value("x", ("n", 4, 6))]
    if IR[opset] < 4:
        inputs += [value(one.name, list(one.dims), INT64) for one in constants]
    return model(nodes, inputs, [value("y", ("n", 4, 2))], constants, opset)


def layers_of_text(opset):
    """Embedding, normalisation in parts, a product of heads, GELU as PyTorch spells it."""
    one = known(opset, 18, "axis", [-1], axes=[-1])
    nodes = [node("Gather", "table ids", "e"), node("ReduceMean", " ".join(["e", *one[0]]), "m", **one[2]), node("Sub", "e m", "c"), node("Pow", "c two", "sq"),
             node("ReduceMean", " ".join(["sq", *one[0]]), "va", **one[2]), node("Add", "va eps", "ve"), node("Sqrt", "ve", "sd"), node("Div", "c sd", "no"),
             node("Mul", "no ga", "ns"), node("Add", "ns be", "ln"), node("MatMul", "ln w", "h"), node("Add", "h wb", "hb"), node("Div", "hb root", "hr"),
             node("Erf", "hr", "er"), node("Add", "er unit", "eo"), node("Mul", "hb eo", "ho"), node("Mul", "ho half", "ge"), node("MatMul", "ge v", "o"),
             node("Add", "o vb", "y0"), node("Add", "y0 e", "y")]
    constants = [weights("table", 10, 4), array("two", 2.0), array("eps", 1e-5), weights("ga", 4), weights("be", 4), weights("w", 4, 8), weights("wb", 8),
                 array("root", 1.4142135623730951), array("unit", 1.0), array("half", 0.5), weights("v", 8, 4), weights("vb", 4), *one[1]]
    return model(nodes, [value("ids", ("batch", "tokens"), INT64)], [value("y", ("batch", "tokens", 4))], constants, opset)


for opset in range(7, 27):
    add(f"images_{opset}", network_of_images(opset))
    add(f"sizes_{opset}", sizes_of_tensors(opset), sizes={"n": 3})
    if opset >= 9:
        add(f"text_{opset}", layers_of_text(opset), sizes={"batch": 2, "tokens": 3})


# --- PyTorch 1.x
def interpolate(opset):
    """F.interpolate(scale_factor=2): sizes are floored products of sizes; Upsample of opset 9, Resize later."""
    nodes = [node("Shape", "x", "s1"), node("Gather", "s1 two", "h"), node("Cast", "h", "hf", to=FLOAT), node("Mul", "hf k", "hk"), node("Cast", "hk", "hk1", to=FLOAT),
             node("Floor", "hk1", "hk2"), node("Shape", "x", "s2"), node("Gather", "s2 three", "v"), node("Cast", "v", "vf", to=FLOAT), node("Mul", "vf k", "vk"),
             node("Cast", "vk", "vk1", to=FLOAT), node("Floor", "vk1", "vk2"), node("Unsqueeze", "hk2", "hu", axes=[0]), node("Unsqueeze", "vk2", "vu", axes=[0]),
             node("Concat", "hu vu", "want", axis=0), node("Shape", "x", "s3"), node("Cast", "s3", "s3f", to=FLOAT)]
    if opset < 10:
        nodes += [node("Slice", "s3f", "have", axes=[0], starts=[2], ends=[4])]
    else:
        nodes += [node("Slice", "s3f from to", "have")]
    nodes += [node("Div", "want have", "ratio"), node("Concat", "ones ratio", "scales", axis=0), node("Upsample" if opset < 10 else "Resize", "x scales", "y", mode="nearest")]
    constants = [array("two", 2, numpy.int64), array("three", 3, numpy.int64), array("k", 2.0), array("ones", [1.0, 1.0])]
    constants += [ints("from", 2), ints("to", 4)] if opset >= 10 else []
    return model(nodes, [value("x", (1, 2, 3, 5))], [value("y", (1, 2, 6, 10))], constants, opset)


add("torch_interpolate_9", interpolate(9))
add("torch_interpolate_10", interpolate(10))
add("torch_interpolate_11", model([node("Shape", "x", "s"), node("Slice", "s zero two zero", "front"), node("Concat", "front want", "sizes", axis=0),
                                   node("Resize", "x roi none sizes", "y", mode="linear", coordinate_transformation_mode="pytorch_half_pixel", cubic_coeff_a=-0.75,
                                        nearest_mode="floor")], [value("x", ("n", 2, 3, 5))], [value("y", ("n", 2, 7, 9))],
                                  [ints("zero", 0), ints("two", 2), ints("want", 7, 9), array("roi", []), array("none", [])], 11))


def lstm_of_torch(opset, dynamic):
    """nn.LSTM, batch_first, two directions: states of zeros whose sizes are read, weights sliced and reordered out of one."""
    nodes, constants = [], [array("one", 1, numpy.int64), weights("w", 2, 16, 3), weights("r", 2, 16, 4), weights("b", 2, 32), ints("zero1", 0), ints("one1", 1)]
    axis = (lambda name: dict(axes=[int(name[-1])])) if opset < 13 else (lambda name: {})
    with_axis = (lambda x, name: x) if opset < 13 else (lambda x, name: f"{x} {name}")
    nodes += [node("Transpose", "x", "xt", perm=[1, 0, 2])]
    if dynamic:
        nodes += [node("Shape", "xt", "sh"), node("Gather", "sh one", "n"), node("Unsqueeze", with_axis("n", "ax0"), "nu", **axis("ax0")),
                  node("Concat", "two1 nu four1", "ss", axis=0), node("Expand", "z3 ss", "h0"), node("Expand", "z3 ss", "c0")]
        constants += [ints("two1", 2), ints("four1", 4), array("z3", [[[0.0]]])]
        states = "h0 c0"
    else:
        states = "_ _"
    nodes += [node("LSTM", f"xt w r b _ {states}", "o hn cn", hidden_size=4, direction="bidirectional"), node("Transpose", "o", "ot", perm=[0, 2, 1, 3]),
              node("Reshape", "ot to", "oo"), node("Transpose", "oo", "y", perm=[1, 0, 2]), node("Slice", "hn zero1 one1 zero1", "hl"),
              node("Squeeze", with_axis("hl", "ax0"), "last", **axis("ax0"))]
    constants += [ints("to", 0, 0, -1)] + ([ints("ax0", 0)] if opset >= 13 else [])
    return model(nodes, [value("x", ("batch", "time", 3))], [value("y", ("batch", "time", 8)), value("last", ("batch", 4))], constants, opset)


for opset, dynamic in ((11, True), (12, False), (13, True), (17, False), (22, True)):
    add(f"torch_lstm_{opset}_{'open' if dynamic else 'plain'}", lstm_of_torch(opset, dynamic), sizes={"batch": 2, "time": 3})

add("torch_group_norm", model([node("Reshape", "x to", "r"), node("InstanceNormalization", "r s b", "i", epsilon=1e-5), node("Shape", "x", "sh"), node("Reshape", "i sh", "o"),
                               node("Mul", "o g", "m"), node("Add", "m h", "y")], [value("x", (2, 4, 3, 3))], [value("y", (2, 4, 3, 3))],
                              [ints("to", 0, 2, -1), array("s", [1, 1]), array("b", [0, 0]), weights("g", 4, 1, 1), weights("h", 4, 1, 1)], 12))
add("torch_pixel_shuffle", model([node("Reshape", "x a", "r"), node("Transpose", "r", "t", perm=[0, 1, 4, 2, 5, 3]), node("Reshape", "t b", "y")],
                                 [value("x", (1, 8, 3, 3))], [value("y", (1, 2, 6, 6))], [ints("a", 1, 2, 2, 2, 3, 3), ints("b", 1, 2, 6, 6)], 9))
add("torch_channel_shuffle", model([node("Reshape", "x a", "r"), node("Transpose", "r", "t", perm=[0, 2, 1, 3, 4]), node("Reshape", "t b", "y")],
                                   [value("x", ("n", 6, 3, 3))], [value("y", ("n", 6, 3, 3))], [ints("a", -1, 2, 3, 3, 3), ints("b", -1, 6, 3, 3)], 9))
add("torch_weight_norm", model([node("ReduceL2", "v", "n", axes=[1], keepdims=1), node("Div", "v n", "u"), node("Mul", "u g", "w"), node("Transpose", "w", "wt", perm=[1, 0]),
                                node("MatMul", "x wt", "p"), node("Add", "p b", "y")], [value("x", ("n", 3))], [value("y", ("n", 4))],
                               [weights("v", 4, 3), weights("g", 4, 1), weights("b", 4)], 11))
add("torch_spectral_norm", model([node("MatMul", "w v", "wv"), node("Mul", "wv u", "m"), node("ReduceSum", "m", "s", keepdims=0), node("Div", "w s", "ws"), node("Gemm", "x ws b", "y", transB=1)],
                                 [value("x", ("n", 3))], [value("y", ("n", 4))], [weights("w", 4, 3), weights("v", 3), weights("u", 4), weights("b", 4)], 12))
add("torch_roll", model([node("Slice", "x s e a", "p"), node("Slice", "x z f a", "q"), node("Concat", "p q", "y", axis=1)], [value("x", (1, 6, 2))], [value("y", (1, 6, 2))],
                        [ints("s", -2), ints("e", 2**63 - 1), ints("a", 1), ints("z", 0), ints("f", -2)], 11))
add("torch_slice_assign", model([node("Shape", "x", "sh"), node("Gather", "sh zero", "n"), node("Range", "zero n one", "r"), node("Reshape", "r col", "rc"),
                                 node("Expand", "k two", "ke"), node("Unsqueeze", "r", "ru", axes=[1]), node("Concat", "ru ke2", "idx", axis=1), node("ScatterND", "x idx up", "y")],
                                [value("x", (2, 3))], [value("y", (2, 3))],
                                [array("zero", 0, numpy.int64), array("one", 1, numpy.int64), ints("col", -1, 1), ints("k", 1), ints("two", 2), array("ke2", [[1], [1]], numpy.int64),
                                 array("up", [7, 8])], 11))
add("torch_masked_fill", model([node("Equal", "m zero", "e"), node("Cast", "e", "b", to=BOOL), node("Where", "b low x", "w"), node("Softmax", "w", "s", axis=3),
                                node("Cast", "e", "b2", to=BOOL), node("Where", "b2 none s", "y")], [value("x", (1, 2, 3, 3)), value("m", (1, 1, 3, 3), INT64)],
                               [value("y", (1, 2, 3, 3))], [array("zero", 0, numpy.int64), array("low", -1e9), array("none", 0.0)], 12))
add("torch_hard_sigmoid_opset_9", model([node("Add", "x three", "a"), node("Clip", "a", "c", min=0.0, max=6.0), node("Div", "c six", "y")], [value("x", (2, 3))], [value("y", (2, 3))],
                                        [array("three", 3.0), array("six", 6.0)], 9))
add("torch_constants_as_nodes", model([node("Constant", "", "k", value=array("", 2.0)), node("Mul", "x k", "a"), node("Constant", "", "k2", value=array("", [0.5, 1.0, 2.0])),
                                       node("Add", "a k2", "b"), node("Constant", "", "sh", value=array("", [-1, 2], numpy.int64)), node("Reshape", "b sh", "y")],
                                      [value("x", (2, 3))], [value("y", (3, 2))], [], 9))
add("torch_squeeze_guard", model([node("Shape", "x", "s"), node("Gather", "s one", "d"), node("Equal", "d one", "e"),
                                  node("If", "e", "y", then_branch=graph([node("Squeeze", "x ax", "q")], [], [value("q", None)], name="t"),
                                       else_branch=graph([node("Identity", "x", "i")], [], [value("i", None)], name="e"))],
                                 [value("x", (3, 1, 2))], [value("y", None)], [array("one", 1, numpy.int64), ints("ax", 1)], 13))
add("torch_squeeze_guard_open", model([node("Shape", "x", "s"), node("Gather", "s one", "d"), node("Equal", "d one", "e"),
                                       node("If", "e", "y", then_branch=graph([node("Squeeze", "x ax", "q")], [], [value("q", None)], name="t"),
                                            else_branch=graph([node("Identity", "x", "i")], [], [value("i", None)], name="e"))],
                                      [value("x", (3, "m", 2))], [value("y", None)], [array("one", 1, numpy.int64), ints("ax", 1)], 13))
add("torch_embedding_bag", model([node("Shape", "off", "sh"), node("Gather", "sh zero", "n"), node("Concat", "off end", "all", axis=0),
                                  node("Loop", "n yes", "y", body=graph(
                                      [node("Gather", "off i", "a"), node("Add", "i one", "j"), node("Gather", "all j", "b"), node("Unsqueeze", "a", "au", axes=[0]),
                                       node("Unsqueeze", "b", "bu", axes=[0]), node("Slice", "ids au bu first", "part"), node("Gather", "table part", "rows"),
                                       node("ReduceMean", "rows", "mean", axes=[0], keepdims=0), node("Identity", "go", "on")],
                                      [value("i", (), INT64), value("go", (), BOOL)], [value("on", (), BOOL), value("mean", (3,))], name="bag"))],
                                 [value("ids", (5,), INT64), value("off", (2,), INT64)], [value("y", ("bags", 3))],
                                 [array("zero", 0, numpy.int64), array("one", 1, numpy.int64), ints("end", 5), ints("first", 0), array("yes", True, bool), weights("table", 6, 3)], 11),
    feeds=[("ids", "int64", [5], [0, 2, 1, 4, 5]), ("off", "int64", [2], [0, 3])])


def attention_of_torch(opset, mask):
    heads = [node("MatMul", f"x w{k}", f"p{k}") for k in "qkv"] + [node("Add", f"b{k} p{k}", f"a{k}") for k in "qkv"]
    heads += [node("Reshape", f"a{k} to", f"h{k}") for k in "qkv"]
    heads += [node("Transpose", "hq", "tq", perm=[0, 2, 1, 3]), node("Transpose", "hk", "tk", perm=[0, 2, 3, 1]), node("Transpose", "hv", "tv", perm=[0, 2, 1, 3])]
    heads += [node("MatMul", "tq tk", "sc0"), node("Div", "sc0 root", "sc")]
    heads += [node("Add", "sc mask", "sm")] if mask else []
    heads += [node("Softmax", "sm" if mask else "sc", "so", axis=-1 if opset >= 13 else 3), node("MatMul", "so tv", "ctx"), node("Transpose", "ctx", "ct", perm=[0, 2, 1, 3]),
              node("Reshape", "ct back", "cr"), node("MatMul", "cr wo", "oo"), node("Add", "oo bo", "y")]
    constants = [weights(f"w{k}", 8, 8) for k in "qkvo"] + [weights(f"b{k}", 8) for k in "qkvo"] + [ints("to", 0, -1, 2, 4), ints("back", 0, -1, 8), array("root", 2.0)]
    return model(heads, [value("x", ("batch", "tokens", 8))] + ([value("mask", ("batch", 1, 1, "tokens"))] if mask else []), [value("y", ("batch", "tokens", 8))], constants, opset)


for opset, mask in ((10, False), (12, True), (14, True), (21, False)):
    add(f"torch_attention_{opset}", attention_of_torch(opset, mask), sizes={"tokens": 3})

def decoder_of_open_sizes(layers):
    """GPT as exporters of it write it: positions counted from the length of what is past, whose rows may be one for the whole batch or not, as
    far as sizes tell; each layer's sums meet both again."""
    sizes = lambda x, k: [node("Shape", x, f"s{k}"), node("Gather", f"s{k} zero", f"n{k}"), node("Gather", f"s{k} one", f"t{k}"), node("Unsqueeze", f"n{k} ax0", f"nu{k}"), node("Unsqueeze", f"t{k} ax0", f"tu{k}")]
    nodes = [*sizes("ids", ""), node("Shape", "past", "sp"), node("Gather", "sp one", "from"), node("Add", "from t", "upto"), node("Range", "from upto one", "r"), node("Unsqueeze", "r ax0", "ru"),
             node("Concat", "minus tu", "rows", axis=0), node("Reshape", "ru rows", "pos"), node("Gather", "table ids", "e"), node("Gather", "places pos", "p"), node("Add", "e p", "h0")]
    for k in range(layers):
        nodes += [*sizes(f"h{k}", k), node("Concat", f"nu{k} tu{k} two1 two1", f"to{k}", axis=0),
                  *(one for w in "qkv" for one in (node("MatMul", f"h{k} w{w}", f"{w}{k}"), node("Reshape", f"{w}{k} to{k}", f"{w}r{k}"),
                                                   node("Transpose", f"{w}r{k}", f"{w}t{k}", perm=[0, 2, 3, 1] if w == "k" else [0, 2, 1, 3]))),
                  node("MatMul", f"qt{k} kt{k}", f"sc{k}"), node("Add", f"sc{k} mask", f"sm{k}"), node("Softmax", f"sm{k}", f"so{k}", axis=-1), node("MatMul", f"so{k} vt{k}", f"c{k}"),
                  node("Transpose", f"c{k}", f"ct{k}", perm=[0, 2, 1, 3]), *sizes(f"ct{k}", f"_{k}"), node("Concat", f"nu_{k} tu_{k} four1", f"back{k}", axis=0), node("Reshape", f"ct{k} back{k}", f"cr{k}"), node("Add", f"h{k} cr{k}", f"h{k + 1}")]
    constants = [array("zero", 0, numpy.int64), array("one", 1, numpy.int64), ints("ax0", 0), ints("minus", -1), ints("two1", 2), ints("four1", 4), weights("table", 9, 4), weights("places", 12, 4),
                 *(weights(f"w{w}", 4, 4) for w in "qkv")]
    return model([*nodes, node("Identity", f"h{layers}", "y")], [value("ids", ("batch", "tokens"), INT64), value("past", ("batch", "past")), value("mask", ("batch", 1, 1, "total"))],
                 [value("y", ("batch", "tokens", 4))], constants, 13)


add("decoder_of_open_sizes", decoder_of_open_sizes(8), sizes={"batch": 2, "tokens": 3, "past": 2, "total": 3})

# --- PyTorch's newer exporter: functions of its own, names like arguments
add("dynamo_functions", model(
    [node("aten_linear", "x w b", "h", domain="pkg.onnxscript.torch_lib"), node("gelu_of_module", "h", "y", domain="pkg.torch.2.1", approximate="none")],
    [value("x", (2, 4))], [value("y", (2, 3))], [weights("w", 3, 4), weights("b", 3)], 18, [("pkg.onnxscript.torch_lib", 1), ("pkg.torch.2.1", 1)],
    [helper.make_function("pkg.onnxscript.torch_lib", "aten_linear", ["a", "w", "b"], ["r"],
                          [node("Transpose", "w", "t", perm=[1, 0]), node("MatMul", "a t", "m"), node("Add", "m b", "r")], [helper.make_opsetid("", 18)]),
     helper.make_function("pkg.torch.2.1", "gelu_of_module", ["s"], ["r"],
                          [node("aten_gelu", "s", "r", domain="pkg.onnxscript.torch_lib")], [helper.make_opsetid("pkg.onnxscript.torch_lib", 1)], ["approximate"]),
     helper.make_function("pkg.onnxscript.torch_lib", "aten_gelu", ["s"], ["r"],
                          [helper.make_node("Constant", [], ["root"], value_float=1.4142135381698608), helper.make_node("Constant", [], ["one"], value_float=1.0),
                           helper.make_node("Constant", [], ["half"], value_float=0.5), node("CastLike", "root s", "rl"), node("Div", "s rl", "d"), node("Erf", "d", "e"),
                           node("CastLike", "one s", "ol"), node("Add", "e ol", "f"), node("Mul", "s f", "g"), node("CastLike", "half s", "hl"), node("Mul", "hl g", "r")],
                          [helper.make_opsetid("", 18)])], ir=8))


def referring(op, inputs, outputs, **names):
    made = node(op, inputs, outputs)
    for name, (of, kind) in names.items():
        attribute = made.attribute.add()
        attribute.name, attribute.ref_attr_name, attribute.type = name, of, kind
    return made


flattening = helper.make_function("own.layers", "Flat", ["a"], ["r"], [referring("Flatten", "a", "f", axis=("from", AttributeProto.INT)),
                                                                     referring("LeakyRelu", "f", "r", alpha=("slope", AttributeProto.FLOAT))],
                                  [helper.make_opsetid("", 16)], ["from", "slope"])
add("function_attributes", model([node("Flat", "x", "a", domain="own.layers", **{"from": 1, "slope": 0.25}), node("Flat", "x", "b", domain="own.layers", **{"from": 2, "slope": 0.5})],
                                 [value("x", (2, 3, 4))], [value("a", (2, 12)), value("b", (6, 4))], [], 16, [("own.layers", 1)], [flattening]))
defaulted = FunctionProto()
defaulted.CopyFrom(flattening)
del defaulted.attribute[1:]
slope = helper.make_attribute("slope", 0.125)
data = defaulted.SerializeToString() + b"\x5a" + bytes([len(slope.SerializeToString())]) + slope.SerializeToString()  # attribute_proto = 11
defaulted = FunctionProto.FromString(data)
add("function_default_attributes", model([node("Flat", "x", "a", domain="own.layers", **{"from": 1}), node("Flat", "x", "b", domain="own.layers", **{"from": 2, "slope": 0.5})],
                                         [value("x", (2, 3, 4))], [value("a", (2, 12)), value("b", (6, 4))], [], 16, [("own.layers", 1)], [defaulted], ir=9))


def text_field(number, text):
    return bytes([number << 3 | 2, len(text)]) + text.encode()


def with_field(message, number, text):
    """A field that Python's protobuf of today does not know by name."""
    return type(message).FromString(message.SerializeToString() + text_field(number, text))


halves = [with_field(helper.make_function("own", "F", ["a"], ["r"], [node(op, "a", "r")], [helper.make_opsetid("", 21)]), 13, name) for op, name in (("Relu", "first"), ("Neg", "second"))]
add("function_overloads", model([with_field(node("F", "x", "a", domain="own"), 8, "first"), with_field(node("F", "a", "y", domain="own"), 8, "second")],
                                [value("x", (2, 3))], [value("y", (2, 3))], [], 21, [("own", 1)], halves))
picking = helper.make_function("own", "Pick", ["c", "a"], ["r"],
                               [node("If", "c", "r", then_branch=graph([node("Relu", "a", "t"), node("Relu", "t", "t2")], [], [value("t2", (2, 3))], name="t"),
                                     else_branch=graph([node("Neg", "a", "e")], [], [value("e", (2, 3))], name="e"))], [helper.make_opsetid("", 16)])
add("function_of_branches", model([node("Pick", "c x", "p", domain="own"), node("Pick", "c p", "y", domain="own")], [value("x", (2, 3)), value("c", (), BOOL)],
                                  [value("y", (2, 3))], [], 16, [("own", 1)], [picking]))
add("function_of_several_results", model([helper.make_node("Two", ["x"], ["a", ""], domain="own"), helper.make_node("Two", ["a"], ["", "b"], domain="own")], [value("x", (2, 3))], [value("b", (2, 3))], [], 16,
                                         [("own", 1)], [helper.make_function("own", "Two", ["p"], ["q", "r"], [node("Relu", "p", "q"), node("Neg", "p", "r")],
                                                                             [helper.make_opsetid("", 16)])]))
add("function_of_missing_operand", model([node("Cl", "x _ h", "y", domain="own")], [value("x", (2, 3))], [value("y", (2, 3))], [array("h", 0.5)], 16, [("own", 1)],
                                         [helper.make_function("own", "Cl", ["p", "l", "h"], ["q"], [node("Clip", "p l h", "q")], [helper.make_opsetid("", 16)])]))

# --- tf2onnx, Keras
add("tf_images_last", model([node("Transpose", "x:0", "T1:0", perm=[0, 3, 1, 2]), node("Pad", "T1:0", "P:0", pads=[0, 0, 0, 0, 0, 0, 1, 1]),
                             node("Conv", "P:0 w", "C:0", strides=[2, 2], kernel_shape=[3, 3]), node("BatchNormalization", "C:0 s t m v", "B:0"), node("Relu", "B:0", "R:0"),
                             node("Transpose", "R:0", "T2:0", perm=[0, 2, 3, 1]), node("Transpose", "T2:0", "T3:0", perm=[0, 3, 1, 2]),
                             node("Conv", "T3:0 dw", "D:0", group=4, pads=[1, 1, 1, 1]), node("Transpose", "D:0", "T4:0", perm=[0, 2, 3, 1]), node("Add", "T4:0 bias", "A:0"),
                             node("Clip", "A:0", "K:0", min=0.0, max=6.0), node("ReduceMean", "K:0", "M:0", axes=[1, 2], keepdims=0), node("MatMul", "M:0 u", "L:0"),
                             node("Add", "L:0 ub", "Z:0"), node("Softmax", "Z:0", "y:0", axis=1), node("Identity", "y:0", "Identity:0")],
                            [value("x:0", ("unk__1", 8, 8, 3))], [value("Identity:0", ("unk__2", 5))],
                            [weights("w", 4, 3, 3, 3), weights("s", 4), weights("t", 4), weights("m", 4), weights("v", 4, low=0.5), weights("dw", 4, 1, 3, 3), weights("bias", 4),
                             weights("u", 4, 5), weights("ub", 5)], 10), sizes={"unk__1": 1})
add("tf_strided_slice", model([node("Shape", "x", "s"), node("Cast", "s", "si", to=INT32), node("Cast", "si", "s64", to=INT64), node("Slice", "s64 z o z", "n"), node("Cast", "n", "ni", to=INT32),
                               node("Squeeze", "ni", "n0", axes=[0]), node("Unsqueeze", "n0", "nu", axes=[0]), node("Concat", "nu minus", "to", axis=0), node("Cast", "to", "to64", to=INT64),
                               node("Reshape", "x to64", "y")], [value("x", ("unk__5", 2, 3))], [value("y", ("unk__6", "unk__7"))],
                              [ints("z", 0), ints("o", 1), array("minus", [-1], numpy.int32)], 11))
add("tf_while", model([node("Loop", "_ yes i0 x", "i y", body=graph(
    [node("Add", "i one", "i2"), node("Mul", "v k", "v2"), node("Less", "i2 three", "go2")],
    [value("it", (), INT64), value("go", (), BOOL), value("i", (), INT32), value("v", (2, 3))], [value("go2", (), BOOL), value("i2", (), INT32), value("v2", (2, 3))], name="while_body"))],
    [value("x", (2, 3))], [value("i", (), INT32), value("y", (2, 3))], [array("yes", True, bool), array("i0", 0, numpy.int32), array("one", 1, numpy.int32), array("three", 3, numpy.int32), array("k", 2.0)], 12))
add("tf_batch_matmul_of_four", model([node("Reshape", "x a", "r"), node("Transpose", "r", "q", perm=[0, 2, 1, 3]), node("Transpose", "r", "k", perm=[0, 2, 3, 1]), node("MatMul", "q k", "s"),
                                      node("Mul", "s c", "sc"), node("Softmax", "sc", "y", axis=-1)], [value("x", (2, 3, 8))], [value("y", (2, 2, 3, 3))],
                                     [ints("a", 2, 3, 2, 4), array("c", 0.5)], 13))
add("tf_depth_to_space_last", model([node("Transpose", "x", "t", perm=[0, 3, 1, 2]), node("DepthToSpace", "t", "d", blocksize=2), node("Transpose", "d", "y", perm=[0, 2, 3, 1])],
                                    [value("x", (1, 2, 3, 8))], [value("y", (1, 4, 6, 2))], [], 11))
add("tf_l2_normalize", model([node("Mul", "x x", "s"), node("ReduceSum", "s ax", "r", keepdims=1), node("Max", "r e", "m"), node("Sqrt", "m", "q"), node("Reciprocal", "q", "i"), node("Mul", "x i", "y")],
                             [value("x", (2, 5))], [value("y", (2, 5))], [ints("ax", -1), array("e", 1e-12)], 13))
add("tf_one_hot_argmax", model([node("ArgMax", "x", "a", axis=1, keepdims=0), node("Cast", "a", "ai", to=INT32), node("OneHot", "ai depth vals", "o", axis=-1), node("Mul", "o x", "y")],
                               [value("x", (2, 5))], [value("y", (2, 5))], [ints("depth", 5), array("vals", [0, 1])], 11))
add("tf_lrn_and_pool", model([node("LRN", "x", "l", size=5, alpha=1e-4, beta=0.75, bias=1.0), node("AveragePool", "l", "a", kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER"),
                              node("MaxPool", "a", "y", kernel_shape=[2, 2], strides=[1, 1], auto_pad="SAME_LOWER")], [value("x", (1, 6, 7, 7))], [value("y", (1, 6, 4, 4))], [], 8))
add("keras_dense", model([node("Cast", "in", "adj", to=FLOAT, name="Cast1"), node("MatMul", "adj dense/kernel:0", "dense/MatMul:0"), node("Add", "dense/MatMul:0 dense/bias:0", "dense/BiasAdd:0"),
                          node("HardSigmoid", "dense/BiasAdd:0", "act", alpha=0.2, beta=0.5), node("Identity", "act", "out", name="Identity1"), node("Identity", "out", "dense_1")],
                         [value("in", ("N", 3))], [value("dense_1", ("N", 4))], [weights("dense/kernel:0", 3, 4), weights("dense/bias:0", 4)], 10))
add("keras_gru", model([node("Transpose", "x", "t", perm=[1, 0, 2]), node("GRU", "t w r b", "o h", hidden_size=4, linear_before_reset=1, activations=["Sigmoid", "Tanh"]), node("Squeeze", "h", "hs", axes=[0]),
                        node("Gemm", "hs u ub", "y")], [value("x", ("N", 5, 3))], [value("y", ("N", 2))], [weights("w", 1, 12, 3), weights("r", 1, 12, 4), weights("b", 1, 24), weights("u", 4, 2), weights("ub", 2)], 9))
add("keras_separable", model([node("Conv", "x d", "a", group=3, auto_pad="SAME_UPPER", strides=[2, 2]), node("Conv", "a p", "b"), node("PRelu", "b slope", "c"), node("GlobalMaxPool", "c", "g"), node("Flatten", "g", "y")],
                             [value("x", ("N", 3, 7, 7))], [value("y", ("N", 4))], [weights("d", 3, 1, 3, 3), weights("p", 4, 3, 1, 1), weights("slope", 4, 1, 1)], 9), sizes={"N": 1})
add("keras_elu_selu", model([node("Elu", "x", "a", alpha=0.5), node("Selu", "a", "b"), node("Softsign", "b", "c"), node("Softplus", "c", "d"), node("ThresholdedRelu", "d", "y", alpha=0.7)], [value("x", (2, 3))], [value("y", (2, 3))], [], 12))

# --- scikit-learn: ai.onnx.ml
ML = [("ai.onnx.ml", 1)]


def ml(op, inputs, outputs, **attributes):
    return node(op, inputs, outputs, domain="ai.onnx.ml", **attributes)


def map_type(name, key=INT64):
    inner = TypeProto(map_type=TypeProto.Map(key_type=key, value_type=value("x", ()).type))
    return ValueInfoProto(name=name, type=TypeProto(sequence_type=TypeProto.Sequence(elem_type=inner)))


add("sklearn_scaler_logistic", model([ml("Scaler", "x", "s", offset=[0.5, 1.0, 0.25], scale=[1.0, 2.0, 4.0]), ml("LinearClassifier", "s", "label probs", coefficients=[0.5, -1.0, 0.25, -0.5, 1.0, -0.25],
                                      intercepts=[0.1, -0.1], classlabels_ints=[0, 1], multi_class=0, post_transform="LOGISTIC"), ml("Normalizer", "probs", "pn", norm="L1"),
                                      ml("ZipMap", "pn", "output_probability", classlabels_int64s=[0, 1]), node("Cast", "label", "output_label", to=INT64)],
                                     [value("x", (None, 3))], [value("output_label", (None,), INT64), map_type("output_probability")], [], 12, ML),
    feeds=[("x", "float32", [2, 3], [0.5, 1, -2, 3, 0.25, -1])], outputs=["output_label"])
add("sklearn_trees", model([ml("TreeEnsembleRegressor", "x", "y", nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[1, 0, 0], nodes_values=[0.5, 0.0, 0.0],
                               nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0], nodes_missing_value_tracks_true=[0, 0, 0],
                               target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[1.5, -2.5], n_targets=1, post_transform="NONE")],
                           [value("x", ("n", 2))], [value("y", ("n", 1))], [], 11, ML))
add("sklearn_encoder", model([ml("ArrayFeatureExtractor", "x col0", "c0"), ml("ArrayFeatureExtractor", "x col1", "c1"), node("Cast", "c0", "k", to=INT64), ml("OneHotEncoder", "k", "h", cats_int64s=[0, 1, 2], zeros=1),
                              node("Reshape", "h flat", "hf"), ml("Imputer", "c1", "im", imputed_value_floats=[0.5], replaced_value_float=float("nan")), node("Concat", "hf im", "all", axis=1),
                              node("Identity", "all", "y")], [value("x", (2, 2))], [value("y", (2, 4))], [ints("col0", 0), ints("col1", 1), ints("flat", 2, 3)], 11, ML),
    feeds=[("x", "float32", [2, 2], [1, 0.25, 2, -0.5])])
add("sklearn_svm", model([ml("SVMRegressor", "x", "y", kernel_type="RBF", kernel_params=[0.5, 0.0, 3.0], n_supports=2, support_vectors=[0.5, 1.0, -0.5, 0.25], coefficients=[1.0, -1.0], rho=[0.25])],
                         [value("x", ("n", 2))], [value("y", ("n", 1))], [], 9, ML))
add("sklearn_kmeans", model([node("Mul", "x x", "q"), node("ReduceSum", "q", "n", axes=[1], keepdims=1), node("Gemm", "x c n", "g", alpha=-2.0, transB=1), node("Add", "cc g", "d"), node("ArgMin", "d", "label", axis=1, keepdims=0),
                             node("Sqrt", "d", "scores")], [value("x", ("n", 2))], [value("label", ("n",), INT64), value("scores", ("n", 3))],
                            [array("c", [[0, 0.25], [2, 0.5], [-2, 1]]), array("cc", [0.0625, 4.25, 5.0])], 12))
add("sklearn_label_text", model([ml("LabelEncoder", "k", "t", keys_int64s=[0, 1, 2], values_strings=["a", "b", "c"], default_string="?"), ml("LabelEncoder", "t", "y", keys_strings=["a", "b", "c"],
                                 values_int64s=[5, 6, 7], default_int64=-1)], [value("k", ("n",), INT64)], [value("y", ("n",), INT64)], [], 12, [("ai.onnx.ml", 2)]))
add("sklearn_pca_nn", model([node("Sub", "x mean", "c"), node("MatMul", "c comp", "p"), ml("Binarizer", "p", "b", threshold=0.25), ml("FeatureVectorizer", "p b", "y", inputdimensions=[2, 2])],
                            [value("x", (2, 3))], [value("y", (2, 4))], [weights("mean", 3), weights("comp", 3, 2)], 12, ML))

# --- quantised
def quantised_image(per_channel, opset=13):
    channel = dict(axis=0) if per_channel else {}
    ws, wz = (array("ws", [0.01, 0.02, 0.03, 0.04]), array("wz", [0] * 4, numpy.int8)) if per_channel else (array("ws", 0.02), array("wz", 0, numpy.int8))
    nodes = [node("QuantizeLinear", "x xs xz", "xq"), node("DequantizeLinear", "xq xs xz", "xd"), node("DequantizeLinear", "wq ws wz", "wd", **channel), node("DequantizeLinear", "bq bs", "bd", **channel),
             node("Conv", "xd wd bd", "c", pads=[1, 1, 1, 1]), node("Relu", "c", "r"), node("QuantizeLinear", "r rs rz", "rq"), node("DequantizeLinear", "rq rs rz", "rd"),
             node("MaxPool", "rd", "p", kernel_shape=[2, 2], strides=[2, 2]), node("QuantizeLinear", "p rs rz", "pq"), node("DequantizeLinear", "pq rs rz", "pd"),
             node("Reshape", "pd flat", "f"), node("QuantizeLinear", "f rs rz", "fq"), node("DequantizeLinear", "fq rs rz", "y")]
    constants = [array("xs", 0.0078), array("xz", 128, numpy.uint8), array("rs", 0.01), array("rz", 0, numpy.uint8), ws, wz, weights("wq", 4, 3, 3, 3, kind=numpy.int8, low=-127, high=127),
                 weights("bq", 4, kind=numpy.int32, low=-500, high=500), array("bs", [7.8e-5, 1.56e-4, 2.34e-4, 3.12e-4] if per_channel else 1.56e-4), ints("flat", 0, -1)]
    return model(nodes, [value("x", (1, 3, 6, 6))], [value("y", (1, 36))], constants, opset)


add("qdq_image_per_channel", quantised_image(True))
add("qdq_image_per_tensor", quantised_image(False))
add("qlinear_conv_per_channel", model([node("QuantizeLinear", "x xs xz", "q"), node("QLinearConv", "q xs xz w ws wz ys yz b", "c", pads=[1, 1, 1, 1]), node("DequantizeLinear", "c ys yz", "y")],
                                      [value("x", (1, 3, 4, 4))], [value("y", (1, 4, 4, 4))],
                                      [array("xs", 0.0078), array("xz", 128, numpy.uint8), weights("w", 4, 3, 3, 3, kind=numpy.int8, low=-127, high=127), array("ws", [0.01, 0.02, 0.03, 0.04]),
                                       array("wz", [0] * 4, numpy.int8), array("ys", 0.05), array("yz", 100, numpy.uint8), weights("b", 4, kind=numpy.int32, low=-500, high=500)], 10))
add("qlinear_matmul_chain", model([node("QuantizeLinear", "x s z", "q"), node("QLinearMatMul", "q s z w s z s z", "m"), node("QLinearAdd", "m s z q2 s z s z", "a", domain="com.microsoft"),
                                   node("DequantizeLinear", "a s z", "y")], [value("x", (2, 3))], [value("y", (2, 4))],
                                  [array("s", 0.02), array("z", 128, numpy.uint8), weights("w", 3, 4, kind=numpy.uint8, low=0, high=255), weights("q2", 4, kind=numpy.uint8, low=0, high=255)], 11,
                                  [("com.microsoft", 1)]))
add("dynamic_quantised_matmul", model([node("DynamicQuantizeLinear", "x", "q s z"), node("MatMulInteger", "q w z wz", "i"), node("Cast", "i", "f", to=FLOAT), node("Mul", "s ws", "sc"), node("Mul", "f sc", "m"),
                                       node("Add", "m b", "y")], [value("x", ("n", 3))], [value("y", ("n", 4))],
                                      [weights("w", 3, 4, kind=numpy.int8, low=-127, high=127), array("wz", 0, numpy.int8), array("ws", 0.01), weights("b", 4)], 11))
add("dynamic_quantised_conv", model([node("DynamicQuantizeLinear", "x", "q s z"), node("ConvInteger", "q w z wz", "i"), node("Cast", "i", "f", to=FLOAT), node("Mul", "s ws", "sc"), node("Mul", "f sc", "y")],
                                    [value("x", (1, 2, 4, 4))], [value("y", (1, 3, 2, 2))], [weights("w", 3, 2, 3, 3, kind=numpy.uint8, low=0, high=255), array("wz", 120, numpy.uint8), array("ws", 0.01)], 11))


def packed(name, dims, kind, count):
    return TensorProto(name=name, data_type=kind, dims=dims, raw_data=bytes(chance.randint(0, 256, count).tolist()))


add("int4_blocks", model([node("DequantizeLinear", "w s z", "d", axis=0, block_size=4), node("MatMul", "x d", "y")], [value("x", ("n", 8))], [value("y", ("n", 3))],
                         [packed("w", [8, 3], 22, 12), weights("s", 2, 3, low=0.01), packed("z", [2, 3], 22, 3)], 21))
add("uint4_per_axis", model([node("DequantizeLinear", "w s z", "d", axis=1), node("Transpose", "d", "t", perm=[1, 0]), node("MatMul", "x t", "y")], [value("x", ("n", 4))], [value("y", ("n", 3))],
                            [packed("w", [3, 4], 21, 6), weights("s", 4, low=0.01), packed("z", [4], 21, 2)], 21))
add("qdq_16_bits", model([node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "y")], [value("x", (2, 3))], [value("y", (2, 3))], [array("s", 0.0001), array("z", 32768, numpy.uint16)], 21))
add("qdq_output_dtype", model([node("QuantizeLinear", "x s", "q", output_dtype=INT8), node("DequantizeLinear", "q s", "y")], [value("x", (2, 3))], [value("y", (2, 3))], [array("s", 0.01)], 21))
add("matmul_nbits", model([node("MatMulNBits", "x w s", "y", domain="com.microsoft", K=32, N=2, bits=4, block_size=32)], [value("x", (1, 32))], [value("y", (1, 2))],
                          [weights("w", 2, 1, 16, kind=numpy.uint8, low=0, high=255), weights("s", 2)], 17, [("com.microsoft", 1)]))

# --- float16, bfloat16, float64
def halved(to, opset):
    return [node("Cast", "x", "h", to=to), node("Cast", "w", "wh", to=to), node("MatMul", "h wh", "m"), node("Cast", "m", "f", to=FLOAT), node("Softmax", "f", "s", axis=-1),
            node("Cast", "s", "sh", to=to), node("Cast", "sh", "sf", to=FLOAT), node("Cast", "sf", "sh2", to=to), node("Mul", "sh2 sh", "q"), node("Cast", "q", "y", to=FLOAT)]


add("float16_mixed", model(halved(HALF, 13), [value("x", (2, 3))], [value("y", (2, 4))], [weights("w", 3, 4)], 13))
add("bfloat16_mixed", model(halved(BFLOAT, 13), [value("x", (2, 3))], [value("y", (2, 4))], [weights("w", 3, 4)], 13))
add("bfloat16_casts", model([node("Cast", "x", "h", to=BFLOAT), node("Cast", "h", "f", to=FLOAT), node("Cast", "f", "h2", to=BFLOAT), node("Cast", "h2", "y", to=FLOAT)], [value("x", (2, 3))], [value("y", (2, 3))], [], 13))
add("float16_norm_in_float32", model([node("Cast", "x", "xh", to=HALF), node("Cast", "xh", "xf", to=FLOAT), node("Pow", "xf two", "p"), node("ReduceMean", "p", "m", axes=[-1]), node("Add", "m e", "me"), node("Sqrt", "me", "r"),
                                      node("Div", "xf r", "n"), node("Cast", "n", "nh", to=HALF), node("Mul", "nh g", "o"), node("Cast", "o", "y", to=FLOAT)], [value("x", (2, 4))], [value("y", (2, 4))],
                                     [array("two", 2.0), array("e", 1e-6), weights("g", 4, kind=numpy.float16)], 14))
add("float64_network", model([node("Gemm", "x w b", "g"), node("Relu", "g", "r"), node("Add", "r zero", "y")], [value("x", (2, 3), DOUBLE)], [value("y", (2, 4), DOUBLE)],
                             [weights("w", 3, 4, kind=numpy.float64), weights("b", 4, kind=numpy.float64), array("zero", 0.0, numpy.float64)], 13))

# --- detection heads
add("yolo_head", model([node("Reshape", "x to", "r"), node("Transpose", "r", "t", perm=[0, 1, 3, 4, 2]), node("Sigmoid", "t", "s"), node("Split", "s parts", "xy wh cls", axis=4), node("Mul", "xy two", "a"),
                        node("Add", "a grid", "b"), node("Mul", "b stride", "c"), node("Mul", "wh two", "d"), node("Pow", "d two", "e"), node("Mul", "e anchors", "f"), node("Concat", "c f cls", "g", axis=4),
                        node("Reshape", "g out", "y")], [value("x", (1, 14, 3, 3))], [value("y", (1, 18, 7))],
                       [ints("to", 1, 2, 7, 3, 3), ints("parts", 2, 2, 3), array("two", 2.0), weights("grid", 1, 1, 3, 3, 2), array("stride", 8.0), weights("anchors", 1, 2, 1, 1, 2), ints("out", 1, -1, 7)], 13))
add("nms_head", model([node("Transpose", "scores", "st", perm=[0, 2, 1]), node("NonMaxSuppression", "boxes st most iou low", "sel"), node("Slice", "sel s2 e2 a1", "which"), node("Squeeze", "which", "w", axes=[1]),
                       node("Gather", "b2 w", "y", axis=0)], [value("boxes", (1, 6, 4)), value("scores", (1, 6, 2)), value("b2", (6, 4))], [value("y", ("k", 4))],
                      [ints("most", 3), array("iou", [0.5]), array("low", [-2.0]), ints("s2", 2), ints("e2", 3), ints("a1", 1)], 11))
add("topk_head", model([node("Shape", "x", "s"), node("Gather", "s last", "n"), node("Unsqueeze", "n", "nu", axes=[0]), node("Concat", "nu five", "both", axis=0), node("ReduceMin", "both", "k", axes=[0], keepdims=1),
                        node("TopK", "x k", "v i", axis=1, largest=1, sorted=1), node("GatherElements", "w i", "g", axis=1), node("Mul", "v g", "y")], [value("x", (2, 4)), value("w", (2, 4))], [value("y", (2, "k"))],
                       [array("last", 1, numpy.int64), ints("five", 5)], 12))
add("ssd_priors", model([node("Shape", "f", "s"), node("Slice", "s two four", "hw"), node("Cast", "hw", "hwf", to=FLOAT), node("Div", "one hwf", "step"), node("Mul", "unit step", "boxes"), node("Unsqueeze", "boxes", "bu", axes=[0]),
                         node("Conv", "f w", "loc"), node("Transpose", "loc", "lt", perm=[0, 2, 3, 1]), node("Reshape", "lt flat", "lr"), node("Mul", "lr bu", "y")],
                        [value("f", (1, 2, 3, 3))], [value("y", (1, 9, 2))], [ints("two", 2), ints("four", 4), array("one", 1.0), array("unit", [[1.0, 2.0]]), weights("w", 2, 2, 1, 1), ints("flat", 1, -1, 2)], 11))
add("roi_head", model([node("RoiAlign", "f rois idx", "r", output_height=2, output_width=2, spatial_scale=0.5, sampling_ratio=2), node("Flatten", "r", "l"), node("Gemm", "l w b", "g", transB=1), node("Relu", "g", "y")],
                      [value("f", (1, 2, 4, 4)), value("rois", (2, 4))], [value("y", (2, 3))], [ints("idx", 0, 0), weights("w", 3, 8), weights("b", 3)], 12),
    feeds=[("f", "float32", [1, 2, 4, 4], [0.25 * k for k in range(32)]), ("rois", "float32", [2, 4], [0, 0, 4, 4, 1, 1, 6, 7])])
add("loop_of_classes", model([node("Loop", "n yes", "y", body=graph([node("Gather", "scores i", "row", axis=0), node("Relu", "row", "a"), node("Relu", "a", "b"), node("TopK", "b one", "v at"), node("Identity", "go", "on")],
                                                                  [value("i", (), INT64), value("go", (), BOOL)], [value("on", (), BOOL), value("v", (1,))], name="classes"))],
                             [value("scores", (3, 5))], [value("y", (3, 1))], [array("n", 3, numpy.int64), array("yes", True, bool), ints("one", 1)], 11))
add("nonzero_gather", model([node("Greater", "x low", "m"), node("NonZero", "m", "nz"), node("Transpose", "nz", "t", perm=[1, 0]), node("GatherND", "x t", "v"), node("ReduceSum", "v", "y", keepdims=0)],
                            [value("x", (2, 5))], [value("y", ())], [array("low", 0.0)], 12))

# --- recurrences with all that they may have
def recurrent(op, gates, opset, more="", **attributes):
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    names = {"B": weights("B", directions, 2 * gates * 4), "L": array("L", [3, 2], numpy.int32), "H": weights("H", directions, 2, 4), "C": weights("C", directions, 2, 4),
             "P": weights("P", directions, 12)}
    used = [one for one in more.split() if one in names]
    outputs = "o h c" if op == "LSTM" else "o h"
    return model([node(op, f"x w r {more}", outputs, hidden_size=4, **attributes)], [value("x", (3, 2, 3))],
                 [value("o", (3, directions, 2, 4)), value("h", (directions, 2, 4))], [weights("w", directions, gates * 4, 3), weights("r", directions, gates * 4, 4), *(names[n] for n in used)], opset)


add("lstm_lengths_peepholes", recurrent("LSTM", 4, 14, "B L H C P"))
add("lstm_lengths_reverse", recurrent("LSTM", 4, 11, "_ L", direction="reverse"))
add("lstm_clip_forget", recurrent("LSTM", 4, 12, "B", clip=0.5, input_forget=1))
add("lstm_bidirectional_activations", recurrent("LSTM", 4, 14, "B _ H C", direction="bidirectional", activations=["Sigmoid", "Tanh", "Tanh", "HardSigmoid", "Relu", "Softsign"]))
add("gru_lengths_both", recurrent("GRU", 3, 14, "B L H", direction="bidirectional"))
add("gru_linear_22", recurrent("GRU", 3, 22, "B L", linear_before_reset=1))
add("rnn_lengths_leaky", recurrent("RNN", 1, 14, "B L H", activations=["LeakyRelu"], activation_alpha=[0.1]))
add("rnn_8", recurrent("RNN", 1, 8, "B", activations=["Relu"]))
add("gru_lengths_fed", model([node("GRU", "x w r _ L", "o h", hidden_size=4)], [value("x", (3, 2, 3)), value("L", (2,), INT32)], [value("o", (3, 1, 2, 4)), value("h", (1, 2, 4))],
                             [weights("w", 1, 12, 3), weights("r", 1, 12, 4)], 14), feeds=[("x", "float32", [3, 2, 3], [0.1 * k for k in range(18)]), ("L", "int32", [2], [3, 1])])

# --- opsets 23 and later
add("attention_23", model([node("Attention", "q k v", "y")], [value(n, (1, 2, 3, 4)) for n in "qkv"], [value("y", (1, 2, 3, 4))], [], 23))
add("attention_23_causal_groups", model([node("Attention", "q k v", "y", is_causal=1, scale=0.5), node("Add", "y zero", "z")], [value("q", (1, 4, 3, 4)), value("k", (1, 2, 3, 4)), value("v", (1, 2, 3, 4))],
                                        [value("z", (1, 4, 3, 4))], [array("zero", 0.0)], 23))
add("attention_23_of_three_axes", model([node("Attention", "q k v mask", "y", q_num_heads=2, kv_num_heads=2, softcap=3.0)], [value(n, (1, 3, 8)) for n in "qkv"] + [value("mask", (3, 3))],
                                        [value("y", (1, 3, 8))], [], 23))
add("attention_23_cache", model([node("Attention", "q k v _ pk pv", "y nk nv")], [value(n, (1, 2, 1, 4)) for n in "qkv"] + [value(n, (1, 2, "past", 4)) for n in ("pk", "pv")],
                                [value("y", (1, 2, 1, 4)), value("nk", (1, 2, "total", 4)), value("nv", (1, 2, "total", 4))], [], 23), sizes={"past": 3})
add("rotary_23", model([node("RotaryEmbedding", "x c s p", "r"), node("Identity", "r", "y")], [value("x", (1, 2, 3, 4)), value("p", (1, 3), INT64)], [value("y", (1, 2, 3, 4))],
                       [weights("c", 5, 2), weights("s", 5, 2)], 23))
add("rms_23", model([node("RMSNormalization", "x g", "n", axis=-1, epsilon=1e-6), node("Mul", "n one", "y")], [value("x", ("b", 3, 4))], [value("y", ("b", 3, 4))], [weights("g", 4), array("one", 1.0)], 23))
add("rms_in_parts_23", model([node("Pow", "x two", "p"), node("ReduceMean", "p ax", "m"), node("Add", "m e", "me"), node("Sqrt", "me", "s"), node("Reciprocal", "s", "i"), node("Mul", "x i", "n"), node("Mul", "g n", "y")],
                             [value("x", ("b", 3, 4))], [value("y", ("b", 3, 4))], [array("two", 2.0), ints("ax", -1), array("e", 1e-6), weights("g", 4)], 23))
add("swish_24", model([node("Swish", "x", "s"), node("Swish", "s", "y", alpha=1.702)], [value("x", (2, 3))], [value("y", (2, 3))], [], 24))
add("silu_in_parts_24", model([node("Sigmoid", "x", "s"), node("Mul", "x s", "y")], [value("x", (2, 3))], [value("y", (2, 3))], [], 24))
add("tensor_scatter_24", model([node("TensorScatter", "past new at", "y", axis=2)], [value("past", (1, 2, 5, 3)), value("new", (1, 2, 1, 3)), value("at", (1,), INT64)], [value("y", (1, 2, 5, 3))], [], 24))
add("attention_24_padding", model([node("Attention", "q k v _ _ _ n", "y")], [value(n, (1, 2, 3, 4)) for n in "qkv"] + [value("n", (1,), INT64)], [value("y", (1, 2, 3, 4))], [], 24),
    feeds=[*((n, "float32", [1, 2, 3, 4], [0.1 * k for k in range(24)]) for n in "qkv"), ("n", "int64", [1], [2])])
add("gelu_20_and_more", model([node("Gelu", "x", "a"), node("Gelu", "a", "b", approximate="tanh"), node("IsNaN", "b", "n"), node("Where", "n zero b", "y")], [value("x", (2, 3))], [value("y", (2, 3))], [array("zero", 0.0)], 20))
add("group_norm_21", model([node("GroupNormalization", "x s b", "y", num_groups=2, epsilon=1e-5)], [value("x", (1, 4, 3, 3))], [value("y", (1, 4, 3, 3))], [weights("s", 4), weights("b", 4)], 21))
add("group_norm_18", model([node("GroupNormalization", "x s b", "y", num_groups=2, epsilon=1e-5)], [value("x", (1, 4, 3, 3))], [value("y", (1, 4, 3, 3))], [weights("s", 2), weights("b", 2)], 18))
add("reduce_with_empty_axes_18", model([node("ReduceSum", "x none", "s", noop_with_empty_axes=1), node("ReduceMax", "s ax", "y", keepdims=0)], [value("x", (2, 3))], [value("y", (3,))], [array("none", [], numpy.int64), ints("ax", 0)], 18))
add("split_num_outputs_18", model([node("Split", "x", "a b c", axis=1, num_outputs=3), node("Concat", "a b c", "y", axis=1)], [value("x", (2, 7))], [value("y", (2, 7))], [], 18))
add("resize_axes_18", model([node("Resize", "x _ s", "y", axes=[2, 3], mode="linear", antialias=0, coordinate_transformation_mode="half_pixel")], [value("x", (1, 2, 3, 3))], [value("y", (1, 2, 6, 6))], [array("s", [2.0, 2.0])], 18))
add("resize_policy_19", model([node("Resize", "x _ _ z", "y", axes=[2, 3], keep_aspect_ratio_policy="not_larger", mode="nearest")], [value("x", (1, 2, 3, 4))], [value("y", None)], [ints("z", 7, 7)], 19))
add("layer_norm_17_all_results", model([node("LayerNormalization", "x s b", "y m i", axis=1)], [value("x", (2, 3, 4))], [value(n, None) for n in "ymi"], [weights("s", 3, 4), weights("b", 3, 4)], 17))
add("reshape_allowzero_14", model([node("Reshape", "x to", "r", allowzero=1), node("Relu", "r", "y")], [value("x", (0, 3))], [value("y", (3, 0))], [ints("to", 3, 0)], 14))
add("shape_parts_15", model([node("Shape", "x", "s", start=1, end=-1), node("Expand", "v s", "y")], [value("x", ("a", "b", "c"))], [value("y", ("b",))], [array("v", [2.5])], 15))

# --- graphs in graphs
ITERATION = [value("i", (), INT64), value("go", (), BOOL)]
ON = value("on", (), BOOL)
again = node("Identity", "go", "on")
X23 = value("x", (2, 3))
YES = [X23, value("c", (), BOOL)]


def deep_capture():
    """A loop in a branch in a loop: the innermost reads what the outermost graph gave, and an initialiser of each graph between."""
    inner = graph([node("Add", "u k0", "a"), node("Add", "a k1", "b"), node("Mul", "b out", "u2"), again], [value("j", (), INT64), value("go", (), BOOL), value("u", (2, 3))],
                  [ON, value("u2", (2, 3))], [array("k1", 0.25)], "inner")
    branch = graph([node("Loop", "two yes2 v", "w", body=inner)], [], [value("w", (2, 3))], [array("yes2", True, bool)], "branch")
    other = graph([node("Neg", "v", "w2")], [], [value("w2", (2, 3))], name="other")
    body = graph([node("If", "c", "v2", then_branch=branch, else_branch=other), node("Identity", "g2", "on2")], [value("i", (), INT64), value("g2", (), BOOL), value("v", (2, 3))],
                 [value("on2", (), BOOL), value("v2", (2, 3))], name="body")
    return model([node("Relu", "x", "out"), node("Loop", "two yes x", "y", body=body)], YES, [value("y", (2, 3))], [array("two", 2, numpy.int64), array("yes", True, bool), array("k0", 0.5)], 16)


add("deep_captures", deep_capture())
add("scan_reversed", model([node("Scan", "h x", "hn y", num_scan_inputs=1, scan_input_directions=[1], scan_output_directions=[1], scan_input_axes=[1], scan_output_axes=[1],
                                 body=graph([node("Add", "s e", "a"), node("Mul", "a k", "s2"), node("Identity", "s2", "o")], [value("s", (2,)), value("e", (2,))], [value("s2", (2,)), value("o", (2,))], name="scan"))],
                           [value("h", (2,)), X23], [value("hn", (2,)), value("y", (2, 3))], [array("k", 0.5)], 11))
add("scan_of_two", model([node("Scan", "x z", "y w", num_scan_inputs=2, body=graph([node("Mul", "a b", "p"), node("Relu", "p", "q"), node("Relu", "q", "r"), node("Neg", "a", "s")], [value("a", (3,)), value("b", (3,))],
                                                                                [value("r", (3,)), value("s", (3,))], name="scan"))], [X23, value("z", (2, 3))], [value("y", (2, 3)), value("w", (2, 3))], [], 16))
add("loop_carries_three", model([node("Loop", "three _ x x n", "a b m", body=graph([again, node("Identity", "q", "p2"), node("Add", "p q", "q2"), node("Add", "m one", "m2")],
                                                                                  [*ITERATION, value("p", (2, 3)), value("q", (2, 3)), value("m", (), INT64)],
                                                                                  [ON, value("p2", (2, 3)), value("q2", (2, 3)), value("m2", (), INT64)], name="fib"))],
                                [X23, value("n", (), INT64)], [value("a", (2, 3)), value("b", (2, 3)), value("m", (), INT64)], [array("three", 3, numpy.int64), array("one", 1, numpy.int64)], 13))
add("loop_of_invariants", model([node("Loop", "three _ x", "y s", body=graph([again, node("Exp", "w", "e"), node("Add", "v e", "v2"), node("ReduceSum", "v2", "r", keepdims=0)], [*ITERATION, value("v", (2, 3))],
                                                                            [ON, value("v2", (2, 3)), value("r", ())], name="inv"))], [X23], [value("y", (2, 3)), value("s", (3,))],
                                [array("three", 3, numpy.int64), weights("w", 2, 3)], 13))
add("if_of_several", model([node("If", "c", "a b", then_branch=graph([node("Split", "x", "p q", axis=0)], [], [value("p", (1, 3)), value("q", (1, 3))], name="t"),
                                 else_branch=graph([node("ReduceMax", "x", "m", axes=[0]), node("ReduceMin", "x", "n", axes=[0])], [], [value("m", (1, 3)), value("n", (1, 3))], name="e")), node("Sub", "a b", "y")],
                           YES, [value("y", (1, 3))], [], 11))
add("if_of_constants", model([node("If", "c", "k", then_branch=graph([helper.make_node("Constant", [], ["t"], value=array("", [1.0, 2, 3]))], [], [value("t", (3,))], name="t"),
                                   else_branch=graph([], [], [value("w", (3,))], [array("w", [4.0, 5, 6])], name="e")), node("Add", "x k", "y")], YES, [value("y", (2, 3))], [], 13))
add("if_gives_outer_value", model([node("Neg", "x", "n"), node("If", "c", "y", then_branch=graph([node("Identity", "n", "t")], [], [value("t", (2, 3))], name="t"),
                                                               else_branch=graph([node("Identity", "x", "e")], [], [value("e", (2, 3))], name="e"))], YES, [value("y", (2, 3))], [], 12))
add("if_of_unlike_shapes", model([node("If", "c", "k", then_branch=graph([node("Slice", "x z o z", "t")], [], [value("t", (1, 3))], name="t"), else_branch=graph([node("Identity", "x", "e")], [], [value("e", (2, 3))], name="e")),
                                  node("Relu", "k", "r"), node("Relu", "r", "y")], YES, [value("y", ("r", 3))], [ints("z", 0), ints("o", 1)], 13))
add("if_known_deep", model([node("Shape", "x", "s"), node("Size", "s", "n"), node("Equal", "n two", "e"), node("If", "e", "y", then_branch=graph([node("Relu", "x", "t")], [], [value("t", (2, 3))], name="t"),
                            else_branch=graph([node("Frob", "x", "z", domain="com.nobody")], [], [value("z", (2, 3))], name="e"))], [X23], [value("y", (2, 3))], [array("two", 2, numpy.int64)], 13,
                           [("com.nobody", 1)]))

# --- sequences, optionals, texts
add("sequence_of_parts", model([node("SplitToSequence", "x", "q", axis=1, keepdims=1), node("SequenceLength", "q", "n"), node("SequenceAt", "q one", "m"), node("SequenceInsert", "q m", "q2"), node("SequenceErase", "q2 zero", "q3"),
                                node("ConcatFromSequence", "q3", "y", axis=1)], [X23], [value("y", None), value("n", (), INT64)], [array("one", 1, numpy.int64), array("zero", 0, numpy.int64)], 11))
add("sequence_in_loop", model([node("SequenceEmpty", "", "q0"), node("Loop", "three yes q0", "q", body=graph(
    [again, node("Cast", "i", "f", to=FLOAT), node("Mul", "x f", "m"), node("SequenceInsert", "s m", "s2")],
    [*ITERATION, ValueInfoProto(name="s", type=TypeProto(sequence_type=TypeProto.Sequence(elem_type=value("x", None).type)))],
    [ON, ValueInfoProto(name="s2", type=TypeProto(sequence_type=TypeProto.Sequence(elem_type=value("x", None).type)))], name="collect")), node("ConcatFromSequence", "q", "y", axis=0, new_axis=1)],
    [X23], [value("y", None)], [array("three", 3, numpy.int64), array("yes", True, bool)], 13))
add("optional_in_branch", model([node("Optional", "x", "o"), node("OptionalHasElement", "o", "h"), node("If", "h", "y", then_branch=graph([node("OptionalGetElement", "o", "t")], [], [value("t", (2, 3))], name="t"),
                                                                                               else_branch=graph([node("Neg", "x", "e")], [], [value("e", (2, 3))], name="e"))], [X23], [value("y", (2, 3))], [], 16))
add("sequence_map", model([node("SplitToSequence", "x", "q", axis=0), node("SequenceMap", "q", "r", body=graph([node("Relu", "e", "a"), node("Relu", "a", "b")], [value("e", (1, 3))], [value("b", (1, 3))], name="m")),
                           node("ConcatFromSequence", "r", "y", axis=0)], [X23], [value("y", None)], [], 17))
add("texts", model([node("Equal", "t a", "e"), node("Cast", "e", "f", to=FLOAT), node("Mul", "f k", "y")], [value("z", (2,))], [value("y", (2,))],
                   [helper.make_tensor("t", STRING, [2], [b"a", b"b"]), helper.make_tensor("a", STRING, [1], [b"a"]), array("k", 3.0)], 19))
add("cast_to_text_and_back", model([node("Cast", "x", "t", to=STRING), node("Cast", "t", "y", to=FLOAT)], [X23], [value("y", (2, 3))], [], 13))

# --- names, declarations, what stands beside the graph
def told():
    made = model([node("Relu", "x", "a", name="first"), node("Identity", "a", "b", name="second"), node("Mul", "b one", "c", name="third"), node("Neg", "c", "y", name="fourth")], [value("x", ("batch", 3))],
                 [value("y", ("batch", 3))], [array("one", 1.0)], 21, value_info=[value("a", ("batch", 3)), value("b", ("batch", 3)), value("c", ("batch", 3))])
    made.graph.doc_string, made.doc_string, made.domain, made.model_version = "the graph", "the model", "org.example", 42
    helper.set_model_props(made, {"task": "none", "größe": "3", "empty": ""})
    for one in made.graph.node:
        one.doc_string = f"doc of {one.name}"
    made.graph.input[0].doc_string, made.graph.output[0].doc_string, made.graph.initializer[0].doc_string = "what comes", "what goes", "a unit"
    made.graph.input[0].type.denotation = "IMAGE"
    made.graph.input[0].type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    return made


def entry(key, text):
    inner = text_field(1, key) + text_field(2, text)
    return inner


def with_entry(message, number, key, text):
    inner = entry(key, text)
    head = number << 3 | 2
    tag = bytes([head]) if head < 128 else bytes([head & 127 | 128, head >> 7])
    return type(message).FromString(message.SerializeToString() + tag + bytes([len(inner)]) + inner)


def with_entries():
    """metadata_props of nodes (9), values (4), tensors (16) and the graph (16), as exporters of 2024 on write them."""
    made = told()
    nodes = [with_entry(one, 9, "pkg.torch.onnx.stack_trace", f"line of {one.name}") for one in made.graph.node]
    del made.graph.node[:]
    made.graph.node.extend(nodes)
    made.graph.input[0].CopyFrom(with_entry(made.graph.input[0], 4, "kind", "image"))
    made.graph.initializer[0].CopyFrom(with_entry(made.graph.initializer[0], 16, "origin", "scale"))
    made.graph.CopyFrom(with_entry(made.graph, 16, "name", "of the graph"))
    return made


add("told_at_length", told(), sizes={"batch": 2})
add("entries_everywhere", with_entries(), sizes={"batch": 2})


def trained():
    made = model([node("Relu", "x", "y")], [X23], [value("y", (2, 3))], [array("w", [1.0, 2.0])], 14)
    training = made.training_info.add()
    training.initialization.CopyFrom(graph([helper.make_node("Constant", [], ["w0"], value=array("", [0.0, 0.0]))], [], [value("w0", (2,))], name="init"))
    training.algorithm.CopyFrom(graph([node("Add", "w w", "w1")], [], [value("w1", (2,))], name="step"))
    training.update_binding.add(key="w", value="w1")
    training.initialization_binding.add(key="w", value="w0")
    return made


add("training_info", trained())


def annotated():
    made = model([node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "d"), node("Relu", "d", "y")], [X23], [value("y", (2, 3))], [array("s", 0.02), array("z", 3, numpy.uint8)], 13)
    note = made.graph.quantization_annotation.add(tensor_name="x")
    note.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="s")
    note.quant_parameter_tensor_names.add(key="ZERO_POINT_TENSOR", value="z")
    return made


add("quantization_annotation", annotated())
add("values_named_like_numbers", model([node("Relu", "0", "1"), node("Relu", "1", "2"), node("Add", "2 3", "4")], [value("0", (2, 3))], [value("4", (2, 3))], [array("3", 0.5)], 9, ir=4))
add("empty_operands_between", model([node("Clip", "x _ h", "a"), node("Resize", "im _ s", "r", mode="nearest"), node("Pad", "a p _", "b"), node("Slice", "b st en _ one", "y")],
                                    [X23, value("im", (1, 1, 2, 2))], [value("y", (2, 3)), value("r", None)], [array("h", 0.5), array("s", [1.0, 1, 2, 2]), ints("p", 0, 0, 0, 0), ints("st", 0, 0), ints("en", 9, 9), ints("one", 1, 1)], 13))
add("output_named_three_times", model([node("Relu", "x", "a"), node("Identity", "a", "y"), node("Identity", "y", "z"), node("Identity", "z", "w")], [X23], [value("w", (2, 3)), value("y", (2, 3)), value("z", (2, 3))], [], 13))
add("outputs_of_split_renamed", model([node("Split", "x", "a b", axis=0), node("Identity", "a", "first"), node("Identity", "b", "second"), node("Add", "a b", "third")], [X23],
                                      [value("second", (1, 3)), value("first", (1, 3)), value("third", (1, 3))], [], 11))
add("sizes_of_one_name_apart", model([node("MatMul", "x w", "y"), node("MatMul", "z v", "u")], [value("x", ("n", 3)), value("z", ("n", 2))], [value("y", ("n", 4)), value("u", ("m", 4))], [weights("w", 3, 4), weights("v", 2, 4)], 13))
add("sizes_declared_loosely", model([node("Reshape", "x to", "r"), node("Add", "r k", "y")], [value("x", ("n", "n", 2))], [value("y", ("a", "b"))], [ints("to", -1, 2), array("k", [[0.0, 0.0]])], 13))
add("size_names_with_signs", model([node("Shape", "x", "s"), node("ConstantOfShape", "s", "o"), node("Add", "x o", "y")], [value("x", ("batch size * 2", "seq-len"))], [value("y", ("batch size * 2", "seq-len"))], [], 13))
add("declared_rank_only", model([node("Relu", "x", "a"), node("Relu", "a", "y")], [value("x", (None, None))], [value("y", (None, None))], [], 13), feeds=[("x", "float32", [2, 2], [1, -1, 2, -2])])
add("declared_without_shape", model([node("Relu", "x", "a"), node("Relu", "a", "y")], [value("x", None)], [value("y", None)], [], 13), feeds=[("x", "float32", [2, 2], [1, -1, 2, -2])])
add("zero_sized_parts", model([node("Split", "x parts", "a b", axis=1), node("Concat", "b a", "c", axis=1), node("ReduceSum", "a ax", "s", keepdims=1), node("Add", "c s", "y")], [X23], [value("y", (2, 3))],
                              [ints("parts", 0, 3), ints("ax", 1)], 13))
add("zero_sized_input", model([node("MatMul", "x w", "m"), node("Add", "m b", "y")], [value("x", (2, 0))], [value("y", (2, 4))], [weights("w", 0, 4), weights("b", 4)], 13))
add("zero_sized_gather", model([node("Gather", "x none", "g", axis=0), node("Concat", "x g", "y", axis=0)], [X23], [value("y", (2, 3))], [array("none", [], numpy.int64)], 13))


def sparse_initializer():
    made = model([node("MatMul", "x w", "m"), node("Add", "m one", "y")], [X23], [value("y", (2, 2))], [array("one", 0.0)], 13)
    made.graph.sparse_initializer.add().CopyFrom(SparseTensorProto(values=array("w", [1.5, -2.0]), indices=array("", [1, 4], numpy.int64), dims=[3, 2]))
    return made


add("sparse_initializer", sparse_initializer())
add("sparse_constant", model([helper.make_node("Constant", [], ["w"], sparse_value=SparseTensorProto(values=array("wv", [1.5, -2.0]), indices=array("wi", [[0, 1], [2, 0]], numpy.int64), dims=[3, 2])), node("MatMul", "x w", "y")],
                             [X23], [value("y", (2, 2))], [], 13))
add("constants_of_all_kinds", model([helper.make_node("Constant", [], ["f"], value_float=0.5), helper.make_node("Constant", [], ["fs"], value_floats=[1.0, 2.0, 3.0]), helper.make_node("Constant", [], ["i"], value_int=1),
                                     helper.make_node("Constant", [], ["is"], value_ints=[3, 2]), node("Mul", "x f", "a"), node("Add", "a fs", "b"), node("Reshape", "b is", "r"), node("Gather", "r i", "y", axis=0)],
                                    [X23], [value("y", (2,))], [], 13))
add("random_kept_apart", model([node("RandomNormalLike", "x", "r", seed=1.0), node("RandomNormalLike", "x", "s", seed=1.0), node("Mul", "r none", "a"), node("Mul", "s none", "b"), node("Add", "a b", "c"), node("Add", "x c", "y")],
                               [X23], [value("y", (2, 3))], [array("none", 0.0)], 13))
add("dropout_of_seed_12", model([node("Dropout", "x ratio no", "a m", seed=3), node("Cast", "m", "f", to=FLOAT), node("Mul", "a f", "y")], [X23], [value("y", (2, 3))], [array("ratio", 0.5), array("no", False, bool)], 12))
add("batch_norm_training_14", model([node("BatchNormalization", "x s b m v", "y rm rv", training_mode=1, momentum=0.5)], [value("x", (2, 3, 2))], [value("y", (2, 3, 2)), value("rm", (3,)), value("rv", (3,))],
                                    [weights("s", 3), weights("b", 3), weights("m", 3), weights("v", 3, low=0.5)], 14))
add("batch_norm_spatial_8", model([node("BatchNormalization", "x s b m v", "y", spatial=1, momentum=0.9)], [value("x", (2, 3, 2, 2))], [value("y", (2, 3, 2, 2))],
                                  [weights("s", 3), weights("b", 3), weights("m", 3), weights("v", 3, low=0.5)], 8, ir=4))
add("softmax_of_old_axes", model([node("Softmax", "x", "a"), node("LogSoftmax", "x", "b", axis=0), node("Hardmax", "x", "c", axis=1), node("Add", "a b", "d"), node("Add", "d c", "y")], [value("x", (2, 3, 2))], [value("y", (2, 3, 2))], [], 11))
add("upsample_odd_scales_9", model([node("Upsample", "x s", "y", mode="nearest")], [value("x", (1, 1, 4, 6))], [value("y", (1, 1, 10, 14))], [array("s", [1.0, 1.0, 2.5, 2.3333333])], 9))
add("upsample_linear_8", model([node("Upsample", "x", "y", mode="linear", scales=[1.0, 1.0, 3.0, 2.0])], [value("x", (1, 1, 2, 3))], [value("y", (1, 1, 6, 6))], [], 8, ir=4))
add("max_unpool", model([node("MaxPool", "x", "p i", kernel_shape=[2, 2], strides=[2, 2]), node("MaxUnpool", "p i", "y", kernel_shape=[2, 2], strides=[2, 2])], [value("x", (1, 1, 4, 4))], [value("y", (1, 1, 4, 4))], [], 11))
add("conv_transpose_shapes", model([node("ConvTranspose", "x w b", "a", strides=[2, 2], output_padding=[1, 1], pads=[1, 1, 1, 1], group=2), node("BatchNormalization", "a s t m v", "n"), node("ConvTranspose", "n w2", "y", output_shape=[9, 9], strides=[2, 2], kernel_shape=[2, 2])],
                                   [value("x", (1, 4, 2, 2))], [value("y", None)], [weights("w", 4, 2, 3, 3), weights("b", 4), weights("s", 4), weights("t", 4), weights("m", 4), weights("v", 4, low=0.5), weights("w2", 4, 1, 2, 2)], 12))
add("conv_of_one_axis_merged", model([node("Conv", "x w b", "c", pads=[2, 0]), node("BatchNormalization", "c s t m v", "n"), node("Mul", "n k", "a"), node("Add", "a k2", "y")], [value("x", ("n", 2, 6))], [value("y", ("n", 4, 6))],
                                     [weights("w", 4, 2, 3), weights("b", 4), weights("s", 4), weights("t", 4), weights("m", 4), weights("v", 4, low=0.5), weights("k", 4, 1), weights("k2", 4, 1)], 12))
add("conv_of_volumes", model([node("Conv", "x w", "c"), node("BatchNormalization", "c s t m v", "n"), node("Relu", "n", "r"), node("GlobalAveragePool", "r", "g"), node("Squeeze", "g", "y", axes=[2, 3, 4])], [value("x", (1, 2, 3, 3, 3))],
                             [value("y", (1, 4))], [weights("w", 4, 2, 2, 2, 2), weights("s", 4), weights("t", 4), weights("m", 4), weights("v", 4, low=0.5)], 11))
add("einsum_of_all_kinds", model([node("Einsum", "x w", "a", equation="...i,ij->...j"), node("Einsum", "a a", "b", equation="bij , bkj -> bik"), node("Einsum", "b", "d", equation="bii->bi"), node("Einsum", "d", "y", equation="bi->")],
                                 [value("x", (2, 3, 4))], [value("y", ())], [weights("w", 4, 5)], 12))
add("gather_of_negatives", model([node("Gather", "x minus", "g", axis=-1), node("GatherElements", "x ge", "e", axis=1), node("Sub", "e g", "y")], [X23], [value("y", (2, 1))], [ints("minus", -1), array("ge", [[-2], [0]], numpy.int64)], 13))
add("scatter_reductions", model([node("ScatterElements", "x i u", "a", axis=1, reduction="add"), node("ScatterND", "a n v", "y", reduction="mul")], [X23], [value("y", (2, 3))],
                                [array("i", [[0, 0], [2, 1]], numpy.int64), weights("u", 2, 2), array("n", [[1]], numpy.int64), weights("v", 1, 3)], 16))
add("integer_arithmetic", model([node("Div", "x three", "a"), node("Mod", "x three", "b"), node("Mul", "a three", "c"), node("Add", "c b", "y"), node("BitShift", "u one", "z", direction="LEFT")], [value("x", (2, 3), INT32), value("u", (2,), UINT8)],
                                [value("y", (2, 3), INT32), value("z", (2,), UINT8)], [array("three", 3, numpy.int32), array("one", 1, numpy.uint8)], 14))
add("logic_mixed", model([node("Greater", "x z", "g"), node("Less", "x z", "l"), node("Or", "g l", "o"), node("Not", "o", "n"), node("Xor", "n g", "r"), node("Where", "r x z", "y")], [X23], [value("y", (2, 3))], [array("z", 0.0)], 9))
add("cum_sum_both", model([node("CumSum", "x a", "p", exclusive=1), node("CumSum", "p a", "y", reverse=1)], [X23], [value("y", (2, 3))], [array("a", 1, numpy.int32)], 14))
add("trilu_mask", model([node("Shape", "x", "s"), node("ConstantOfShape", "s", "o", value=array("", [1.0])), node("Trilu", "o", "t", upper=0), node("Mul", "x t", "y")], [value("x", ("n", "n"))], [value("y", ("n", "n"))], [], 14), sizes={"n": 3})
add("space_to_depth_yolo", model([node("SpaceToDepth", "x", "d", blocksize=2), node("Conv", "d w", "y")], [value("x", (1, 3, 4, 4))], [value("y", (1, 4, 2, 2))], [weights("w", 4, 12, 1, 1)], 11))
add("focus_of_slices", model([*(node("Slice", f"x s{h} big h2 t", f"r{h}") for h in (0, 1)), *(node("Slice", f"r{h} s{w} big w3 t", f"q{h}{w}") for w in (0, 1) for h in (0, 1)), node("Concat", "q00 q10 q01 q11", "c", axis=1), node("Conv", "c w b", "y")],
                             [value("x", (1, 3, 4, 4))], [value("y", (1, 4, 2, 2))], [ints("s0", 0), ints("s1", 1), ints("big", 2**63 - 1), ints("h2", 2), ints("w3", 3), ints("t", 2), weights("w", 4, 12, 1, 1), weights("b", 4)], 11))
add("mean_variance_by_name", model([node("MeanVarianceNormalization", "x", "y", axes=[0, 2, 3])], [value("x", (2, 3, 2, 2))], [value("y", (2, 3, 2, 2))], [], 9))
add("lp_and_global", model([node("LpPool", "x", "a", kernel_shape=[2, 2], p=2), node("GlobalLpPool", "a", "b", p=1), node("LpNormalization", "b", "y", axis=1, p=2)], [value("x", (1, 3, 3, 3))], [value("y", (1, 3, 1, 1))], [], 11))


def external():
    made = model([node("MatMul", "x w", "m"), node("Add", "m b", "a"), node("Mul", "a one", "y")], [X23], [value("y", (2, 4))], [array("one", 1.0)], 13)
    blob = b""
    for name, dims in (("w", [3, 4]), ("b", [4])):
        data = chance.uniform(-1, 1, dims).astype("<f4").tobytes()
        one = TensorProto(name=name, data_type=FLOAT, dims=dims, data_location=TensorProto.EXTERNAL)
        for key, text in (("location", "external_weights.bin"), ("offset", str(len(blob))), ("length", str(len(data))), ("checksum", "none")):
            one.external_data.add(key=key, value=text)
        blob += data + bytes(64 - len(data) % 64)
        made.graph.initializer.append(one)
    FILES["external_weights.bin"] = blob
    return made


add("external_weights", external())
add("overridable_ir_4", model([node("Mul", "x k", "a"), node("Mul", "a one", "b"), node("Add", "b k", "y")], [X23, value("k", (3,))], [value("y", (2, 3))], [array("k", [1.0, 2.0, 3.0]), array("one", 1.0)], 11))
add("unused_everything", model([node("Relu", "x", "a"), node("Relu", "x", "y"), node("Exp", "u", "dead")], [X23, value("u", (4,))], [value("y", (2, 3))], [weights("w", 50, 50)], 13, value_info=[value("dead", (4,))]))
add("domain_spelt_out", model([node("Relu", "x", "a", domain="ai.onnx"), node("Relu", "a", "y")], [X23], [value("y", (2, 3))], [], 13))
add("microsoft_fused", model([node("FusedMatMul", "x w", "m", domain="com.microsoft", alpha=0.5), node("BiasGelu", "m b", "g", domain="com.microsoft"), node("QuickGelu", "g", "q", domain="com.microsoft"),
                              node("SkipLayerNormalization", "q g s t", "l", domain="com.microsoft", epsilon=1e-5), node("Relu", "l", "y")], [value("x", (1, 2, 3))], [value("y", (1, 2, 4))],
                             [weights("w", 3, 4), weights("b", 4), weights("s", 4), weights("t", 4)], 14, [("com.microsoft", 1)]))
add("microsoft_attention", model([node("Attention", "x w b", "y", domain="com.microsoft", num_heads=2)], [value("x", (1, 3, 4))], [value("y", (1, 3, 4))], [weights("w", 4, 12), weights("b", 12)], 14, [("com.microsoft", 1)]))
add("microsoft_group_query", model([node("RotaryEmbedding", "x p c s", "y", domain="com.microsoft")], [value("x", (1, 2, 3, 4)), value("p", (1, 3), INT64)], [value("y", (1, 2, 3, 4))], [weights("c", 5, 2), weights("s", 5, 2)], 14, [("com.microsoft", 1)]))
add("audio_front", model([node("STFT", "x step win len", "f"), node("ReduceSumSquare", "f ax", "p", keepdims=0), node("Add", "p e", "q"), node("Log", "q", "y")], [value("x", (1, 16, 1))], [value("y", None)],
                         [array("step", 4, numpy.int64), array("win", [0.5] * 8), array("len", 8, numpy.int64), ints("ax", -1), array("e", 1e-6)], 18))
add("grid_sample", model([node("GridSample", "x g", "y", mode="bilinear", padding_mode="zeros", align_corners=0)], [value("x", (1, 1, 3, 3)), value("g", (1, 2, 2, 2))], [value("y", (1, 1, 2, 2))], [], 16))
add("window_of_swin_10", model([node("Reshape", "x a", "r"), node("Transpose", "r", "t", perm=[0, 1, 3, 2, 4, 5]), node("Reshape", "t b", "w"), node("Reshape", "w c", "v"), node("Transpose", "v", "u", perm=[0, 1, 3, 2, 4, 5]), node("Reshape", "u d", "y")],
                               [value("x", (1, 4, 4, 2))], [value("y", (1, 4, 4, 2))], [ints("a", 1, 2, 2, 2, 2, 2), ints("b", -1, 4, 2), ints("c", 1, 2, 2, 2, 2, 2), ints("d", 1, 4, 4, 2)], 10))
add("same_constant_of_many_names", model([node("Mul", "x a", "p"), node("Mul", "x b", "q"), node("Add", "p q", "y")], [X23], [value("y", (2, 3))], [array("a", [1.0, 2, 3]), array("b", [1.0, 2, 3])], 13))
add("clip_by_integers", model([node("Clip", "x lo hi", "a"), node("Clip", "a lo2 _", "y")], [value("x", (2, 3), INT64)], [value("y", (2, 3), INT64)], [array("lo", 0, numpy.int64), array("hi", 9, numpy.int64), array("lo2", 1, numpy.int64)], 12))
add("double_where", model([node("IsInf", "x", "i"), node("Where", "i zero x", "a"), node("IsNaN", "a", "n"), node("Where", "n zero a", "y")], [X23], [value("y", (2, 3))], [array("zero", 0.0)], 10))
