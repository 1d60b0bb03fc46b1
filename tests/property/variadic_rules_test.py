"""Rules of variadics, with and without first instances of another form, of other sizes, or with operands exchanged: the prover alone
calls none sound that NumPy computes otherwise, on branches of numbers and sizes drawn here. Nothing is taken from the checker.

usage: variadic_rules_test.py VOUCH COUNT SEED
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

vouch, count, seed = Vouch(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
draw = random.Random(seed)
FAR = 10 ** 6  # beyond what refuters try
UNARY = {"Neg({})": lambda a: -a, "Abs({})": abs, "Identity({})": lambda a: a, "Relu({})": lambda a: numpy.maximum(a, 0), "Mul({}, 2)": lambda a: 2 * a,
         f"Clip({{}}, -{FAR}, {FAR})": lambda a: numpy.clip(a, -FAR, FAR), "reverse({}) {{axes = (0,)}}": lambda a: a[::-1]}
BINARY = {"Add({}, {})": lambda a, b: a + b, "Sub({}, {})": lambda a, b: a - b, "Mul({}, {})": lambda a, b: a * b,
          "Concat(({}, {})) {{axis = 0}}": lambda a, b: numpy.concatenate((a, b))}
JOINED = {"Concat({}) {{axis = 0}}": lambda a: a, "Neg(Concat({}) {{axis = 0}})": lambda a: -a, "Abs(Concat({}) {{axis = 0}})": abs,
          "ReduceSum(Concat({}) {{axis = 0}}, const {{value = (0,)}}) {{keepdims = 0}}": lambda a: numpy.array([a.sum()])}
BRANCHES = {"i": lambda i, n: i, "v.length - 1 - i": lambda i, n: n - 1 - i, "0": lambda i, n: 0, "max(i - 1, 0)": lambda i, n: max(i - 1, 0)}


def expression(names, depth):
    if depth == 0:
        return draw.choice(names)
    operator = draw.choice([*UNARY, *BINARY])
    return (operator, *(expression(names, draw.randrange(depth)) for _ in range(2 if operator in BINARY else 1)))


def slipped(e, names):
    """Another expression: an operand exchanged, another operator, another input."""
    if isinstance(e, str):
        return draw.choice(names)
    if len(e) == 3 and draw.random() < 0.3:
        return e[0], e[2], e[1]
    if len(e) == 2 and draw.random() < 0.5:
        return draw.choice(list(UNARY)), e[1]
    at = draw.randrange(1, len(e))
    return (*e[:at], slipped(e[at], names), *e[at + 1:])


def inputs_of(e):
    return [e] if isinstance(e, str) else [name for part in e[1:] for name in inputs_of(part)]


def text(e, names):
    return names[e] if isinstance(e, str) else e[0].format(*(text(part, names) for part in e[1:]))


def value(e, tensors):
    """Nothing where sizes do not broadcast."""
    if isinstance(e, str):
        return tensors[e]
    operands = [value(part, tensors) for part in e[1:]]
    if any(operand is None for operand in operands):
        return None
    if len(operands) == 2 and not e[0].startswith("Concat") and len(operands[0]) != len(operands[1]) and 1 not in map(len, operands):
        return None
    return (UNARY.get(e[0]) or BINARY[e[0]])(*operands)


class Rule:
    def __init__(self):
        self.branch = expression(draw.choice((("y",), ("y", "z"), ("y", "x"), ("y", "z", "x"))), draw.randint(1, 2))
        self.names = list(dict.fromkeys(inputs_of(self.branch)))
        self.own = [name for name in self.names if name != "x"]
        sizes = lambda: {name: draw.choice(("own", *(other for other in self.names[:k] if other != name)))  # noqa: E731
                         for k, name in enumerate(self.names) if name != "x"}
        self.sizes = sizes()
        self.first = draw.choice((None, self.branch, self.branch, slipped(self.branch, self.names)))
        self.first_sizes = draw.choice((self.sizes, sizes()))
        self.target = draw.choice((self.branch, self.branch, slipped(self.branch, self.names)))
        self.joined, self.taken = draw.choice(list(JOINED)), draw.choice(["i"] * 3 + list(BRANCHES))
        self.hoisted = len(self.target) == 2 and draw.random() < 0.5  # the operator stands behind what joins

    def fits(self):
        spoken_of = lambda e: list(dict.fromkeys(inputs_of(e))) == self.names  # noqa: E731
        return self.own and spoken_of(self.branch) and (self.first is None or spoken_of(self.first)) and set(inputs_of(self.target)) == set(self.names)

    def text(self, name):
        def lets(sizes, suffix):
            shape = lambda size: "rank = 1" if size == "own" else f"shape = {size}{suffix if size != 'x' else ''}.shape"  # noqa: E731
            return " ".join(f"let {own}{suffix} = * {{dtype = float32, {shape(sizes[own])}}};" for own in self.own)
        shared = "let x = * {rank = 1, dtype = float32};" if "x" in self.names else ""
        first = begin = ""
        if self.first is not None:
            first = f"{lets(self.first_sizes, '1')} let a1 = {text(self.first, {'x': 'x', 'y': 'y1', 'z': 'z1'})};"
            begin = " from " + ", ".join(["a1", *(f"{own}1" for own in self.own)])
        taken = {"x": "x", "y": f"v[{self.taken}].y", "z": f"v[{self.taken}].z"}
        items = lambda e: f"variadic[i < v.length] {{ {text(e, taken)} }}"  # noqa: E731
        target = self.joined.format(items(self.target))
        if self.hoisted:
            joined = self.target[0].format(f"Concat({items(self.target[1])}) {{axis = 0}}")
            target = self.joined.replace("Concat({}) {{axis = 0}}", "{}").format(joined)
        return (f"rule {name} {{ {shared} {first} variadic v[i]{begin} min 2 {{ {lets(self.sizes, '')} yield {text(self.branch, {n: n for n in 'xyz'})}; }} "
                f"source {self.joined.format('v')}; target {target}; }}")

    def tensors(self, sizes, x):
        vector = lambda size: numpy.array([draw.choice((-3, -2, -1, 0, 1, 2, 5, 3 * FAR, -3 * FAR)) for _ in range(size)], dtype=object)  # noqa: E731
        out = {"x": vector(draw.randint(1, 3)) if x is None else x}
        for own in self.own:
            out[own] = vector(draw.randint(1, 3) if sizes[own] == "own" else len(out[sizes[own]]))
        return out

    def holds_here(self):
        """Nothing where the source is illegal."""
        number, x = draw.choice((2, 2, 3, 4)), self.tensors({own: "own" for own in self.own}, None)["x"]
        branches = [self.tensors(self.first_sizes if k == 0 and self.first is not None else self.sizes, x) for k in range(number)]
        source = [value(self.first if k == 0 and self.first is not None else self.branch, branch) for k, branch in enumerate(branches)]
        taken = [branches[BRANCHES[self.taken](k, number)] for k in range(number)]
        target = [value(self.target[1] if self.hoisted else self.target, branch) for branch in taken]
        if any(item is None for item in source):
            return None
        if any(item is None for item in target):
            return False
        together = numpy.concatenate(target)
        left = JOINED[self.joined](numpy.concatenate(source))
        right = JOINED[self.joined](UNARY[self.target[0]](together) if self.hoisted else together)
        return left.shape == right.shape and bool((left == right).all())

    def holds(self):
        found = {self.holds_here() for _ in range(150)}
        return None if found == {None} else False not in found


checks = Checks()
rules = []
while len(rules) < count:
    rule = Rule()
    truth = rule.holds() if rule.fits() else None
    if truth is not None:
        rules.append((rule.text(f"generated_{len(rules)}"), truth))
proven = {True: 0, False: 0}
with tempfile.TemporaryDirectory() as folder:
    for begin in range(0, count, 200):
        path, said = pathlib.Path(folder) / "rules.gsl", pathlib.Path(folder) / "verdicts.json"
        path.write_text("\n".join(line for line, _ in rules[begin:begin + 200]) + "\n")
        code, _, errors = vouch("check", path, "--no-refute", "--no-repair", "--json", said, seconds=3600)
        checks.that(code in (0, 1, 2), f"exit {code}: {errors[:500]}")
        for entry in json.loads(said.read_text())["rules"] if code in (0, 1, 2) else []:
            line, truth = rules[int(entry["name"].removeprefix("generated_"))]
            sound = entry["verdict"] == "sound"
            checks.that(truth or not sound, f"false, and sound: {line}")
            proven[truth] += sound
true = sum(truth for _, truth in rules)
checks.that(count // 5 <= true <= count - count // 5, f"{true} of {count} are true: too uneven")
checks.that(proven[True] >= true * 17 // 20, f"only {proven[True]} of {true} true rules are proven")
print(f"{count} rules (seed {seed}): {proven[True]} of {true} true ones proven, {proven[False]} of {count - true} false ones")
checks.end()
