"""Attention and RotaryEmbedding, which ONNX's data that are installed here lack: the interpreter and the library compute what numpy makes
of ONNX's text; an exporter's decomposition is equal to the one operator, neighbours of it are not; what is read in two ways has no meaning."""
import itertools

from formula_cases import FLOATS, case, checks, judged, node, numpy, place, root, verified, vouch, written

chance = numpy.random.default_rng(23)
ORDER = ("q", "k", "v", "m", "pk", "pv", "n")  # operands of Attention


def drawn(kind, *dims):
    return chance.standard_normal(dims).astype(kind)


def in_heads(x, heads):
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def attention(q, k, v, m=None, pk=None, pv=None, n=None, q_num_heads=None, kv_num_heads=None, is_causal=0, scale=None, softcap=0.0,
              qk_matmul_output_mode=0, softmax_precision=None):
    """Element by element: one row of scores after another."""
    wide = [None if x is None else x.astype(numpy.float64) for x in (q, k, v, pk, pv)]
    queries, keys, values = (in_heads(x, heads) for x, heads in zip(wide, (q_num_heads, kv_num_heads, kv_num_heads)))
    past = 0 if pk is None else pk.shape[2]
    keys, values = (new if old is None else numpy.concatenate((old, new), 2) for old, new in zip(wide[3:], (keys, values)))
    batch, heads, length, size = queries.shape
    total = keys.shape[2]
    scale = 1 / numpy.sqrt(size) if scale is None else scale
    mask = None if m is None else numpy.broadcast_to(m, (batch, heads, length, total))
    scores, weights = numpy.zeros((batch, heads, length, total)), numpy.zeros((batch, heads, length, total))
    mean = numpy.zeros((batch, heads, length, values.shape[3]))
    for b, h, i in itertools.product(range(batch), range(heads), range(length)):
        of = h // (heads // keys.shape[1])
        scores[b, h, i] = keys[b, of] @ queries[b, h, i] * scale
        row = softcap * numpy.tanh(scores[b, h, i] / softcap) if softcap else scores[b, h, i].copy()
        for j in range(total):
            out = is_causal and j > past + i or n is not None and j >= n[b] or mask is not None and mask.dtype == bool and not mask[b, h, i, j]
            row[j] = -numpy.inf if out else row[j] if mask is None or mask.dtype == bool else row[j] + float(mask[b, h, i, j])
        powers = numpy.exp(row - row.max())
        weights[b, h, i] = powers / powers.sum()
        mean[b, h, i] = weights[b, h, i] @ values[b, of]
    y = mean if q.ndim == 4 else mean.transpose(0, 2, 1, 3).reshape(batch, length, -1)
    return [x.astype(q.dtype) for x in (y, keys, values, weights if qk_matmul_output_mode == 3 else scores)]


def of_attention(name, inputs, results=("y",), opset=23, by_runtime=True, **attributes):
    given = [one if one in inputs else "" for one in ORDER]
    while not given[-1]:
        given.pop()
    found = dict(zip(("y", "nk", "nv", "s"), attention(**inputs, **attributes)))
    named = [one if one in results else "" for one in ("y", "nk", "nv", "s")]
    while not named[-1]:
        named.pop()
    case(name, [node("Attention", given, named, **attributes)], inputs, {one: found[one] for one in results}, opset=opset,
         by_runtime=by_runtime)


def four(kind, heads=(2, 2), lengths=(3, 5), sizes=(4, 4)):
    return {"q": drawn(kind, 2, heads[0], lengths[0], sizes[0]), "k": drawn(kind, 2, heads[1], lengths[1], sizes[0]),
            "v": drawn(kind, 2, heads[1], lengths[1], sizes[1])}


def three(kind, heads=(4, 2), lengths=(3, 5), sizes=(4, 3)):
    return {"q": drawn(kind, 2, lengths[0], heads[0] * sizes[0]), "k": drawn(kind, 2, lengths[1], heads[1] * sizes[0]),
            "v": drawn(kind, 2, lengths[1], heads[1] * sizes[1])}


def past(kind, heads=2, length=2, sizes=(4, 4)):
    return {"pk": drawn(kind, 2, heads, length, sizes[0]), "pv": drawn(kind, 2, heads, length, sizes[1])}


def truths(*dims):
    mask = chance.random(dims) < 0.6
    mask[..., 0] = True
    return mask


for kind in FLOATS:
    of_attention(f"four_{kind}", four(kind))
    of_attention(f"four_groups_{kind}", four(kind, heads=(6, 2), sizes=(4, 3)), scale=0.3)
    of_attention(f"three_{kind}", three(kind), q_num_heads=4, kv_num_heads=2)
    of_attention(f"past_{kind}", four(kind) | past(kind), ("y", "nk", "nv"))
    of_attention(f"added_{kind}", four(kind) | {"m": drawn(kind, 2, 1, 3, 5)})
of_attention("one_key_head", four("float32", heads=(4, 1)), q_num_heads=4, kv_num_heads=1)
of_attention("causal", four("float32"), is_causal=1)
of_attention("causal_square_three", three("float32", lengths=(4, 4)), q_num_heads=4, kv_num_heads=2, is_causal=1)
of_attention("causal_past", four("float32", lengths=(3, 3)) | past("float32"), ("y", "nk", "nv"), is_causal=1)
of_attention("causal_bool", four("float32") | {"m": truths(3, 5)}, is_causal=1)
of_attention("causal_added", four("float32") | {"m": drawn("float32", 2, 3, 5)}, is_causal=1)
of_attention("past_three", three("float32") | past("float32", sizes=(4, 3)), ("y", "nk", "nv"), q_num_heads=4, kv_num_heads=2)
of_attention("present_without_past", three("float32"), ("y", "nk", "nv"), q_num_heads=4, kv_num_heads=2)
for dims in ((3, 5), (1, 5), (2, 3, 5), (2, 2, 3, 5), (2, 1, 1, 5)):
    of_attention(f"bool_{len(dims)}_{dims[0]}{dims[-2]}", four("float32") | {"m": truths(*dims)}, by_runtime=dims[-2] != 1)
of_attention("capped", four("float32"), ("y",), softcap=0.7)
of_attention("counted", four("float32") | {"n": numpy.array([5, 2], "int64")}, opset=24)
of_attention("counted_masked", four("float32") | {"m": truths(3, 5), "n": numpy.array([1, 4], "int64")}, opset=24)
of_attention("scores", four("float32") | {"m": truths(3, 5)}, ("y", "s"))
of_attention("weights", four("float32") | {"m": truths(3, 5)}, ("y", "s"), qk_matmul_output_mode=3)
of_attention("wide_softmax", four("float16"), softmax_precision=1)
# The mask of row 1 leaves nothing; -inf is added to what does not count.
nothing = truths(3, 5)
nothing[1] = False
with numpy.errstate(invalid="ignore"):
    of_attention("no_key", four("float32") | {"m": nothing})
of_attention("minus_infinity", four("float32") | {"m": numpy.where(truths(3, 5), 0, -numpy.inf).astype("float32")})


def turned(x, c, s, p=None, interleaved=0, num_heads=0, rotary_embedding_dim=0):
    y = in_heads(x, num_heads).astype(numpy.float64)
    turning = rotary_embedding_dim or y.shape[3]
    half = turning // 2
    out = y.copy()
    for b, h, i, pair in itertools.product(*map(range, y.shape[:3]), range(half)):
        cosine, sine = (float(t[b, i, pair] if p is None else t[p[b, i], pair]) for t in (c, s))
        one, other = (2 * pair, 2 * pair + 1) if interleaved else (pair, pair + half)
        out[b, h, i, one] = cosine * y[b, h, i, one] - sine * y[b, h, i, other]
        out[b, h, i, other] = sine * y[b, h, i, one] + cosine * y[b, h, i, other]
    return (out if x.ndim == 4 else out.transpose(0, 2, 1, 3).reshape(x.shape)).astype(x.dtype)


for kind in FLOATS:
    for apart, by_position, interleaved, part in itertools.product((0, 1), (0, 1), (0, 1), (0, 4)):
        if kind != "float32" and interleaved != (part == 0):
            continue
        attributes = {"interleaved": interleaved, "rotary_embedding_dim": part} | ({} if apart else {"num_heads": 2})
        pairs = (part or 6) // 2
        inputs = {"x": drawn(kind, 2, 2, 3, 6) if apart else drawn(kind, 2, 3, 12)}
        rows = (7, pairs) if by_position else (2, 3, pairs)
        inputs |= {"c": drawn(kind, *rows), "s": drawn(kind, *rows)} | ({"p": chance.integers(0, 7, (2, 3))} if by_position else {})
        case(f"rotary_{kind}_{apart}{by_position}{interleaved}{part}", [node("RotaryEmbedding", inputs, **attributes)], inputs,
             {"y": turned(**inputs, **attributes)}, opset=23)


def model(name, nodes, inputs, outputs, held=None, opset=23):
    return written(name, nodes, inputs, outputs, held or {}, opset)


def said_of(first, second):
    code, out, err = vouch("equiv", first, second)
    return code, out + err


# As exporters write it without the operator.
shapes = four("float32", heads=(4, 2))
y = {"y": numpy.zeros((2, 4, 3, 4), "float32")}
operator = model("operator", [node("Attention", "qkv", is_causal=0)], shapes, y)


def in_parts(name, axis=-1, repeat=2, scale=0.5, shape=(2, 4, 5, 4)):
    held = {"half": numpy.array(scale, "float32"), "shape": numpy.array(shape), "each": numpy.array([2, 2, repeat, 5, 4]), "one": numpy.array([2])}
    again = [step for x in "kv" for step in (node("Unsqueeze", [x, "one"], [x + "1"]), node("Expand", [x + "1", "each"], [x + "2"]), node("Reshape", [x + "2", "shape"], [x + "3"]))]
    return model(name, [*again, node("Transpose", ["k3"], ["t"], perm=[0, 1, 3, 2]), node("MatMul", "qt", "p"), node("Mul", ["p", "half"], "s"),
                        node("Softmax", "s", "w", axis=axis), node("MatMul", ["w", "v3"])], shapes, y, held)


code, said = said_of(operator, in_parts("parts"))
checks.that(code == 0 and "equal (real)" in said, f"a decomposition is equal: exit {code}: {said}")
for name, other in (("another axis", in_parts("axis", axis=-2)), ("another scale", in_parts("scale", scale=0.25)),
                    ("causal", model("causal_one", [node("Attention", "qkv", is_causal=1)], shapes, y))):
    code, said = said_of(operator, other)
    checks.that(code == 1 and "different" in said, f"{name} is another function: exit {code}: {said}")

# What is read in two ways, or is not meant: the call stays, and has no value here.
base = four("float32")
y = {"y": numpy.zeros((2, 2, 3, 4), "float32")}
for name, inputs, attributes, opset, why in (
        ("a cap beside a mask", base | {"m": truths(3, 5)}, {"softcap": 2.0}, 23, "softcap beside a mask"),
        ("a cap beside is_causal", base, {"softcap": 2.0, "is_causal": 1}, 23, "softcap beside a mask"),
        ("a negative cap", base, {"softcap": -2.0}, 23, "softcap must be"),
        ("a mask that is too short", base | {"m": truths(3, 4)}, {}, 24, "a mask of another length"),
        ("a mask of one key", base | {"m": truths(3, 1)}, {}, 23, "a mask of another length"),
        ("a mask of integers", base | {"m": numpy.zeros((3, 5), "int64")}, {}, 23, "a mask must be bool"),
        ("counts beside is_causal", base | {"n": numpy.array([1, 4])}, {"is_causal": 1}, 24, "numbers of keys beside"),
        ("a negative scale", base, {"scale": -1.0}, 23, "scale must be"),
        ("another number of heads", base, {"q_num_heads": 3}, 23, "a number of heads must be"),
        ("a window of opset 25", base, {"left_window_size": 1}, 25, "")):
    given = [one if one in inputs else "" for one in ORDER]
    path = model(name.replace(" ", "_"), [node("Attention", given[:7 if "n" in inputs else 4 if "m" in inputs else 3], **attributes)], inputs, y, opset=opset)
    io = place / f"{path.stem}_io"
    io.mkdir()
    for one, array in inputs.items():
        numpy.save(io / f"in_{one}.npy", array)
    code, out, err = vouch("run", path, "--io", io)
    checks.that(code == 3 and "has no meaning here" in err, f"{name}: run: exit {code}: {out}{err}")
    code, out, err = vouch("build", path, "-o", place / "refused")
    checks.that(code == 3 and "Attention" in err and not (place / "refused").exists(), f"{name}: build: exit {code}: {out}{err}")
    code, out, err = vouch("optimize", path, "--rules", root / "rules", "-o", place / "kept.onnx")
    checks.that(code == 0, f"{name}: stays: exit {code}: {out}{err}")

# What ONNX does not allow is told.
for name, call, inputs, expected in (
        ("heads that do not divide", node("Attention", "qkv", q_num_heads=3, kv_num_heads=2), three("float32"), "must divide the last axis"),
        ("heads that are not said", node("Attention", "qkv"), three("float32"), "must be given"),
        ("groups of no size", node("Attention", "qkv"), four("float32", heads=(3, 2)), "must be divided among"),
        ("past keys alone", node("Attention", ["q", "k", "v", "", "pk"]), four("float32") | {"pk": drawn("float32", 2, 2, 2, 4)}, "come together"),
        ("no head", node("Attention", "qkv", q_num_heads=0, kv_num_heads=2), three("float32"), "at least 1"),
        ("an odd part", node("RotaryEmbedding", "xcs", rotary_embedding_dim=3), {"x": drawn("float32", 2, 2, 3, 6), "c": drawn("float32", 2, 3, 1), "s": drawn("float32", 2, 3, 1)}, "an even number"),
        ("more than a head", node("RotaryEmbedding", "xcs", rotary_embedding_dim=8), {"x": drawn("float32", 2, 2, 3, 6), "c": drawn("float32", 2, 3, 4), "s": drawn("float32", 2, 3, 4)}, "that a head has"),
        ("angles of no pair", node("RotaryEmbedding", "xcs"), {"x": drawn("float32", 2, 2, 3, 6), "c": drawn("float32", 2, 3, 2), "s": drawn("float32", 2, 3, 2)}, "an angle for each pair"),
        ("no number of heads", node("RotaryEmbedding", "xcs"), {"x": drawn("float32", 2, 3, 6), "c": drawn("float32", 2, 3, 3), "s": drawn("float32", 2, 3, 3)}, "num_heads must be")):
    path = model(name.replace(" ", "_"), [call], inputs, {"y": numpy.zeros(1, "float32")})
    code, out, err = vouch("optimize", path, "-o", place / "told.onnx")
    checks.that(code == 3 and expected in err, f"{name}: exit {code}: {out}{err}")
verified("causal_past", "bool_3_23", "counted_masked", "rotary_float32_1104", lie=(" < ", " <= "))
judged(1e-4)
