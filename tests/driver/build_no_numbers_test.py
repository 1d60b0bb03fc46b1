"""IsNaN and IsInf of what is no number: the interpreter and the library say of each element what numpy says, of each type of floats; a
model that puts zeros for what a softmax makes of a row that is masked as a whole keeps them."""
from formula_cases import FLOATS, case, judged, node, numpy, verified

INFINITY, NAN = numpy.inf, numpy.nan


def of_all_kinds(kind):
    """Numbers of both signs, the least and the greatest, and what is none."""
    known = numpy.finfo(kind)
    return numpy.array([[0.0, -0.0, 1.5, NAN, INFINITY, -INFINITY, -NAN], [known.max, known.min, known.tiny, -known.tiny, -3, NAN, INFINITY]], kind)


for kind in FLOATS:
    x = of_all_kinds(kind)
    opset = 20 if kind == "float16" else 13
    case(f"nan_{kind}", [node("IsNaN", "x")], {"x": x}, {"y": numpy.isnan(x)}, opset=opset)
    for above in (0, 1):
        for below in (0, 1):
            expected = (numpy.isposinf(x) & (above == 1)) | (numpy.isneginf(x) & (below == 1))
            case(f"infinity_{kind}_{above}{below}", [node("IsInf", "x", detect_positive=above, detect_negative=below)], {"x": x},
                 {"y": expected}, opset=opset)
    # Not a number for another reason in each: a quotient of zeros, a difference of infinities, a product that is too large twice.
    zero, one = numpy.zeros(1, kind), numpy.ones(1, kind)
    with numpy.errstate(all="ignore"):
        made = {"quotient": (node("Div", "xz", "m"), x / zero), "difference": (node("Sub", "xx", "m"), x - x), "product": (node("Mul", "xx", "m"), x * x),
                "root": (node("Sqrt", "x", "m"), numpy.sqrt(x))}
    for name, (call, value) in made.items():
        held = {"z": zero} if name == "quotient" else {}
        case(f"nan_of_{name}_{kind}", [call, node("IsNaN", "m")], {"x": x}, {"y": numpy.isnan(value)}, held, opset)
        case(f"infinity_of_{name}_{kind}", [call, node("IsInf", "m")], {"x": x}, {"y": numpy.isinf(value)}, held, opset)
    case(f"no_nan_{kind}", [node("IsNaN", "x", "n"), node("Where", "nox", "r"), node("IsInf", "r", "i"), node("Where", "ior")], {"x": x},
         {"y": numpy.where(numpy.isfinite(x), x, one)}, {"o": one}, opset=max(opset, 16))

# A row of scores that is masked as a whole.
scores = numpy.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)
mask = numpy.array([[0, 0, -INFINITY, 0], [-INFINITY] * 4, [0, -INFINITY, 0, 0]], "float32")
powers = numpy.exp(scores + mask)
with numpy.errstate(invalid="ignore"):
    weights = powers / powers.sum(axis=1, keepdims=True)
case("masked_softmax", [node("Add", "xm", "s"), node("Softmax", "s", "w"), node("IsNaN", "w", "n"), node("Where", "nzw")], {"x": scores, "m": mask},
     {"y": numpy.where(numpy.isnan(weights), numpy.float32(0), weights)}, {"z": numpy.zeros((), "float32")}, opset=16)
verified("masked_softmax", "infinity_float32_11", "infinity_float16_10", "nan_float64", "nan_float32", lie=("==", "<="))
judged()
