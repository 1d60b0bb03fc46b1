"""Small graphs, one for each pass of other optimisers that a rule covers: what they are, and which calls have to be left."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

RANDOM = np.random.default_rng(7)


def weights(*shape):
    return RANDOM.uniform(0.5, 1.5, shape).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


def number(value, dtype=np.float32):
    return np.array(value, dtype)


def model(nodes, inputs, constants=None, outputs="y", opset=13):
    """Nodes as `"Conv x w -> c", {attributes}`; inputs by name: a shape, or (element type, shape)."""
    made = []
    for text, attributes in nodes:
        left, right = text.split(" -> ")
        op, *operands = left.split()
        made.append(helper.make_node(op, ["" if o == "_" else o for o in operands], right.split(), name=right.split()[0] + "_node",
                                     **attributes))
    taken = []
    for name, shape in inputs.items():
        kind, shape = shape if isinstance(shape[0], str) else ("FLOAT", shape)
        taken.append(helper.make_tensor_value_info(name, getattr(TensorProto, kind), shape))
    given = [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in outputs.split()]
    for info in given:
        info.type.Clear()
    initialisers = [numpy_helper.from_array(value, name) for name, value in (constants or {}).items()]
    graph = helper.make_graph(made, "small", taken, given, initialisers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def branch(op):
    return helper.make_graph([helper.make_node(op, ["x"], [f"{op}_y"])], op, [],
                             [helper.make_tensor_value_info(f"{op}_y", TensorProto.FLOAT, (3, 4))])


IMAGE = {"x": (1, 3, 8, 8)}
TO_LAST, TO_FRONT = {"perm": [0, 2, 3, 1]}, {"perm": [0, 3, 1, 2]}
KERNEL = {"w": weights(4, 3, 3, 3)}
NORM = {"s": weights(4), "h": weights(4), "m": weights(4), "v": weights(4)}
MATRIX = {"x": (3, 4)}


def between_transposes(*functions):
    """Each function between two transposes, and then a sine, through which no rule moves one."""
    nodes, last = [], "x"
    for k, function in enumerate(functions):
        op, *operands = function.split()
        nodes += [(f"Transpose {last} -> a{k}", TO_LAST), (" ".join([op, f"a{k}", *operands, "->", f"b{k}"]), {}),
                  (f"Transpose b{k} -> c{k}", TO_FRONT), (f"Sin c{k} -> y{k}", {})]
        last = f"y{k}"
    nodes[-1] = (nodes[-1][0].split(" -> ")[0] + " -> y", {})
    return nodes


def kept_as_steps(*moves):
    """What is moved, as exporters write it: numbers before each, steps after it. The scale and zero point of each are its own."""
    nodes, last = [("QuantizeLinear x s z -> q", {})], "q"
    constants = {"s": number(0.02), "z": number(3, np.int8), "shape": ints(1, 64, 3), "from": ints(0), "to": ints(1), "axes": ints(1)}
    for k, (move, attributes) in enumerate(moves):
        op, *operands = move.split()
        constants |= {f"s{k}": number(0.02), f"z{k}": number(3, np.int8)}
        nodes += [(f"DequantizeLinear {last} s{k} z{k} -> a{k}", {}), (" ".join([op, f"a{k}", *operands, "->", f"b{k}"]), attributes),
                  (f"QuantizeLinear b{k} s{k} z{k} -> q{k}", {})]
        last = f"q{k}"
    return model(nodes + [(f"DequantizeLinear {last} s z -> y", {})], IMAGE, constants)


def quantised_image_classifier():
    scales = {f"s{k}": number(0.01 * k + 0.02) for k in range(4)}
    zeros = {f"z{k}": number(7 - 2 * k, np.int8) for k in range(4)}
    bytes_ = {name: RANDOM.integers(-90, 90, shape).astype(np.int8) for name, shape in {"k": (4, 3, 3, 3), "w": (36, 10)}.items()}
    nodes = [("QuantizeLinear x s0 z0 -> q0", {}), ("DequantizeLinear q0 s0 z0 -> x0", {}), ("DequantizeLinear k s1 z1 -> k1", {}),
             ("Conv x0 k1 -> c", {}), ("Relu c -> r", {}), ("QuantizeLinear r s2 z2 -> q1", {}), ("DequantizeLinear q1 s2 z2 -> x1", {}),
             ("MaxPool x1 -> m", {"kernel_shape": [2, 2], "strides": [2, 2]}), ("QuantizeLinear m s2 z2 -> q2", {}),
             ("DequantizeLinear q2 s2 z2 -> x2", {}), ("Flatten x2 -> f", {}), ("QuantizeLinear f s2 z2 -> q3", {}),
             ("DequantizeLinear q3 s2 z2 -> x3", {}), ("DequantizeLinear w s1 z1 -> w1", {}), ("MatMul x3 w1 -> p", {}),
             ("QuantizeLinear p s3 z3 -> q4", {}), ("DequantizeLinear q4 s3 z3 -> y", {})]
    return model(nodes, IMAGE, scales | zeros | bytes_)


# By name: the model, and the calls that are left.
GRAPHS = {
    "gelu": (model([("Div x root -> a", {}), ("Erf a -> b", {}), ("Add b one -> c", {}), ("Mul x c -> d", {}), ("Mul d half -> y", {})],
                   MATRIX, {"root": number(1.4142135), "one": number(1), "half": number(0.5)}), {"Gelu": 1}),
    "gelu_reciprocal": (model([("Mul x root -> a", {}), ("Erf a -> b", {}), ("Add b one -> c", {}), ("Mul c half -> d", {}),
                               ("Mul x d -> y", {})],
                              MATRIX, {"root": number(0.70710677), "one": number(1), "half": number(0.5)}), {"Gelu": 1}),
    "identity": (model([("Identity x -> a", {}), ("Relu a -> y", {})], MATRIX), {"Relu": 1}),
    "relu_relu": (model([("Relu x -> a", {}), ("Relu a -> y", {})], MATRIX), {"Relu": 1}),
    "constant_if": (model([("If c -> y", {"then_branch": branch("Relu"), "else_branch": branch("Exp")})], MATRIX, {"c": np.array(True)}),
                    {"Relu": 1}),
    "relu_clip": (model([("Relu x -> a", {}), ("Clip a l h -> y", {})], MATRIX, {"l": number(0.0), "h": number(6.0)}), {"Clip": 1}),
    "cast": (model([("Cast x -> a", {"to": TensorProto.FLOAT}), ("Relu a -> y", {})], MATRIX), {"Relu": 1}),
    "concat_one": (model([("Concat x -> a", {"axis": 1}), ("Relu a -> y", {})], MATRIX), {"Relu": 1}),
    "dropout": (model([("Dropout x -> a", {}), ("Relu a -> y", {})], MATRIX), {"Relu": 1}),
    "cast_chain": (model([("Cast x -> a", {"to": TensorProto.INT64}), ("Cast a -> b", {"to": TensorProto.DOUBLE}),
                          ("Cast b -> c", {"to": TensorProto.FLOAT16}), ("Cast c -> d", {"to": TensorProto.FLOAT}),
                          ("Cast d -> e", {"to": TensorProto.FLOAT16}), ("Relu e -> y", {})], {"x": ("INT32", [3, 4])}), {"Cast": 1, "Relu": 1}),
    "expand": (model([("Expand x s -> a", {}), ("Relu a -> y", {})], MATRIX, {"s": ints(3, 4)}), {"Relu": 1}),
    "flatten": (model([("Flatten x -> a", {"axis": 1}), ("Relu a -> y", {})], MATRIX), {"Relu": 1}),
    "pad": (model([("Pad x p -> a", {}), ("Relu a -> y", {})], MATRIX, {"p": ints(0, 0, 0, 0)}), {"Relu": 1}),
    "reshape": (model([("Reshape x s -> a", {}), ("Relu a -> y", {})], MATRIX, {"s": ints(3, -1)}), {"Relu": 1}),
    "split": (model([("Split x s -> a", {"axis": 1}), ("Relu a -> y", {})], MATRIX, {"s": ints(4)}), {"Relu": 1}),
    "slice": (model([("Slice x s e a -> b", {}), ("Relu b -> y", {})], MATRIX, {"s": ints(0), "e": ints(99), "a": ints(1)}),
              {"Relu": 1}),
    "transpose": (model([("Transpose x -> a", {"perm": [0, 1]}), ("Relu a -> y", {})], MATRIX), {"Relu": 1}),
    "unit": (model([("Add x z -> a", {}), ("Mul a o -> b", {}), ("Sub b z -> c", {}), ("Div c o -> d", {}), ("Relu d -> y", {})], MATRIX,
                   {"z": weights(4) * 0, "o": weights(4) * 0 + 1}), {"Relu": 1}),
    "cse": (model([("Relu x -> a", {}), ("Relu x -> b", {}), ("Add a b -> y", {})], MATRIX), {"Relu": 1, "Add": 1}),
    "same_initialisers": (model([("Mul x v -> a", {}), ("Mul x w -> b", {}), ("Add a b -> y", {})], MATRIX,
                                {"v": np.full(4, 2, np.float32), "w": np.full(4, 2, np.float32)}), {"Mul": 1, "Add": 1}),
    "dead": (model([("Exp x -> a", {}), ("Relu x -> y", {})], MATRIX), {"Relu": 1}),
    "fold": (model([("Exp w -> a", {}), ("Add x a -> y", {})], MATRIX, {"w": weights(4)}), {"Add": 1}),
    "shape_gather": (model([("Shape x -> s", {}), ("Gather s i -> g", {}), ("Unsqueeze g z -> u", {}), ("Concat u m -> c", {"axis": 0}),
                            ("Reshape x c -> y", {})], {"x": (2, 3, 4)}, {"i": number(0, np.int64), "z": ints(0), "m": ints(-1)}),
                     {"Reshape": 1}),
    "shape_dynamic": (model([("Shape x -> s", {}), ("Gather s i -> g", {}), ("Unsqueeze g z -> u", {}), ("Concat u m -> c", {"axis": 0}),
                             ("Reshape x c -> y", {})], {"x": ("FLOAT", ("N", 3, 4))},
                            {"i": number(0, np.int64), "z": ints(0), "m": ints(12)}), {"Reshape": 1}),
    "conv_add": (model([("Conv x w -> c", {}), ("Add c b -> y", {})], IMAGE, {**KERNEL, "b": weights(4, 1, 1)}), {"Conv": 1}),
    "conv_bias_add": (model([("Conv x w d -> c", {}), ("Add c b -> y", {})], IMAGE, {**KERNEL, "d": weights(4), "b": weights(1, 4, 1, 1)}),
                      {"Conv": 1}),
    "conv_mul": (model([("Conv x w d -> c", {}), ("Mul c b -> y", {})], IMAGE, {**KERNEL, "d": weights(4), "b": weights(1, 4, 1, 1)}),
                 {"Conv": 1}),
    "conv_scalar": (model([("Conv x w -> c", {}), ("Mul c b -> y", {})], IMAGE, {**KERNEL, "b": number(2.0)}), {"Conv": 1}),
    "conv_bn": (model([("Conv x w -> c", {}), ("BatchNormalization c s h m v -> y", {})], IMAGE, {**KERNEL, **NORM}), {"Conv": 1}),
    "parallel_conv_bn": (model([("Conv x w -> c", {}), ("BatchNormalization c s h m v -> a", {}), ("Conv x u -> d", {}),
                                ("BatchNormalization d s h m v -> b", {})], IMAGE, {**KERNEL, **NORM, "u": weights(4, 3, 3, 3)}, "a b"),
                         {"Conv": 1, "Split": 1}),
    "matmul_bn": (model([("MatMul x w -> c", {}), ("BatchNormalization c s h m v -> y", {})], {"x": (2, 3)}, {"w": weights(3, 4), **NORM}),
                  {"Gemm": 1}),
    "gemm_bn": (model([("Gemm x w b -> c", {}), ("BatchNormalization c s h m v -> y", {})], {"x": (2, 3)},
                      {"w": weights(3, 4), "b": weights(4), **NORM}), {"Gemm": 1}),
    "pad_conv": (model([("Pad x p z -> a", {}), ("Conv a w b -> y", {})], IMAGE,
                       {**KERNEL, "b": weights(4), "p": ints(0, 0, 1, 1, 0, 0, 1, 1), "z": number(0.0)}), {"Conv": 1}),
    "pad_pool": (model([("Pad x p -> a", {}), ("AveragePool a -> y", {"kernel_shape": [2, 2], "pads": [0, 0, 0, 0], "count_include_pad": 1})], IMAGE,
                       {"p": ints(0, 0, 1, 1, 0, 0, 1, 1)}), {"AveragePool": 1}),
    "pad_max_pool": (model([("Pad x p least -> a", {}), ("MaxPool a -> y", {"kernel_shape": [3, 3], "pads": [0, 0, 0, 0], "dilations": [1, 1]})], IMAGE,
                           {"p": ints(0, 0, 1, 1, 0, 0, 1, 1), "least": number(-np.inf)}), {"MaxPool": 1}),
    "pad_bare_pools": (model([("Pad x p least -> a", {}), ("MaxPool a -> b", {"kernel_shape": [3, 3]}), ("Pad b p zero -> c", {}),
                              ("AveragePool c -> y", {"kernel_shape": [3, 3], "count_include_pad": 1})], IMAGE,
                             {"p": ints(0, 0, 1, 1, 0, 0, 1, 1), "least": number(-np.inf), "zero": number(0.0)}),
                       {"MaxPool": 1, "AveragePool": 1}),
    "concats": (model([("Concat a b -> c", {"axis": 0}), ("Concat c d -> y", {"axis": 0})], {"a": (2, 3), "b": (1, 3), "d": (2, 3)}),
                {"Concat": 1}),
    "slices": (model([("Slice x s e a -> b", {}), ("Slice b s f a -> y", {})], {"x": (9, 3)},
                     {"s": ints(1), "e": ints(8), "f": ints(4), "a": ints(0)}), {"Slice": 1}),
    "squeezes": (model([("Squeeze x a -> b", {}), ("Squeeze b a -> y", {})], {"x": (1, 1, 3)}, {"a": ints(0)}), {"Squeeze": 1}),
    "unsqueezes": (model([("Unsqueeze x a -> b", {}), ("Unsqueeze b c -> y", {})], {"x": (3,)}, {"a": ints(0), "c": ints(1)}),
                   {"Unsqueeze": 1}),
    "squeeze_unsqueeze": (model([("Squeeze x a -> b", {}), ("Unsqueeze b a -> c", {}), ("Relu c -> y", {})], {"x": (1, 3)}, {"a": ints(0)}),
                          {"Relu": 1}),
    "transposes": (model([("Transpose x -> b", {"perm": [1, 2, 0]}), ("Transpose b -> y", {"perm": [1, 2, 0]})], {"x": (2, 3, 4)}),
                   {"Transpose": 1}),
    "transposed_sum": (model([("Transpose x -> a", {"perm": [1, 0]}), ("Transpose z -> b", {"perm": [1, 0]}), ("Add a b -> y", {})],
                             {"x": (2, 3), "z": (2, 3)}), {"Add": 1, "Transpose": 1}),
    "transposed_functions": (model(between_transposes("LeakyRelu", "Clip l h", "Tanh", "HardSigmoid", "HardSwish", "Mul k", "Add l"), IMAGE,
                                   {"l": number(-0.3), "h": number(0.6), "k": number(1.5)}, opset=14),
                             {"LeakyRelu": 1, "Clip": 1, "Tanh": 1, "HardSigmoid": 1, "HardSwish": 1, "Mul": 1, "Add": 1, "Sin": 7}),
    "transposed_quotient": (model([("Transpose x -> a", {"perm": [1, 0]}), ("Transpose z -> b", {"perm": [1, 0]}), ("Div a b -> y", {})],
                                  {"x": (2, 3), "z": (2, 3)}), {"Div": 1, "Transpose": 1}),
    "transposed_mean": (model([("Transpose x -> a", TO_LAST), ("ReduceMean a -> y", {"axes": [1, 2], "keepdims": 0})], IMAGE),
                        {"ReduceMean": 1}),
    "transposed_batches": (model([("Transpose x -> a", {"perm": [0, 2, 1]}), ("Transpose z -> b", {"perm": [0, 2, 1]}),
                                  ("MatMul a b -> y", {})], {"x": (2, 3, 4), "z": (2, 5, 3)}), {"MatMul": 1, "Transpose": 1}),
    "transposed_heads": (model([("Transpose x -> a", {"perm": [0, 1, 3, 2]}), ("Transpose z -> b", {"perm": [0, 1, 3, 2]}),
                                ("MatMul a b -> y", {})], {"x": (2, 2, 3, 4), "z": (2, 2, 5, 3)}), {"MatMul": 1, "Transpose": 1}),
    "idempotent": (model([("Ceil x -> a", {}), ("Ceil a -> b", {}), ("Mul b k -> c", {}), ("Floor c -> d", {}), ("Floor d -> e", {}),
                          ("Mul e k -> f", {}), ("Round f -> g", {}), ("Round g -> y", {})], MATRIX, {"k": weights(1)}),
                   {"Ceil": 1, "Floor": 1, "Round": 1, "Mul": 2}),
    "argmax_of_growing": (model([("Exp x -> a", {}), ("ArgMax a -> y", {"axis": 1})], MATRIX), {"ArgMax": 1}),
    "log_softmax": (model([("Softmax x -> a", {}), ("Log a -> y", {})], MATRIX), {"LogSoftmax": 1}),
    "reduce_unsqueeze": (model([("ReduceMean x -> a", {"axes": [1], "keepdims": 0}), ("Unsqueeze a b -> y", {})], {"x": (2, 3)},
                               {"b": ints(1)}), {"ReduceMean": 1}),
    "matmul_add": (model([("MatMul x w -> a", {}), ("Add a b -> y", {})], {"x": (2, 3)}, {"w": weights(3, 4), "b": weights(4)}), {"Gemm": 1}),
    "gemm_sum": (model([("Gemm x w -> a", {}), ("Add a b -> y", {})], {"x": (2, 3), "w": (3, 4), "b": (2, 4)}), {"Gemm": 1}),
    "transpose_gemm": (model([("Transpose x -> a", {"perm": [1, 0]}), ("Gemm a w b -> y", {})], {"x": (3, 2)},
                             {"w": weights(3, 4), "b": weights(4)}), {"Gemm": 1}),
    "qkv": (model([("MatMul x u -> a", {}), ("MatMul x v -> b", {}), ("MatMul x w -> c", {})], {"x": (2, 8, 4)},
                  {"u": weights(4, 4), "v": weights(4, 4), "w": weights(4, 4)}, "a b c"), {"MatMul": 1, "Split": 1}),
    "matmul_scale": (model([("Mul x k -> a", {}), ("MatMul a w -> y", {})], {"x": (2, 3)}, {"w": weights(3, 4), "k": number(2.0)}),
                     {"MatMul": 1}),
    "einsum": (model([("Einsum x z -> y", {"equation": "bij,bjk->bik"})], {"x": (2, 3, 4), "z": (2, 4, 5)}), {"MatMul": 1}),
    "where_not": (model([("Not c -> n", {}), ("Where n x z -> y", {})], {"c": ("BOOL", (3, 4)), "x": (3, 4), "z": (3, 4)}), {"Where": 1}),
    "div_mul": (model([("Div o z -> a", {}), ("Mul a x -> y", {})], {"x": (3, 4), "z": (3, 4)}, {"o": number(1.0)}), {"Div": 1}),
    "qdq_pairs": (kept_as_steps(("Identity", {}), ("Identity", {})), {"QuantizeLinear": 1, "DequantizeLinear": 1}),
    "qdq_moves": (kept_as_steps(("MaxPool", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}), ("Transpose", TO_LAST), ("Reshape shape", {}),
                                ("Slice from to axes", {}), ("Squeeze axes", {}), ("Unsqueeze axes", {}), ("Flatten", {})),
                  {"QuantizeLinear": 1, "DequantizeLinear": 1, "MaxPool": 1, "Transpose": 1, "Reshape": 1, "Slice": 1, "Flatten": 1}),
    "relu_quantised": (model([("Relu x -> a", {}), ("QuantizeLinear a s z -> q", {}), ("DequantizeLinear q s z -> y", {})], MATRIX,
                             {"s": number(0.02), "z": number(-128, np.int8)}), {"QuantizeLinear": 1, "DequantizeLinear": 1}),
    "clip_quantised": (model([("Clip x l h -> a", {}), ("QuantizeLinear a s z -> q", {}), ("DequantizeLinear q s z -> y", {})], MATRIX,
                             {"s": number(0.015625), "z": number(0, np.uint8), "l": number(0.0), "h": number(6.0)}),
                       {"QuantizeLinear": 1, "DequantizeLinear": 1}),
    "qdq_model": (quantised_image_classifier(), {"QuantizeLinear": 2, "DequantizeLinear": 3, "Conv": 1, "Relu": 1, "MaxPool": 1, "Flatten": 1,
                                                 "QLinearMatMul": 1}),
    "layer_norm": (model([("ReduceMean x -> m", {"axes": [-1]}), ("Sub x m -> c", {}), ("Pow c t -> p", {}), ("ReduceMean p -> v", {"axes": [-1]}),
                          ("Add v e -> w", {}), ("Sqrt w -> s", {}), ("Div c s -> n", {}), ("Mul n g -> h", {}), ("Add h b -> y", {})],
                         {"x": (2, 3, 4)}, {"t": number(2.0), "e": number(1e-5), "g": weights(4), "b": weights(4)}),
                   {"LayerNormalization": 1}),
}
