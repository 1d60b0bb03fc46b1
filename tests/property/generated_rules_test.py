"""Rules that are true, or false, by construction: no false one may be called sound, and nearly all true ones have to be proven.

A rule's source is a random expression over one or two inputs. Its target is reached by laws of algebra and of data movement, applied
at random places: then it is true. Half of them are then changed in one place, and kept as false if NumPy computes something else on
inputs drawn here. Nothing is taken from the checker: not its instances, not its evaluation, not its definitions.

usage: generated_rules_test.py VOUCH ROOT [COUNT] [SEED]
"""
import json
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "driver"))
from command import SKIPPED, Checks, Vouch  # noqa: E402

try:
    import numpy
except ImportError:
    print("not run: python3-numpy is not there")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
count = int(sys.argv[3]) if len(sys.argv) > 3 else 300
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
draw = random.Random(seed)
SIZES = (2, 3, 4)

# --- expressions: ("x",) or ("y",); (operator, operands…) of elementwise operators; (operator, parameter, operands…) of the others
UNARY = {"Relu": lambda a: numpy.maximum(a, 0), "Neg": numpy.negative, "Abs": numpy.abs, "Exp": numpy.exp, "Tanh": numpy.tanh,
         "Sigmoid": lambda a: 1 / (1 + numpy.exp(-a)), "Floor": numpy.floor}
BINARY = {"Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "Max": numpy.maximum, "Min": numpy.minimum}
REDUCING = {"reduce_sum": numpy.sum, "reduce_max": numpy.max, "reduce_min": numpy.min}
MOVING = {"Transpose": lambda p, a: numpy.transpose(a, p), "reverse": lambda p, a: numpy.flip(a, p),
          "concatenate": lambda p, a, b: numpy.concatenate((a, b), p)}


def parts(e):
    """Where the operands of an expression begin, and they."""
    first = 1 if len(e) == 1 or e[0] in UNARY or e[0] in BINARY else 2
    return first, e[first:]


def value(e, inputs):
    if len(e) == 1:
        return inputs[e[0]]
    operands = [value(a, inputs) for a in parts(e)[1]]
    if e[0] in REDUCING:
        return REDUCING[e[0]](operands[0], axis=e[1], keepdims=True)
    if e[0] in MOVING:
        return MOVING[e[0]](e[1], *operands)
    return (UNARY.get(e[0]) or BINARY[e[0]])(*operands)


def text(e):
    if len(e) == 1:
        return e[0]
    operands = [text(a) for a in parts(e)[1]]
    listed = lambda axes: "(" + "".join(f"{a}, " for a in axes) + ")"  # noqa: E731
    if e[0] in ("Max", "Min"):
        return f"{e[0]}(({operands[0]}, {operands[1]}))"
    if e[0] == "concatenate":
        return f"concatenate(({operands[0]}, {operands[1]})) {{axis = {e[1]}}}"
    attribute = {"Transpose": "perm = ", "reverse": "axes = "}.get(e[0], "keepdims = 1, axes = ")
    return f"{e[0]}({', '.join(operands)})" + (f" {{{attribute}{listed(e[1])}}}" if parts(e)[0] == 2 else "")


def variables(e):
    return set(leaves(e))


def leaves(e):
    """In the order in which a source is matched."""
    return [e[0]] if len(e) == 1 else [leaf for a in parts(e)[1] for leaf in leaves(a)]


def size(e):
    return 1 + sum(size(a) for a in parts(e)[1])


def expression(depth, rank):
    """Of the shape that both inputs have, so that any two may be operands of one call."""
    if depth == 0:
        return (draw.choice("xy"),)
    kind = draw.randrange(10)
    if kind < 3:
        return (draw.choice(list(UNARY)), expression(depth - 1, rank))
    if kind < 7:
        return (draw.choice(list(BINARY)), expression(depth - 1, rank), expression(depth - 1, rank))
    axes = tuple(sorted(draw.sample(range(rank), draw.randint(1, rank))))
    return ("reverse", axes, expression(depth - 1, rank))


def outermost(e, rank):
    """Something that changes the shape, once, around the rest."""
    kind = draw.randrange(6)
    if kind == 0:
        return ("Transpose", tuple(draw.sample(range(rank), rank)), e)
    if kind == 1:
        return (draw.choice(list(REDUCING)), tuple(sorted(draw.sample(range(rank), draw.randint(1, rank)))), e)
    if kind == 2:
        return ("concatenate", draw.randrange(rank), e, expression(1, rank))
    return e


def laws(e, rank):
    """Every expression that one law makes of this one, at its root."""
    op, out = e[0], []
    if op in ("Add", "Mul", "Max", "Min"):
        _, a, b = e
        out.append((op, b, a))
        if a[0] == op:
            out.append((op, a[1], (op, a[2], b)))
        if b[0] == op:
            out.append((op, (op, a, b[1]), b[2]))
    if op == "Mul":
        _, a, b = e
        if b[0] == "Add":
            out.append(("Add", ("Mul", a, b[1]), ("Mul", a, b[2])))
        if a[0] == "Exp" and b[0] == "Exp":
            out.append(("Exp", ("Add", a[1], b[1])))
        if a[0] == "Neg":
            out.append(("Neg", ("Mul", a[1], b)))
    if op == "Exp" and e[1][0] == "Add":
        out.append(("Mul", ("Exp", e[1][1]), ("Exp", e[1][2])))
    if op == "Add" and e[1][0] == "Mul" and e[2][0] == "Mul" and e[1][1] == e[2][1]:
        out.append(("Mul", e[1][1], ("Add", e[1][2], e[2][2])))
    if op == "Sub":
        out += [("Add", e[1], ("Neg", e[2])), ("Neg", ("Sub", e[2], e[1]))]
    if op == "Neg":
        a = e[1]
        out += {"Neg": lambda: [a[1]], "Add": lambda: [("Add", ("Neg", a[1]), ("Neg", a[2]))], "Sub": lambda: [("Sub", a[2], a[1])],
                "Max": lambda: [("Min", ("Neg", a[1]), ("Neg", a[2]))], "Min": lambda: [("Max", ("Neg", a[1]), ("Neg", a[2]))],
                "reduce_max": lambda: [("reduce_min", a[1], ("Neg", a[2]))],
                "reduce_min": lambda: [("reduce_max", a[1], ("Neg", a[2]))]}.get(a[0], list)()
    if op in ("Relu", "Abs") and e[1][0] in ("Relu", "Abs"):
        out.append(e[1])
    if op == "Abs":
        out.append(("Max", e[1], ("Neg", e[1])))
    if op == "Abs" and e[1][0] == "Neg":
        out.append(("Abs", e[1][1]))
    if op in ("Max", "Min") and e[1] == e[2]:
        out.append(e[1])
    if op in REDUCING:
        axes, a = e[1], e[2]
        if len(axes) > 1:
            out.append((op, axes[:1], (op, axes[1:], a)))
        if op == "reduce_sum" and a[0] in ("Add", "Sub"):
            out.append((a[0], (op, axes, a[1]), (op, axes, a[2])))
        if a[0] == "reverse" and set(a[1]) <= set(axes):
            out.append((op, axes, a[2]))
        if op == "reduce_max" and a[0] == "Max":
            out.append(("Max", (op, axes, a[1]), (op, axes, a[2])))
        if op in ("reduce_max", "reduce_min") and a[0] in ("Relu", "Exp", "Tanh", "Floor"):
            out.append((a[0], (op, axes, a[1])))
    if op in ("Transpose", "reverse"):
        a = e[2]
        if a[0] in UNARY:
            out.append((a[0], (op, e[1], a[1])))
        if a[0] in BINARY:
            out.append((a[0], (op, e[1], a[1]), (op, e[1], a[2])))
        if op == "reverse" and a[0] == "reverse":
            left = tuple(sorted(set(e[1]) ^ set(a[1])))
            out.append(("reverse", left, a[2]) if left else a[2])
        if op == "Transpose" and a[0] == "Transpose":
            out.append(("Transpose", tuple(a[1][k] for k in e[1]), a[2]))
        if op == "Transpose" and a[0] == "reverse":
            out.append(("reverse", tuple(sorted(e[1].index(k) for k in a[1])), ("Transpose", e[1], a[2])))
    if op in UNARY and e[1][0] in ("Transpose", "reverse"):
        out.append((e[1][0], e[1][1], (op, e[1][2])))
    if op == "concatenate" and e[2][0] in UNARY and e[3][0] == e[2][0]:
        out.append((e[2][0], (op, e[1], e[2][1], e[3][1])))
    if op in UNARY and e[1][0] == "concatenate":
        out.append(("concatenate", e[1][1], (op, e[1][2]), (op, e[1][3])))
    return out


def anywhere(e, change):
    """Every expression that `change` makes of this one, at any place."""
    out = list(change(e))
    first, operands = parts(e)
    for k, operand in enumerate(operands):
        out += [e[:first + k] + (other,) + e[first + k + 1:] for other in anywhere(operand, change)]
    return out


def slips(e, rank):
    """Mistakes at the root of an expression."""
    op = e[0]
    if len(e) == 1:
        return [("Neg", e), ("y",) if op == "x" else ("x",)]
    out = []
    if op in UNARY:
        out += [(other,) + e[1:] for other in UNARY if other != op] + [e[1]]
    if op in BINARY:
        out += [(other,) + e[1:] for other in BINARY if other != op] + [(op, e[2], e[1]), e[1], e[2]]
    if op in REDUCING:
        out += [(other,) + e[1:] for other in REDUCING if other != op] + [(op, (axis,), e[2]) for axis in range(rank)]
    if op == "reverse":
        out += [(op, (axis,), e[2]) for axis in range(rank)] + [e[2]]
    if op == "Transpose":
        out += [(op, tuple(draw.sample(range(rank), rank)), e[2]) for _ in range(3)]
    if op == "concatenate":
        out += [(op, (e[1] + 1) % rank, e[2], e[3]), (op, e[1], e[3], e[2])]
    return out


def same(a, b, rank):
    """What NumPy finds on inputs of its own: true, false, or nothing where it is too close to tell."""
    rng = numpy.random.default_rng(draw.randrange(1 << 30))
    worst = 0.0
    for _ in range(4):
        inputs = {name: rng.normal(size=SIZES[:rank]) * 1.5 for name in "xy"}
        try:
            with numpy.errstate(all="ignore"):
                left, right = value(a, inputs), value(b, inputs)
        except ValueError:
            return False
        if left.shape != right.shape:
            return False
        if not (numpy.isfinite(left).all() and numpy.isfinite(right).all()):
            return None
        worst = max(worst, float(numpy.max(numpy.abs(left - right) / (1 + numpy.abs(left)))))
    return True if worst < 1e-9 else False if worst > 1e-3 else None


def rule():
    """(source, target, true, rank)"""
    while True:
        rank = draw.randint(1, 3)
        source = outermost(expression(draw.randint(1, 3), rank), rank)
        target = source
        for _ in range(draw.randint(1, 4)):
            choices = [t for t in anywhere(target, lambda e: laws(e, rank)) if size(t) <= 16]
            target = draw.choice(choices) if choices else target
        wrong = draw.random() < 0.5
        if wrong:
            target = draw.choice(anywhere(target, lambda e: slips(e, rank)))
        fits = len(source) > 1 and target != source and variables(target) <= variables(source) and len(target) > 1
        if fits and same(source, target, rank) is (not wrong):
            return source, target, not wrong, rank


checks = Checks()
rules = [rule() for _ in range(count)]
folder = pathlib.Path(tempfile.mkdtemp())
verdicts = {}
for begin in range(0, count, 500):
    lines = []
    for k, (source, target, _, rank) in list(enumerate(rules))[begin:begin + 500]:
        names = list(dict.fromkeys(leaves(source)))
        lets = f"let {names[0]} = * {{rank = {rank}, dtype = float32}};" + "".join(
            f" let {other} = * {{shape = {names[0]}.shape, dtype = float32}};" for other in names[1:])
        drops = "".join(f" drop {name};" for name in names if name not in variables(target))
        lines.append(f"rule generated_{k} {{ {lets} source {text(source)}; target {text(target)};{drops} }}")
    path = folder / f"rules_{begin}.gsl"
    path.write_text("\n".join(lines) + "\n")
    code, out, errors = vouch("check", path, "--no-repair", "-j", "2", "--json", folder / "verdicts.json", seconds=3600)
    checks.that(code in (0, 1, 2), f"exit {code}: {errors[:500]}")
    for entry in json.loads((folder / "verdicts.json").read_text())["rules"] if code in (0, 1, 2) else []:
        verdicts[int(entry["name"].removeprefix("generated_"))] = (entry["verdict"], lines[int(entry["name"].removeprefix("generated_")) - begin])

true = [k for k in range(count) if rules[k][2]]
false = [k for k in range(count) if not rules[k][2]]
proven = [k for k in true if verdicts.get(k, ("",))[0] == "sound"]
refuted = [k for k in false if verdicts.get(k, ("",))[0] in ("unsound", "ill-typed")]
for k in true:
    verdict, line = verdicts.get(k, ("nothing", ""))
    checks.that(verdict in ("sound", "unknown"), f"true, and {verdict}: {line}")
for k in false:
    verdict, line = verdicts.get(k, ("nothing", ""))
    checks.that(verdict in ("unsound", "ill-typed", "unknown"), f"false, and {verdict}: {line}")
for k in true:
    if k not in proven:
        print("not proven:", verdicts.get(k, ("", ""))[1])
checks.that(len(true) >= count // 3 and len(false) >= count // 3, f"{len(true)} true and {len(false)} false ones are too uneven")
checks.that(len(proven) >= 0.95 * len(true), f"only {len(proven)} of {len(true)} true rules are proven")
checks.that(len(refuted) >= 0.95 * len(false), f"only {len(refuted)} of {len(false)} false rules are refuted")
print(f"{count} rules (seed {seed}): {len(proven)} of {len(true)} true ones proven, {len(refuted)} of {len(false)} false ones refuted, none sound")
checks.end()
