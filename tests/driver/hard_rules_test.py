"""Rules that are hard on the checker: none ends it by a signal, and none keeps it for long. Its exit code and its words say why it gave up."""
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())
SECONDS = 50  # under any load; alone each takes a second or two


def checked(name, text, codes, *expected, command=("check",)):
    path = folder / (name + ".gsl")
    path.write_text(text)
    try:
        code, out, errors = vouch(*command, path, seconds=SECONDS)
    except subprocess.TimeoutExpired:
        checks.that(False, f"{name}: no end after {SECONDS} s")
        return ""
    checks.that(code in codes, f"{name}: exit {code}, expected {codes}: {out[-200:]}{errors[-300:]}")
    for words in expected:
        checks.that(words in out + errors, f"{name}: no '{words}' in: {out[:400]}{errors[:400]}")
    return out


# An operand that is absent, before one that is given: in the source, in the target, and of another count than the operator's.
checked("absent_in_source", "rule r { let x = * {dtype = float32}; let a = * {rank = 0}; source Clip(x, _, a); target Min((x, a)); }", (0, 1, 2))
checked("absent_in_both", "rule r { let x = * {dtype = float32}; let a = * {rank = 0}; let c = Clip(x, _, a); source Clip(c, _, a); target Clip(x, _, a); }", (0,), "sound")
checked("absent_in_target", "rule r { let x = * {dtype = float32}; let a = * {rank = 0}; source Min((x, a)); target Clip(x, _, a); }", (0, 1, 2))
checked("absent_is_wrong", "rule r { let x = * {dtype = float32}; let a = * {rank = 0}; source Clip(x, _, a); target Clip(x, a); }", (1,), "unsound")
checked("absent_axes", "rule r { let x = *; let s = const {value = any}; let e = const {value = any}; let t = const {value = any}; source Slice(x, s, e, _, t); target x; }", (1, 2))

# A zero point of one element beside a scale of which only the length of its constant says so.
checked("one_scale", "rule r { let x = *; let s = const {value = any}; let z = const {dtype = uint8, value = 0}; where len(s.value) == 1 and s.value[0] > 0; source QuantizeLinear(Relu(x), s, z); target QuantizeLinear(x, s, z); }", (0, 2))

# Size: lets, depth, axes.
chain = "rule r {{ let v0 = *; {} source v{}; target {}; }}"
lets = "".join(f"let v{k + 1} = Relu(v{k}); " for k in range(5000))
checked("many_lets", chain.format(lets, 5000, "Relu(v0)"), (2,), "5002 patterns")
checked("many_lets_refuted", chain.format(lets, 5000, "Relu(v0)"), (0, 1, 2), command=("refute",))
nested = "x"
for _ in range(200):
    nested = f"Relu({nested})"
checked("nested_target", f"rule r {{ let x = *; source Relu(x); target {nested}; }}", (0, 2))
checked("deep_sum", "rule r { let x = *; source " + "x + " * 20000 + "x; target x; }", (2,), "patterns")
checked("deep_sum_of_numbers", "rule r { let x = *; where " + "1 + " * 20000 + "1 == 2; source Relu(x); target x; }", (3,), "deeper")
checked("nested_not", "rule r { let x = *; where " + "not " * 3000 + "1; source Relu(x); target x; }", (3,), "deeper")
for opening, closing in (("-", ""), ("(", ")"), ("if (1) ", " else 0"), ("abs(", ")"), ("sum[i < 2](", ")"), ("tuple[i < 2](", ")"), ("(1, ", ")")):
    checked("nested_attribute", "rule r { let x = *; where x.rank == " + opening * 3000 + "1" + closing * 3000 + "; source Relu(x); target x; }", (3,), "deeper")
for opening, closing in (("-", ""), ("(", ")"), ("Relu(", ")"), ("first(", ", x)"), ("if (1) ", " else x"), ("(x, ", ")[0]")):
    checked("nested_pattern", "rule r { let x = *; source " + opening * 3000 + "x" + closing * 3000 + "; target x; }", (3,), "deeper")
checked("nested_blocks", "rule r { let x = *; " + "variadic v[i] from x { " * 3000 + "yield x;" + "}" * 3000 + " source x; target x; }", (3,))
checked("negative_rank", "rule r { let c = const {rank = -1}; source Relu(c); target c; }", (3,), "0 to 16 axes, found -1", "negative_rank.gsl:1:")
checked("large_rank", "rule r { let c = * {rank = 1000000}; source Relu(c); target c; }", (3,), "0 to 16 axes, found 1000000")
checked("large_claim", "rule r { let c = *; rank c 0..100000; source Relu(c); target Relu(c); }", (3,), "0 to 16 axes, found 100000")
checked("many_axes", "rule r { let c = * {shape = (" + "any, " * 40 + ")}; source Relu(c); target c; }", (3,), "0 to 16 axes, found 40")
checked("computed_rank", "rule r { let x = *; let c = * {rank = x.rank - 5}; source x + c; target c + x; }", (0,), "ranks to 6")
checked("no_rank", "rule r { let x = *; let c = * {rank = x.rank - 50}; source x + c; target c + x; }", (2,), "vacuous")
# Ranks that no tensor has, and ranks that were not tried: these are no reason to say that nothing matches.
for name, conditions, expected in (
        ("two_ranks", "where x.rank == 2; where x.rank == 3;", "no ranks meet `x.rank == 3`, beside the conditions before it"),
        ("below_none", "where x.rank < 0;", "no ranks meet `x.rank < 0`"),
        ("two_types", 'where x.dtype == "float32"; where x.dtype == "int32";', 'meet `x.dtype == "int32"`')):
    checked(name, f"rule r {{ let x = *; {conditions} source Relu(Relu(x)); target Relu(x); }}", (2,), "vacuous", expected)
checked("given_and_asked", "rule r { let x = * {rank = 2}; where x.rank > 2; source Relu(Relu(x)); target Relu(x); }", (2,), "vacuous", "no ranks meet `x.rank > 2`")
for name, condition in (("rank_7", "x.rank == 7"), ("rank_above_8", "x.rank > 8"), ("axis_of_rank_12", "x.shape[11] == 3")):
    out = checked(name, f"rule r {{ let x = *; where {condition}; source Relu(Relu(x)); target Relu(x); }}", (2,), "unknown", "ranks to 6")
    checks.that("vacuous" not in out, f"{name}: {out}")
checked("long_numbers", "rule r { let x = *; where product[i < 200000](1000000) == 1; source Relu(x); target x; }", (2,))

# What is told apart only by enclosures of exp: bounded by work.
checked("scale_inside", "rule r { let q = * {rank = 3, dtype = float32}; let k = * {rank = 3, dtype = float32}; let s = const {rank = 0, dtype = float32, value = any};"
        " source Softmax(MatMul(q, Transpose(k) {perm = (0, 2, 1)}) * s) {axis = -1}; target Softmax(MatMul(q * s, Transpose(k) {perm = (0, 2, 1)})) {axis = -1}; }", (0,), "sound")

# The counterexample is shown as soon as it is found, before a repair is looked for.
slow = folder / "repaired.gsl"
slow.write_text((root / "rules" / "unsound" / "gsl.gsl").read_text())


def told_before_its_repair():
    """Whether the counterexample came some time before its repair; when each came."""
    process = subprocess.Popen([vouch.program, "check", slow, "--rule", "bias_add_add_ranks"], stdout=subprocess.PIPE, text=True)
    begin = time.monotonic()
    times = {}
    for line in process.stdout:
        for words in ("in the source", "repaired by"):
            if words in line:
                times.setdefault(words, time.monotonic() - begin)
    process.wait()
    return len(times) == 2 and times["in the source"] < times["repaired by"] - 0.005, times


# On a busy machine both lines may be read at once, but not each time.
tries = []
while not (tries and tries[-1][0]) and len(tries) < 10:
    tries.append(told_before_its_repair())
checks.that(tries[-1][0], f"the counterexample waits for its repair: {tries}")

# Nor do the rules after it wait: all verdicts come first, on one thread as on several.
two = folder / "two.gsl"
two.write_text(re.search(r"rule bias_add_add_ranks.*?\n}\n", slow.read_text(), re.S).group() + "rule after { let x = *; source Identity(x); target x; }")
for jobs in ("1", "3"):
    out = vouch("check", two, "-j", jobs, seconds=SECONDS)[1]
    checks.that("repaired by" in out and out.rindex(" ms  ") < out.index("repaired by") and "\nafter " in out, f"verdicts after repairs: {out[-500:]}")

checks.end()
