"""Rules whose two sides coincide somewhere: on integers near 0, or at one shape. No false one may be called sound.

Expressions are drawn at random, in GSL and as functions of NumPy arrays side by side. Two that give the same on integers from -4 to 4
(or at one shape) are a rule, often with a condition on a size. NumPy judges it at all pairs of 8-bit integers (or at every small shape):
wrap-around, truncation, division by 0, clamped slices, empty windows and axes from the end are met there. The prover is asked alone,
without the search for counterexamples. Nothing is taken from the checker: not its instances, not its evaluation, not its definitions.

usage: coinciding_rules_test.py VOUCH COUNT SEED
"""
import collections
import json
import pathlib
import random
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "driver"))
from command import SKIPPED, Checks, Vouch  # noqa: E402

try:
    import numpy
except ImportError:
    print("not run: python3-numpy is not there")
    sys.exit(SKIPPED)
from moved_arrays import Movement  # noqa: E402

vouch, count, seed = Vouch(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
draw = random.Random(seed)
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())


class Integers:
    """Expressions of two tensors of 8-bit integers: (text, elements at all pairs, where they are defined)."""

    def __init__(self, dtype):
        self.dtype, self.signed = dtype, dtype == "int8"
        self.info = numpy.iinfo(dtype)
        every = numpy.arange(self.info.min, self.info.max + 1)
        self.x, self.y = (a.ravel() for a in numpy.meshgrid(every, every, indexing="ij"))
        self.small = (abs(self.x) <= 4) & (abs(self.y) <= 4)
        self.everywhere = numpy.ones(self.x.shape, bool)

    def held(self, values):
        return numpy.asarray(values).astype(self.dtype).astype(numpy.int64)

    def leaf(self):
        kind = draw.random()
        if kind < 0.75:
            return ("x", self.x, self.everywhere) if kind < 0.45 else ("y", self.y, self.everywhere)
        number = draw.choice([0, 1, 2, 3, 4, 7] * 3 + [100, 127, 16, 64] + ([-1, -2, -3, -128] if self.signed else [128, 255]))
        return f"const {{value = {number}, rank = 0, dtype = {self.dtype}}}", numpy.full(self.x.shape, number), self.everywhere

    def call(self, depth):
        if depth == 0 or draw.random() < 0.12:
            return self.leaf()
        form = draw.choice([self.unary] * 4 + [self.binary] * 9 + [self.there_and_back] * 2 + [self.choice] * 3 + [self.truth] * 2)
        return form(depth)

    def unary(self, depth):
        a, v, defined = self.call(depth - 1)
        op = draw.choice(["Abs", "Sign"] + (["Neg", "Relu"] if self.signed else []))
        value = {"Neg": -v, "Abs": abs(v), "Sign": numpy.sign(v), "Relu": numpy.maximum(v, 0)}[op]
        return f"{op}({a})", self.held(value), defined

    def there_and_back(self, depth):
        a, v, defined = self.call(depth - 1)
        between = draw.choice(["int8", "uint8", "int16", "uint16", "int32", "bool", "float32"])
        value = (v != 0) if between == "bool" else v.astype(between)
        return f"Cast(Cast({a}) {{to = {between}}}) {{to = {self.dtype}}}", self.held(value), defined

    def binary(self, depth):
        a, v, d = self.call(depth - 1)
        b, w, e = self.call(draw.randrange(depth))
        op = draw.choice(["Add", "Sub", "Mul", "Mul", "maximum", "minimum", "Div", "Div", "Mod", "fmod"])
        if op in ("Add", "Sub", "Mul", "maximum", "minimum"):
            does = {"Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "maximum": numpy.maximum, "minimum": numpy.minimum}
            return f"{op}({a}, {b})", self.held(does[op](v, w)), d & e
        divisor = numpy.where(w == 0, 1, w)
        quotient = abs(v) // abs(divisor) * numpy.where((v < 0) != (divisor < 0), -1, 1)
        value = {"Div": quotient, "Mod": numpy.mod(v, divisor), "fmod": numpy.fmod(v, divisor)}[op]
        text = f"Div({a}, {b})" if op == "Div" else f"Mod({a}, {b}) {{fmod = {int(op == 'fmod')}}}"
        return text, self.held(value), d & e & (w != 0)

    def condition(self, depth):
        a, v, d = self.call(depth - 1)
        b, w, e = self.call(draw.randrange(depth))
        op, does = draw.choice([("Less", numpy.less), ("Equal", numpy.equal), ("Greater", numpy.greater),
                                ("LessOrEqual", numpy.less_equal), ("GreaterOrEqual", numpy.greater_equal)])
        text, holds, defined = f"{op}({a}, {b})", does(v, w), d & e
        if draw.random() < 0.2:
            c, u, f = self.call(draw.randrange(depth))
            join, does = draw.choice([("And", numpy.logical_and), ("Or", numpy.logical_or), ("Xor", numpy.logical_xor)])
            text, holds, defined = f"{join}({text}, Cast({c}) {{to = bool}})", does(holds, u != 0), defined & f
        return (f"Not({text})", ~holds, defined) if draw.random() < 0.2 else (text, holds, defined)

    def truth(self, depth):
        text, holds, defined = self.condition(depth)
        return f"Cast({text}) {{to = {self.dtype}}}", holds.astype(numpy.int64), defined

    def choice(self, depth):
        text, holds, defined = self.condition(depth)
        (a, v, d), (b, w, e) = self.call(draw.randrange(depth)), self.call(draw.randrange(depth))
        return f"Where({text}, {a}, {b})", numpy.where(holds, v, w), defined & d & e

    def places(self, expression):
        _, values, defined = expression
        yield (values * defined)[self.small].tobytes() + defined[self.small].tobytes()

    def rule(self, source, target, name):
        """(text, is it true, where it is not); nothing where these two are no rule."""
        first, *others = list(dict.fromkeys(re.findall(r"\b[xy]\b", source[0]))) or [None]
        used = set(re.findall(r"\b[xy]\b", target[0]))
        if first is None or not used <= {first, *others} or "(" not in source[0]:
            return None
        lets = f"let {first} = * {{dtype = {self.dtype}}};" + "".join(
            f" let {other} = * {{dtype = {self.dtype}, shape = {first}.shape}};" for other in others)
        drops = "".join(f" drop {name};" for name in (first, *others) if name not in used)
        wrong = source[2] & ~(target[2] & (source[1] == target[1]))
        return (f"rule {name} {{ {lets} source {source[0]}; target {target[0]};{drops} }}", not wrong.any(),
                f"x = {self.x[wrong.argmax()]}, y = {self.y[wrong.argmax()]}")


def coinciding(kind, wanted):
    places = collections.defaultdict(list)
    for _ in range(wanted * 12):
        expression = kind.call(draw.choice([1, 2, 2, 2, 3]))
        for place in kind.places(expression) if len(expression[0]) < 600 else ():
            places[place].append(expression)
    shared = [each for each in places.values() if len({e[0] for e in each}) > 1]
    rules, seen = [], set()
    for _ in range(wanted * 200):
        source, target = draw.sample(draw.choice(shared), 2)
        rule = kind.rule(source, target, f"coinciding_{len(rules)}") if source[0] != target[0] and (source[0], target[0]) not in seen else None
        if rule:
            seen.add((source[0], target[0]))
            rules.append(rule)
        if len(rules) == wanted:
            break
    return rules


for name, kind in [("int8", Integers("int8")), ("uint8", Integers("uint8")), *((f"rank {r}", Movement(r, draw)) for r in (1, 2, 3))]:
    rules = coinciding(kind, count)
    path, verdicts = folder / f"{name.replace(' ', '_')}.gsl", folder / "verdicts.json"
    path.write_text("\n".join(text for text, _, _ in rules) + "\n")
    code, _, errors = vouch("check", path, "--no-repair", "--no-refute", "-j", "2", "--json", verdicts, seconds=3600)
    checks.that(code in (0, 1, 2), f"{name}: exit {code}: {errors[:500]}")
    if code not in (0, 1, 2):
        continue
    told = {entry["name"]: entry["verdict"] for entry in json.loads(verdicts.read_text())["rules"]}
    found = [told.get(f"coinciding_{k}") for k in range(len(rules))]
    for verdict, (text, is_true, where) in zip(found, rules):
        checks.that(verdict is not None and (is_true or verdict != "sound"), f"false at {where}, and {verdict}: {text}")
    false, proven = sum(not is_true for _, is_true, _ in rules), found.count("sound")
    checks.that(len(rules) == count and false >= count // 4 and proven >= count // 20, f"{name}: {len(rules)} rules, {false} false, {proven} proven")
    print(f"{name}: {len(rules)} rules (seed {seed}): {false} false, none sound; {proven} of {len(rules) - false} others proven")
checks.end()
