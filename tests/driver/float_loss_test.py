"""Rewrites that are equal over the reals do not fire where floats would be ruined: each refusal is named, each neighbour fires."""
import os
import pathlib
import struct
import sys
import tempfile

from command import Checks, Vouch
from rule_site import RuleSite

vouch = Vouch(sys.argv[1])
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(folder / "cache")
os.environ["XDG_STATE_HOME"] = str(folder / "state")

RULES = {
    "sum_less": "let x = * {dtype = float32}; let a = * {shape = x.shape}; source (x + a) - a; target x; drop a;",
    "scale_scale": "let x = * {dtype = float32}; let a = const; let b = const; where a.shape == x.shape and b.shape == x.shape;"
                   " source Mul(Mul(x, a), b); target Mul(x, Mul(a, b));",
    "add_add": "let x = * {dtype = float32}; let a = const; let b = const; where a.shape == x.shape and b.shape == x.shape;"
               " source Add(Add(x, a), b); target Add(x, Add(a, b));",
    "number_less": "let x = * {dtype = float32}; let a = const {rank = 0}; source (x + a) - a; target x;",
    "number_number": "let x = * {dtype = float32}; let a = const {rank = 0}; let b = const {rank = 0}; source Mul(Mul(x, a), b);"
                     " target Mul(x, Mul(a, b));",
    "number_twice": "let x = * {dtype = float32}; let a = const {rank = 0, value = 0}; let b = const {rank = 0};"
                    " source Mul(Mul(x, a), b); target Mul(x, a);",
    "over": "let x = * {dtype = float32}; let a = const; where a.shape == x.shape; source x / a;"
            " target x * (const {value = 1, dtype = float32} / a);",
    "over_number": "let x = * {dtype = float32}; let a = const {value = any}; where a.rank == 0 and a.value != 0; source x / a;"
                   " target x * const {value = 1 / a.value, dtype = float32};",
    "product_sum": "let x = * {dtype = float32}; let a = const; let b = const; where a.shape == x.shape and b.shape == x.shape;"
                   " source (x + a) * b; target x * b + a * b;",
    "slope_slope": "let x = * {dtype = float32}; let l = LeakyRelu(x); let m = LeakyRelu(l); where l.alpha > 0 and m.alpha > 0; source m;"
                   " target LeakyRelu(x) {alpha = l.alpha * m.alpha};",
    "slope_one": "let x = * {dtype = float32}; source LeakyRelu(LeakyRelu(x) {alpha = 1}) {alpha = 3}; target LeakyRelu(x) {alpha = 3};",
    "exp_sum": "let x = * {dtype = float32}; let a = const; where a.shape == x.shape; source Exp(x + a); target Exp(x) * Exp(a);",
    "requantised": "let x = * {dtype = int8}; let s = const {rank = 0}; let z = const {rank = 0}; where s.value > 0;"
                   " source QuantizeLinear(DequantizeLinear(x, s, z), s, z); target x;",
}
STEPS = ["DequantizeLinear x s z p", "QuantizeLinear p s z y"]
SITES = [  # rule, operators over x, a, b, values, fires
    ("sum_less", ["Add x a p", "Sub p a y"], {"a": 3e38}, False),
    ("sum_less", ["Add x a p", "Sub p a y"], {"a": -1e20}, False),
    ("sum_less", ["Add x a p", "Sub p a y"], {"a": 3.0}, True),
    ("sum_less", ["Add x a p", "Sub p a y"], {"a": 1e-30}, True),
    ("scale_scale", ["Mul x a p", "Mul p b y"], {"a": 1e30, "b": 1e30}, False),   # infinite
    ("scale_scale", ["Mul x a p", "Mul p b y"], {"a": 1e-42, "b": 1e30}, False),  # what underflows keeps few digits
    ("scale_scale", ["Mul x a p", "Mul p b y"], {"a": 1e-30, "b": 1e-30}, False),  # 0 for 1e-60: of 1e30 it is missed
    ("scale_scale", ["Mul x a p", "Mul p b y"], {"a": 1e30, "b": 1e-30}, True),
    ("add_add", ["Add x a p", "Add p b y"], {"a": 3e38, "b": -3e38}, False),      # x is absorbed on one side alone
    ("add_add", ["Add x a p", "Add p b y"], {"a": 3e38, "b": 3e38}, False),
    ("add_add", ["Add x a p", "Add p b y"], {"a": 3e38, "b": 1.0}, True),
    ("over", ["Div x a y"], {"a": 1e-40}, False),
    ("over", ["Div x a y"], {"a": 1e-30}, True),
    ("over_number", ["Div x n y"], {"n": 1e-40}, False),
    ("over_number", ["Div x n y"], {"n": 1e-30}, True),
    ("product_sum", ["Add x a p", "Mul p b y"], {"a": 1e30, "b": 1e30}, False),
    ("product_sum", ["Add x a p", "Mul p b y"], {"a": 1e30, "b": 1e-30}, True),
    # What is computed for a float attribute is of float32, and what is folded of numbers that are not far from 1 may be.
    ("slope_slope", ["LeakyRelu x p {1e20}", "LeakyRelu p y {1e20}"], {}, False),
    ("slope_slope", ["LeakyRelu x p {1e-30}", "LeakyRelu p y {1e-30}"], {}, False),
    ("slope_slope", ["LeakyRelu x p {1e20}", "LeakyRelu p y {1e-20}"], {}, True),
    ("slope_slope", ["LeakyRelu x p {0.1}", "LeakyRelu p y {0.3}"], {}, True),
    ("slope_one", ["LeakyRelu x p {1}", "LeakyRelu p y {3}"], {}, True),  # what a rule writes as integers, a model has as floats
    ("exp_sum", ["Add x a p", "Exp p y"], {"a": 100.0}, False),
    ("exp_sum", ["Add x a p", "Exp p y"], {"a": -100.0}, False),  # few digits are left of exp(-100)
    ("exp_sum", ["Add x a p", "Exp p y"], {"a": 20.0}, True),
    ("exp_sum", ["Add x a p", "Exp p y"], {"a": 1.0}, True),
    ("requantised", STEPS, {"s": 3e38, "z": -128}, False),  # steps are infinite in between, and come back as the last one
    ("requantised", STEPS, {"s": 1e-30, "z": -128}, True),
    ("requantised", STEPS, {"s": 0.1, "z": 3}, True),
]
NUMBERS = {"n": "float32", "m": "float32", "s": "float32", "z": "int8"}  # of rank 0


INF = float("inf")
OPEN_SITES = [  # of n elements, as many as the model is fed
    ("number_less", ["Add x n p", "Sub p n y"], {"n": 3e38}, False),
    ("number_less", ["Add x n p", "Sub p n y"], {"n": 3.0}, True),
    ("number_number", ["Mul x n p", "Mul p m y"], {"n": 1e-30, "m": 1e-30}, False),
    ("number_number", ["Mul x n p", "Mul p m y"], {"n": 1e30, "m": 1e-30}, True),
    ("number_less", ["Add x n p", "Sub p n y"], {"n": INF}, False),  # infinity is none of the reals
    ("number_number", ["Mul x n p", "Mul p m y"], {"n": INF, "m": 2.0}, True),
    ("number_number", ["Mul x n p", "Mul p m y"], {"n": INF, "m": 0.0}, True),  # NaN before and after
    ("number_twice", ["Mul x n p", "Mul p m y"], {"n": 0.0, "m": INF}, False),
]


def model(calls, constants, dims=(3,)):
    nodes = [{"name": name, "kind": "parameter", "type": NUMBERS.get(name, "float32"), "dims": [] if name in NUMBERS else [3],
              **({"hex": struct.pack("<f", value).hex()} if value == INF else {"data": [value] * (1 if name in NUMBERS else 3)})}
             for name, value in constants.items()]
    for call in calls:
        call, _, alpha = call.partition(" {")
        op, *operands, name = call.split()
        attributes = {"attributes": {"alpha": {"float": float(alpha.rstrip("}"))}}} if alpha else {}
        nodes.append({"name": name, "op": op, "operands": operands, **attributes})
    of_bytes = "z" in constants
    return {"vouch": 1, "inputs": [{"name": "x", "type": "int8" if of_bytes else "float32", "dims": list(dims)}], "nodes": nodes,
            "outputs": [{"name": "y", "value": "y"}]}


for dims, (rule, calls, constants, fires) in [((3,), site) for site in SITES] + [(("n",), site) for site in OPEN_SITES]:
    site = RuleSite(vouch, checks, folder, rule, RULES[rule], model(calls, constants, dims))
    if site.reasons is None:
        continue
    checks.that((site.fired > 0) == fires, f"{rule} {dims} {constants}: fired {site.fired} times: {site.reasons}")
    if not fires:
        named = any("floats would be ruined" in reason or "not finite" in reason or "does not fit" in reason for reason in site.reasons)
        checks.that(named, f"{rule} {constants}: refused without a reason: {site.reasons}")
        said = site.why_not()
        checks.that(any(reason in said for reason in site.reasons), f"{rule} {constants}: why-not: {said}")
checks.end()
