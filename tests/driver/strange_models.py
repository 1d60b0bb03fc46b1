"""Strange and hostile ONNX models by name, each a few hundred bytes: what no exporter writes and a reader may meet. `MODELS` are bytes,
`LARGE` models that ask for gigabytes, `FILES` what lies beside them. Nothing here needs to be valid; a test judges what the command makes of them."""
import struct

from model_pairs import BOOL, FLOAT, INT32, INT64, STRING, ints, model, node, tensor, value
from onnx import AttributeProto, GraphProto, ModelProto, SparseTensorProto, TensorProto, TypeProto, ValueInfoProto, helper

MODELS, FILES = {}, {}
ONE = value("x", (2, 3))


def add(name, made):
    assert name not in MODELS, name
    MODELS[name] = made if isinstance(made, bytes) else made.SerializeToString()


def changed(made, change):
    """`change` is made to a copy."""
    out = ModelProto()
    out.CopyFrom(made)
    change(out)
    return out


def plain():
    return model([node("Relu", "x")])


def with_bytes(made, old, new):
    """In the file: names that Python's protobuf would not take."""
    data = made.SerializeToString()
    assert old in data and len(old) == len(new)
    return data.replace(old, new)


# --- files
add("empty_file", b"")
add("only_tag", b"\x3a")
add("length_beyond_end", b"\x3a\xff\xff\xff\xff\x0f")
add("endless_varint", b"\x08" + b"\xff" * 40)
add("groups", b"\x0b" * 5000)
for cut in (1, 5, 17, 33, -1, -9):
    add(f"truncated_{cut}", plain().SerializeToString()[:cut])
add("trailing_bytes", plain().SerializeToString() + b"\x00\x00\x00")
add("two_graphs_merged", plain().SerializeToString() * 2)
add("unknown_fields", plain().SerializeToString() + b"\xfa\x3f\x04test")
add("no_graph", changed(plain(), lambda m: m.ClearField("graph")))
add("empty_graph", model([], [ONE], [ONE]))
add("nothing_at_all", changed(plain(), lambda m: m.graph.CopyFrom(GraphProto())))
add("no_outputs", changed(plain(), lambda m: m.graph.ClearField("output")))
add("no_inputs", model([node("ConstantOfShape", "s")], [value("u")], constants=[ints("s", 2, 3)]))

# --- versions
for opset in (0, 1, 6, 10**9, -1, 2**62):
    add(f"opset_{opset}", changed(plain(), lambda m, v=opset: setattr(m.opset_import[0], "version", v)))
add("no_opset", changed(plain(), lambda m: m.ClearField("opset_import")))
add("opset_twice", changed(plain(), lambda m: m.opset_import.add(domain="", version=9)))
add("opset_two_names", changed(plain(), lambda m: m.opset_import.add(domain="ai.onnx", version=11)))
for ir in (0, 1, 3, 10**6, -3):
    add(f"ir_{ir}", changed(plain(), lambda m, v=ir: setattr(m, "ir_version", v)))

# --- attributes
add("attribute_without_type", changed(model([node("Softmax", "x", axis=1)]), lambda m: m.graph.node[0].attribute[0].ClearField("type")))
add("attribute_of_other_field", changed(model([node("Softmax", "x", axis=1)]), lambda m: setattr(m.graph.node[0].attribute[0], "type", AttributeProto.INTS)))
add("attribute_of_two_fields", changed(model([node("Softmax", "x", axis=1)]), lambda m: setattr(m.graph.node[0].attribute[0], "f", 2.0)))
add("attribute_nameless", changed(model([node("Softmax", "x", axis=1)]), lambda m: m.graph.node[0].attribute[0].ClearField("name")))
add("attribute_twice", changed(model([node("Softmax", "x", axis=1)]), lambda m: m.graph.node[0].attribute.add().CopyFrom(helper.make_attribute("axis", 0))))
add("attribute_reference_outside", changed(model([node("Softmax", "x", axis=1)]), lambda m: setattr(m.graph.node[0].attribute[0], "ref_attr_name", "who")))
for name, more in {"axis_far": dict(axis=99), "axis_least": dict(axis=-2**63), "axis_float": dict(axis=1.5), "axis_text": dict(axis="one"),
                   "axis_list": dict(axis=[1]), "axis_graph": dict(axis=plain().graph)}.items():
    add(name, model([node("Softmax", "x", **more)]))
add("transpose_repeated", model([node("Transpose", "x", perm=[0, 0])]))
add("transpose_far", model([node("Transpose", "x", perm=[0, 2**40])]))
add("batch_norm_of_five_results", model([node("BatchNormalization", "x s b m v", "y p q r t")], constants=[tensor(n, [k + 0.5, 1.0, 2.0]) for k, n in enumerate("sbmv")], opset=9))
add("strides_zero", model([node("MaxPool", "x", kernel_shape=[2, 2], strides=[0, 0])], [value("x", (1, 1, 4, 4))]))
add("kernel_negative", model([node("MaxPool", "x", kernel_shape=[-2, 2])], [value("x", (1, 1, 4, 4))]))
add("kernel_huge", model([node("AveragePool", "x", kernel_shape=[2**31, 2**31], pads=[2**31] * 4)], [value("x", (1, 1, 4, 4))]))
add("dilation_huge", model([node("Conv", "x w", dilations=[2**62, 2**62])], [value("x", (1, 1, 4, 4))], constants=[tensor("w", [1.0] * 4, [1, 1, 2, 2])]))
add("group_zero", model([node("Conv", "x w", group=0)], [value("x", (1, 1, 4, 4))], constants=[tensor("w", [1.0] * 4, [1, 1, 2, 2])]))
add("group_negative", model([node("Conv", "x w", group=-1)], [value("x", (1, 1, 4, 4))], constants=[tensor("w", [1.0] * 4, [1, 1, 2, 2])]))
add("pads_odd_count", model([node("Conv", "x w", pads=[1, 1, 1])], [value("x", (1, 1, 4, 4))], constants=[tensor("w", [1.0] * 4, [1, 1, 2, 2])]))
add("pads_crop", model([node("MaxPool", "x", kernel_shape=[2, 2], pads=[-1, -1, -1, -1])], [value("x", (1, 1, 6, 6))]))
add("cast_to_nothing", model([node("Cast", "x", to=77)]))
for name, number in (("not_a_number", float("nan")), ("beyond", 1e30)):
    add(f"cast_of_{name}", model([node("Cast", "c", "d", to=INT32), node("Cast", "d", "e", to=FLOAT), node("Add", "x e")], constants=[tensor("c", [number], [])]))
add("cast_to_text", model([node("Cast", "x", to=STRING)], outputs=[value("y", (2, 3), STRING)]))
add("not_finite", model([node("LeakyRelu", "x", alpha=float("nan")), node("Elu", "y", "z", alpha=float("inf"))], outputs=[value("z")]))
add("einsum_bad", model([node("Einsum", "x x", equation="ij,,->->")]))
add("einsum_many", model([node("Einsum", " ".join(["x"] * 20), equation=",".join(chr(97 + k) for k in range(20)) + "->")], [value("x", (2,))], [value("y", ())]))
add("einsum_folded", model([node("Einsum", " ".join(["c"] * 26), "s", equation=",".join(chr(97 + k) for k in range(26)) + "->"), node("Add", "x s")],
                           [value("x", ())], [value("y", ())], [tensor("c", [0.5, 0.25, 0.25])]))

# --- names
add("name_empty_output", model([node("Relu", "x", "_")]))
add("name_zero_byte", with_bytes(model([node("Relu", "x", "abcd"), node("Relu", "abcd")]), b"abcd", b"a\0cd"))
add("name_no_utf8", with_bytes(model([node("Relu", "x", "abcd"), node("Relu", "abcd")]), b"abcd", b"\xff\xfecd"))
add("operator_no_utf8", with_bytes(model([node("Relu", "x", "abcd"), node("Abcd", "abcd", domain="com.acme")]), b"Abcd", b"\xff\xfecd"))
add("doc_no_utf8", with_bytes(changed(plain(), lambda m: setattr(m, "doc_string", "abcd")), b"abcd", b"\xff\xfecd"))
add("name_newline", model([node("Relu", "x", "a\nb"), node("Relu", "a\nb")]))
add("name_markup", model([node("Relu", "x", "<b>&\"'"), node("Relu", "<b>&\"'")]))
add("name_long", model([node("Relu", "x", "n" * 20000), node("Relu", "n" * 20000)]))
add("name_path", model([node("Relu", "x", "../../etc/passwd"), node("Relu", "../../etc/passwd")]))
add("input_twice", model([node("Relu", "x")], [ONE, ONE]))
add("output_twice", model([node("Relu", "x")], [ONE], [value("y"), value("y")]))
add("output_is_input", model([node("Relu", "x")], [ONE], [value("x"), value("y")]))
add("defined_twice", model([node("Relu", "x"), node("Neg", "x")]))
add("shadows_input", model([node("Relu", "x", "x"), node("Neg", "x")]))
add("initializer_twice", model([node("Add", "x c")], constants=[tensor("c", [1.0]), tensor("c", [2.0])]))
add("initializer_is_output", model([node("Relu", "x", "z")], outputs=[value("c", (1,)), value("z")], constants=[tensor("c", [1.0])]))
add("initializer_nameless", model([node("Relu", "x")], constants=[tensor("", [1.0])]))
add("output_unknown", model([node("Relu", "x", "z")]))
add("input_unknown", model([node("Add", "x nobody")]))
add("cycle", model([node("Add", "x b", "a"), node("Relu", "a", "b"), node("Neg", "b")]))
add("cycle_of_one", model([node("Add", "x y")]))
add("out_of_order", model([node("Neg", "a"), node("Relu", "x", "a")]))
add("metadata_twice", changed(plain(), lambda m: [m.metadata_props.add(key="k", value=v) for v in ("1", "2")]))
add("metadata_empty", changed(plain(), lambda m: m.metadata_props.add()))

# --- types and sizes
add("dims_negative", model([node("Relu", "x")], [value("x", (-2, 3))], [value("y", (-2, 3))]))
add("dims_huge", model([node("Relu", "x")], [value("x", (2**62, 2**62))], [value("y", (2**62, 2**62))]))
add("dims_zero", model([node("Relu", "x"), node("ReduceMax", "y", "z", axes=[0])], [value("x", (0, 3))], [value("z", (1, 3))]))
for op in ("ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd"):
    add(f"dims_zero_{op}", model([node("Relu", "x"), node(op, "y", "z", axes=[0], keepdims=0)], [value("x", (0, 3))], [value("z", (3,))]))
add("rank_large", model([node("Relu", "x")], [value("x", (1,) * 300)], [value("y", (1,) * 300)]))
add("size_names", model([node("Relu", "x")], [value("x", ("?a", ""))], [value("y", ("?a", ""))]))
add("size_name_expression", model([node("Relu", "x")], [value("x", ("n + 1", "(("))], [value("y", ("n + 1", "(("))]))
add("untyped_input", changed(plain(), lambda m: m.graph.input[0].ClearField("type")))
add("typed_otherwise", model([node("Relu", "x")], outputs=[value("y", (7, 7, 7))]))
add("output_of_other_type", model([node("Relu", "x")], outputs=[value("y", (2, 3), INT64)]))
add("element_undefined", model([node("Relu", "x")], [value("x", (2, 3), 0)]))
add("element_unknown", model([node("Relu", "x")], [value("x", (2, 3), 99)]))
add("value_info_wrong", model([node("Relu", "x", "a"), node("Neg", "a")], value_info=[value("a", (9, 9), INT64)]))


def odd_tensor(**fields):
    made = TensorProto(name="c")
    for name, given in fields.items():
        getattr(made, name).extend(given) if isinstance(given, list) else setattr(made, name, given)
    return made


def adding(made, **more):
    return model([node("Add", "x c")], constants=[made], **more)


add("tensor_overflow", adding(odd_tensor(data_type=FLOAT, dims=[2**32, 2**32], raw_data=b"1234")))
add("tensor_negative", adding(odd_tensor(data_type=FLOAT, dims=[-1], raw_data=b"1234")))
add("tensor_short", adding(odd_tensor(data_type=FLOAT, dims=[3], raw_data=b"1234")))
add("tensor_long", adding(odd_tensor(data_type=FLOAT, dims=[1], raw_data=b"12345678")))
add("tensor_ragged", adding(odd_tensor(data_type=FLOAT, dims=[1], raw_data=b"123")))
add("tensor_two_fields", adding(odd_tensor(data_type=FLOAT, dims=[1], raw_data=b"1234", float_data=[1.0])))
add("tensor_other_field", adding(odd_tensor(data_type=FLOAT, dims=[1], int64_data=[1])))
add("tensor_untyped", adding(odd_tensor(dims=[1], float_data=[1.0])))
add("tensor_empty", adding(odd_tensor(data_type=FLOAT, dims=[0])))
add("tensor_segment", changed(adding(tensor("c", [1.0])), lambda m: setattr(m.graph.initializer[0].segment, "begin", 1)))
for kind, name in ((21, "uint4"), (22, "int4")):
    add(f"{name}_odd", model([node("DequantizeLinear", "c s")], outputs=[value("y", (3,))], opset=21, ir=10,
                             constants=[odd_tensor(data_type=kind, dims=[3], raw_data=b"\x21\xf3"), tensor("s", [0.5], [])]))
    add(f"{name}_short", model([node("DequantizeLinear", "c s")], outputs=[value("y", (3,))], opset=21, ir=10,
                               constants=[odd_tensor(data_type=kind, dims=[3], raw_data=b"\x21"), tensor("s", [0.5], [])]))
for kind, name in ((17, "e4m3fn"), (18, "e4m3fnuz"), (19, "e5m2"), (20, "e5m2fnuz"), (23, "float4"), (24, "e8m0")):
    add(f"float8_{name}", model([node("Cast", "c", to=FLOAT)], outputs=[value("y", (4,))], opset=21, ir=10,
                                constants=[odd_tensor(data_type=kind, dims=[4], raw_data=b"\x7f\x80\xff\x38")]))
add("strings", model([node("Identity", "c")], outputs=[value("y", (2,), STRING)], constants=[helper.make_tensor("c", STRING, [2], [b"a\0", b"\xff"])]))
add("strings_equal", model([node("Equal", "s c", "e"), node("Cast", "e", to=FLOAT)], [value("s", (2,), STRING)], [value("y", (2,))], opset=19, ir=9,
                           constants=[helper.make_tensor("c", STRING, [2], [b"a", b"b"])]))
add("complex", model([node("Identity", "x")], [value("x", (2,), 14)], [value("y", (2,), 14)]))


def sparse(dims, indices, values):
    return SparseTensorProto(values=tensor("c", values), indices=tensor("i", indices, kind=INT64), dims=dims)


for name, made in {"sparse": sparse([2, 3], [1, 4], [1.0, 2.0]), "sparse_outside": sparse([2, 3], [1, 9], [1.0, 2.0]),
                   "sparse_negative": sparse([2, 3], [-1, 4], [1.0, 2.0]), "sparse_huge": sparse([2**30, 3], [1, 4], [1.0, 2.0]),
                   "sparse_few": sparse([2, 3], [1], [1.0, 2.0]), "sparse_twice": sparse([2, 3], [1, 1], [1.0, 2.0])}.items():
    add(name, changed(model([node("Add", "x c")]), lambda m, s=made: m.graph.sparse_initializer.add().CopyFrom(s)))


plain_type = value("x").type
sequence = TypeProto(sequence_type=TypeProto.Sequence(elem_type=plain_type))
add("sequence_input", model([node("SequenceAt", "q i")], [ValueInfoProto(name="q", type=sequence)], constants=[tensor("i", [0], [], INT64)]))
add("sequence_of_nothing", model([node("SequenceLength", "q", "n"), node("Cast", "n", to=FLOAT)],
                                 [ValueInfoProto(name="q", type=TypeProto(sequence_type=TypeProto.Sequence()))], [value("y", ())]))
add("optional_input", model([node("OptionalGetElement", "o")], [ValueInfoProto(name="o", type=TypeProto(optional_type=TypeProto.Optional(elem_type=plain_type)))],
                            opset=15))
deep_type = TypeProto(tensor_type=plain_type.tensor_type)
for _ in range(40):
    deep_type = TypeProto(sequence_type=TypeProto.Sequence(elem_type=deep_type))
add("type_deep", model([node("Identity", "q", "p"), node("SequenceLength", "p", "n"), node("Cast", "n", to=FLOAT)],
                       [ValueInfoProto(name="q", type=deep_type)], [value("y", ())], opset=16))

# --- weights beside the model
FILES["weights.bin"] = struct.pack("<6f", *range(6))
FILES["odd name.bin"] = struct.pack("<6f", *range(6))


def outside(location, **more):
    made = odd_tensor(data_type=FLOAT, dims=[2, 3], data_location=TensorProto.EXTERNAL)
    for key, given in {"location": location, **more}.items():
        made.external_data.add(key=key, value=str(given))
    return adding(made)


add("external", outside("weights.bin"))
add("external_spaces", outside("odd name.bin"))
add("external_up", outside("../weights.bin"))
add("external_hidden_up", outside("a/../../weights.bin"))
add("external_root", outside("/etc/passwd"))
add("external_link", outside("link.bin"))
add("external_folder", outside("."))
add("external_device", outside("/dev/zero"))
add("external_nameless", outside(""))
add("external_zero_byte", outside("weights.bin\0x"))
add("external_missing", outside("nowhere.bin"))
add("external_past_end", outside("weights.bin", offset=20))
add("external_offset_huge", outside("weights.bin", offset=2**63))
add("external_offset_negative", outside("weights.bin", offset=-4))
add("external_offset_text", outside("weights.bin", offset="four"))
add("external_length_short", outside("weights.bin", length=4))
add("external_length_long", outside("weights.bin", length=2**40))
add("external_no_location", changed(outside("weights.bin"), lambda m: m.graph.initializer[0].ClearField("external_data")))
add("external_twice", changed(outside("weights.bin"), lambda m: m.graph.initializer[0].external_data.add(key="location", value="nowhere.bin")))

# --- functions and graphs within
def function(name, nodes, inputs=("a",), outputs=("b",), attributes=(), opset=13):
    return helper.make_function("own", name, list(inputs), list(outputs), nodes, [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)],
                                list(attributes))


def calling(*functions, nodes=None):
    return model(nodes or [node("F", "x", domain="own")], functions=functions, imports=[("own", 1)])


add("function", calling(function("F", [node("Relu", "a", "b")])))
add("function_missing", calling(function("G", [node("Relu", "a", "b")])))
add("function_of_itself", calling(function("F", [node("F", "a", "b", domain="own")])))
add("functions_of_each_other", calling(function("F", [node("G", "a", "b", domain="own")]), function("G", [node("F", "a", "b", domain="own")])))
add("function_twice", calling(function("F", [node("Relu", "a", "b")]), function("F", [node("Neg", "a", "b")])))
add("function_no_result", calling(function("F", [node("Relu", "a", "c")])))
add("function_cyclic", calling(function("F", [node("Add", "a c", "b"), node("Relu", "b", "c")])))
add("function_inputs_few", calling(function("F", [node("Add", "a c", "b")], inputs=("a", "c"))))
add("function_doubling", calling(*(function(f"F{k}", [node(f"F{k + 1}", "a", "c", domain="own"), node(f"F{k + 1}", "c", "b", domain="own")]) for k in range(40)),
                                 function("F40", [node("Relu", "a", "b")]), nodes=[node("F0", "x", domain="own")]))
add("function_chain", calling(*(function(f"F{k}", [node(f"F{k + 1}", "a", "b", domain="own")]) for k in range(400)), function("F400", [node("Relu", "a", "b")]),
                              nodes=[node("F0", "x", domain="own")]))
add("function_of_onnx", changed(model([node("Relu", "x")], functions=[function("Relu", [node("Neg", "a", "b")])]), lambda m: setattr(m.functions[0], "domain", "")))


def graph(name, nodes, inputs=(), outputs=(("r", (2, 3)),)):
    return helper.make_graph(nodes, name, list(inputs), [value(*one) for one in outputs])


CONDITION = value("c", (), BOOL)


def branching(then, other, **more):
    return model([node("If", "c", then_branch=then, else_branch=other)], [ONE, CONDITION], **more)


relu = graph("t", [node("Relu", "x", "r")])
add("if", branching(relu, graph("e", [node("Neg", "x", "r")])))
add("if_no_else", model([node("If", "c", then_branch=relu)], [ONE, CONDITION]))
add("if_ranks_differ", branching(relu, graph("e", [node("Flatten", "x", "r", axis=0)], outputs=[("r", (1, 6))])))
add("if_shadowing", branching(graph("t", [node("Relu", "x", "x")], outputs=[("x", (2, 3))]), relu))
add("if_reads_itself", branching(graph("t", [node("Relu", "y", "r")]), relu))
add("if_no_outputs", branching(graph("t", [node("Relu", "x", "r")], outputs=[]), relu))
add("if_with_inputs", branching(graph("t", [node("Relu", "q", "r")], [value("q")]), relu))
deep = relu
for k in range(50):
    deep = graph(f"n{k}", [node("If", "c", "r", then_branch=deep, else_branch=relu)])
add("ifs_nested", branching(deep, relu))
both = relu
for k in range(6):
    both = graph(f"n{k}", [node("If", "c", "r", then_branch=both, else_branch=both)])
add("ifs_doubling", branching(both, both))
ITERATION = [value("i", (), INT64), value("k", (), BOOL)]


def looping(nodes, outputs=(("k2", (), BOOL), ("v2", (2, 3))), carried=(2, 3), trips=1000):
    body = helper.make_graph(nodes, "body", ITERATION + ([value("v", carried)] if carried else []), [value(*one) for one in outputs])
    result = helper.make_empty_tensor_value_info("y")
    return model([node("Loop", "trips _ x" if carried else "trips _", body=body)], outputs=[result], constants=[ints("trips", trips), ints("s", 2**10, 2, 3)])


same = node("Identity", "k", "k2")
add("loop", looping([same, node("Relu", "v", "v2")]))
add("loop_grows", looping([same, node("Concat", "v v", "v2", axis=0)], outputs=(("k2", (), BOOL), ("v2", ("n", 3)))))
add("loop_collects", looping([same, node("Add", "x x", "v2")], carried=None, trips=1000))
counting = helper.make_graph([same, node("Add", "i i", "v2")], "body", ITERATION, [value("k2", (), BOOL), value("v2", (), INT64)])
add("loop_collects_scalars", model([node("Loop", "trips _", body=counting)], outputs=[value("y", ("n",), INT64)], constants=[ints("trips", 10**5)]))
stopping = helper.make_graph([node("Less", "i three", "k2"), node("Relu", "v", "v2")], "body", ITERATION + [value("v")], [value("k2", (), BOOL), value("v2")])
add("loop_of_its_body_alone", model([node("Loop", "_ _ x", body=stopping)], constants=[tensor("three", [3], [], INT64)]))
add("loop_negative", looping([same, node("Relu", "v", "v2")], trips=-5))
add("loop_no_body", model([node("Loop", "trips _ x")], constants=[ints("trips", 3)]))
add("loop_few_outputs", looping([same], outputs=(("k2", (), BOOL),)))
add("scan_empty", model([node("Scan", "x", body=graph("b", [node("Relu", "v", "r")], [value("v", (3,))], [("r", (3,))]), num_scan_inputs=1)], [value("x", (0, 3))]))
add("scan_many", model([node("Scan", "x", body=graph("b", [node("Relu", "v", "r")], [value("v", (3,))], [("r", (3,))]), num_scan_inputs=7)]))
add("scan_axis_far", model([node("Scan", "x", body=graph("b", [node("Relu", "v", "r")], [value("v", (3,))], [("r", (3,))]), num_scan_inputs=1,
                                 scan_input_axes=[9])]))

# --- much from little: each asks for gigabytes
LARGE = {
    "expand": model([node("Expand", "x s")], [value("x", (1,))], [value("y", (2**33,))], [ints("s", 2**33)]),
    "expand_within_elements": model([node("Expand", "x s")], [value("x", (1,))], [value("y", (2**30 + 2**29,))], [ints("s", 2**30 + 2**29)]),
    "tile": model([node("Tile", "x r")], outputs=[value("y", (2 * 2**20, 3 * 2**12))], constants=[ints("r", 2**20, 2**12)]),
    "constant_of_shape": model([node("ConstantOfShape", "s")], outputs=[value("y", (2**17, 2**16))], constants=[ints("s", 2**17, 2**16)]),
    "range": model([node("Range", "a b d")], [value("u")], [value("y", ("n",), INT64)],
                   [tensor("a", [0], [], INT64), tensor("b", [2**40], [], INT64), tensor("d", [1], [], INT64)]),
    "pad": model([node("Pad", "x p")], outputs=[value("y", (2 + 2**20, 3 + 2**14))], constants=[ints("p", 2**20, 2**14, 0, 0)]),
    "resize": model([node("Resize", "x _ k")], [value("x", (1, 1, 2, 2))], [value("y", (1, 1, 2**17, 2**17))], [tensor("k", [1.0, 1.0, 2.0**16, 2.0**16])]),
    "one_hot": model([node("OneHot", "i d v")], [value("i", (2**10,), INT64)], [value("y", (2**10, 2**24))],
                     [tensor("d", [2**24], [], INT64), tensor("v", [0.0, 1.0])]),
    "non_zero": model([node("Expand", "x s", "e"), node("NonZero", "e")], [value("x", (1,))], [value("y", (2, "n"), INT64)], [ints("s", 2**14, 2**14)]),
    "einsum_outer": model([node("Einsum", "x x", equation="i,j->ij")], [value("x", (2**17,))], [value("y", (2**17, 2**17))]),
    "gather": model([node("Expand", "i s", "e"), node("Gather", "x e")], [value("x", (2, 64)), value("i", (1,), INT64)],
                    [value("y", (2**26, 64))], [ints("s", 2**26)]),
    "mat_mul": model([node("Expand", "x s", "e"), node("Transpose", "e", "t"), node("MatMul", "t e")], [value("x", (1, 1))], [value("y", (2**17, 2**17))],
                     [ints("s", 1, 2**17)]),
    "broadcast": model([node("Expand", "x s", "e"), node("Transpose", "e", "t"), node("Add", "t e")], [value("x", (1, 1))], [value("y", (2**17, 2**17))],
                       [ints("s", 1, 2**17)]),
    "concat_chain": model([node("Concat", f"v{k} v{k}" if k else "x x", f"v{k + 1}" if k < 31 else "y", axis=0) for k in range(32)], [value("x", (2,))],
                          [value("y", (2**33,))]),
    "concat_folded": model([*(node("Concat", f"v{k} v{k}", f"v{k + 1}", axis=0) for k in range(31)), node("ReduceSum", "v31", "s", keepdims=0), node("Add", "x s")],
                           constants=[tensor("v0", [1.0, 2.0])]),
    "concat_known": model([*(node("Concat", f"v{k} v{k}", f"v{k + 1}", axis=0) for k in range(31)), node("ReduceMax", "v31", "m", keepdims=1),
                           node("Concat", "one one m m", "k", axis=0), node("Resize", "x _ k")], [value("x", (1, 1, 2, 2))], [value("y", (1, 1, 4, 4))],
                          [tensor("v0", [1.0, 2.0]), tensor("one", [1.0])]),
    "kept_beside": model([*(node("ConstantOfShape", "s", f"v{k}") for k in range(12)), *(node("Add", f"{'a%d' % k if k else 'v0'} v{k + 1}", f"a{k + 1}") for k in range(11)),
                          node("ReduceMax", "a11", "m", keepdims=0), node("Add", "x m")], constants=[ints("s", 2**27)]),
    "loop_doubling": looping([same, node("Concat", "v v", "v2", axis=0)], outputs=(("k2", (), BOOL), ("v2", ("n", 3))), trips=40, carried=("m", 3)),
    "loop_collecting": looping([same, node("Expand", "x s", "v2")], outputs=(("k2", (), BOOL), ("v2", (2**10, 2, 3))), carried=None, trips=10**6),
    "scatter": model([node("Expand", "x s", "e"), node("ScatterND", "e i u")], [value("x", (1,))], [value("y", (2**29 + 2**28,))],
                     [ints("s", 2**29 + 2**28), tensor("i", [0], [1, 1], INT64), tensor("u", [1.0])]),
    "recurrent_long": model([node("Expand", "x s", "e"), node("RNN", "e w r", "_ y", hidden_size=1)], [value("x", (1, 1, 1))], [value("y", (1, 1, 1))],
                            [ints("s", 2**26, 1, 1), tensor("w", [1.0], [1, 1, 1]), tensor("r", [1.0], [1, 1, 1])]),
    "conv_wide": model([node("Conv", "x w", pads=[2**16] * 4)], [value("x", (1, 1, 2, 2))], [value("y", (1, 1, 2**17 + 1, 2**17 + 1))],
                       [tensor("w", [1.0] * 4, [1, 1, 2, 2])]),
    "upsample_folded": model([node("Resize", "c _ k", "e"), node("ReduceMax", "e", "m", keepdims=0), node("Add", "x m")],
                             constants=[tensor("c", [1.0] * 4, [1, 1, 2, 2]), tensor("k", [1.0, 1.0, 2.0**15, 2.0**15])]),
    "depth_to_space": model([node("Expand", "x s", "e"), node("DepthToSpace", "e", blocksize=64)], [value("x", (1, 1, 1, 1))], [value("y", (1, 1, 2**12, 2**20))],
                            [ints("s", 1, 4096, 64, 2**14)]),
    "cum_sum": model([node("Expand", "x s", "e"), node("CumSum", "e a")], [value("x", (1,))], [value("y", (2**29,))], [ints("s", 2**29), tensor("a", [0], [], INT64)]),
    "trilu": model([node("ConstantOfShape", "s", "e"), node("Trilu", "e")], opset=14, outputs=[value("y", (2**16, 2**16))], constants=[ints("s", 2**16, 2**16)]),
}
