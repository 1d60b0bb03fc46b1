"""Derivatives in float32 where exponentials overflow: the C texts, compiled and run, against differences in 60 decimal digits; and
what max and min are differentiated to where both arguments are equal."""
import ctypes
import decimal
import math
import pathlib
import re
import subprocess
import sys
import tempfile

from command import Checks, Vouch

vouch = Vouch(sys.argv[1])
checks = Checks()
folder = tempfile.TemporaryDirectory()
place = pathlib.Path(folder.name)
D = decimal.Decimal
decimal.getcontext().prec = 60
POINTS = [-100.0, -88.0, -45.0, -20.0, -3.0, -0.5, 0.0, 0.5, 3.0, 20.0, 45.0, 88.0, 100.0]


def exp(x):
    return x.exp()


def tanh(x):
    e = exp(-2 * abs(x))
    return (1 - e) / (1 + e) * (1 if x > 0 else -1)


def softplus(x):
    return x + (1 + exp(-x)).ln() if x > 0 else (1 + exp(x)).ln()


def slope(function, x):
    """Of a smooth function, by a central difference: the error is far below that of a float."""
    step = D(10) ** -20
    return float((function(D(x) + step) - function(D(x) - step)) / (2 * step))


# Where exp(x) is no float, the kernel's own value may be infinite; its derivative is not.
SMOOTH = {
    "1 / (1 + exp(-x))": lambda x: 1 / (1 + exp(-x)),
    "exp(x) / (1 + exp(x))": lambda x: 1 / (1 + exp(-x)),
    "exp(x) / (exp(-x) + exp(x))": lambda x: 1 / (1 + exp(-2 * x)),
    "3 * exp(-x) / (2 + 5 * exp(-x))": lambda x: 3 / (2 * exp(x) + 5),
    "1 / (1 + exp(x) * exp(x))": lambda x: 1 / (1 + exp(2 * x)),
    "1 / ((1 + exp(-x)) * (1 + exp(-x)))": lambda x: 1 / (1 + exp(-x)) ** 2,
    "x / (1 + exp(-x))": lambda x: x / (1 + exp(-x)),
    "-x / (1 + exp(-x / 4)) + x": lambda x: x - x / (1 + exp(-x / 4)),
    "log(1 + exp(x))": softplus,
    "log(exp(x) + exp(3 - x))": lambda x: (exp(x) + exp(3 - x)).ln(),
    "log(1 + 2 * exp(x) + exp(2 * x)) / 2": softplus,
    "x * tanh(log(1 + exp(x)))": lambda x: x * tanh(softplus(x)),
    "exp(-exp(x))": lambda x: exp(-exp(x)),
    "exp(-exp(-x)) * 2": lambda x: 2 * exp(-exp(-x)),
    "tanh(x)": tanh,
    "select(x < 0, exp(x) - 1, x)": lambda x: exp(x) - 1 if x < 0 else x,
    "select(0 < x, x + log(1 + exp(-x)), log(1 + exp(x)))": softplus,
    "max(0, x) + min(0, exp(x) - 1)": lambda x: max(D(0), x) + min(D(0), exp(x) - 1),
    "max(0, min(exp(-x), 5))": lambda x: max(D(0), min(exp(-x), D(5))),
}
OPERATORS = {
    "Sigmoid": ([], SMOOTH["1 / (1 + exp(-x))"]),
    "Softplus": ([], softplus),
    "Mish": ([], lambda x: x * tanh(softplus(x))),
    "Tanh": ([], tanh),
    "Celu": (["--attr", "alpha=2.0"], lambda x: max(D(0), x) + min(D(0), 2 * (exp(x / 2) - 1))),
    "Elu": ([], SMOOTH["select(x < 0, exp(x) - 1, x)"]),
    "Softsign": ([], lambda x: x / (1 + abs(x))),
}
# No square of x is a float here.
GAUSSIAN = {
    "erf(x)": lambda x: 2 / math.sqrt(math.pi) * math.exp(-min(x * x, 700)),
    "x * (1 + erf(x / sqrt(2))) / 2": lambda x: math.erfc(-x / math.sqrt(2)) / 2 + x * math.exp(-min(x * x / 2, 700)) / math.sqrt(2 * math.pi),
}


def run(source, header, name, points):
    library = source.with_suffix(".so")
    done = subprocess.run(["gcc", "-O1", "-fopenmp", "-shared", "-fPIC", "-ffp-contract=off", "-o", library, source, "-lm"], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"{source} compiles: {done.stderr}")
    signature = re.search(rf"\b{name}\((.*?)\);", header.read_text(), re.S).group(1)
    out = (ctypes.c_float * len(points))()
    given = {"X": (ctypes.c_float * len(points))(*points), "x": (ctypes.c_float * len(points))(*points)}
    ones = (ctypes.c_float * len(points))(*[1.0] * len(points))
    names = re.findall(r"(\w+)(?:\[\d+\])*(?:,|$)", signature)
    getattr(ctypes.CDLL(str(library)), name)(*[ctypes.byref(out if n == names[-1] else given.get(n, ones)) for n in names])
    return list(out)


def slopes(where, name, points):
    return run(where / f"{name}.c", where / f"{name}.h", name, points)


def near(found, expected):
    return math.isfinite(found) and abs(found - expected) <= 2e-6 + 2e-5 * abs(expected)


def compare(what, where, name, expected, points):
    for x, found in zip(points, slopes(where, name, points)):
        checks.that(near(found, expected(x)), f"{what}: at {x} found {found}, expected {expected(x)}")


def differentiate(number, text, points, *options):
    name = f"k{number}"
    path = place / f"{name}.tk"
    path.write_text(f"grad X;\nY<{len(points)}>[i] = {re.sub(r'(?<![a-z])x(?![a-z])', f'X<{len(points)}>[i]', text)};\n")
    code, out, err = vouch("grad", path, "-o", place / name, *options, limited=False)
    checks.that(code == 0, f"{text}: {code}, {err}")
    return place / name, name


for number, (text, function) in enumerate(SMOOTH.items()):
    where, name = differentiate(number, text, [x for x in POINTS if x != 0 or "max" not in text])
    checks.that((where / f"{name}.c").exists(), f"{text}: the derivative is certified")
    points = [x for x in POINTS if x != 0 or "max" not in text]  # what ties make of it: below
    compare(text, where, name, lambda x: slope(function, x), points)
for number, (text, expected) in enumerate(GAUSSIAN.items()):
    points = [-1e30, *POINTS, 1e30]
    where, name = differentiate(100 + number, text, points)
    compare(text, where, name, lambda x: expected(x), points)
for op, (options, function) in OPERATORS.items():
    code, out, err = vouch("grad", "--op", op, "--operand", str(len(POINTS)), *options, "-o", place / op, limited=False)
    checks.that(code == 0, f"{op}: {code}, {err}")
    compare(op, place / op, op, lambda x: slope(function, x), POINTS)

# At 0 both arguments are equal: the derivative that the option says, and the same as ever elsewhere.
TIES = {"max(x, 0)": (1, 0, 0.5), "max(0, x)": (0, 1, 0.5), "min(x, 0)": (1, 0, 0.5), "max(x, x)": (1, 1, 1), "max(0, min(x, 0))": (0, 0, 0.25)}
for number, (text, expected) in enumerate(TIES.items()):
    for choice, (option, at_zero) in enumerate([((), expected[0]), *zip([("--ties", t) for t in ("first", "second", "half")], expected)]):
        where, name = differentiate(200 + 10 * number + choice, text, [-1.0, 0.0, 1.0], *option)
        beside = {"max(x, 0)": (0, 1), "max(0, x)": (0, 1), "min(x, 0)": (1, 0), "max(x, x)": (1, 1), "max(0, min(x, 0))": (0, 0)}[text]
        values = slopes(where, name, [-1.0, 0.0, 1.0])
        checks.that(values == [beside[0], at_zero, beside[1]], f"{text} {option}: {values}, at 0 expected {at_zero}")
code, out, err = vouch("grad", place / "k200.tk", "-o", place / "none", "--ties", "third")
checks.that(code == 64 and "third" in err, f"--ties third: {code}, {err}")
checks.end()
