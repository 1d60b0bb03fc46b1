#!/usr/bin/env python3
"""adjoint_certificates_test.py VOUCH ROOT [--all]: every gradient's certificate that it is one is accepted by Coq; and of gradient
kernels that were changed (a sign, a factor, an index, a condition, an operation, an extent, a term less) Coq accepts none whose
values differ from the gradient's, by an evaluation of ours of what Coq reads.

Without `--all` a few kernels, and of each a few changes."""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from coq_kernels import Evaluator, parse, size

VOUCH, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
EVERYTHING = "--all" in sys.argv[3:]
FEW = {"conv_strided", "normalised_rows", "conv_sizes", "refold", "several statements", "choice on data", "extrema", "accumulation",
       "transposed convolution, stride 2", "case4", "what no output needs", "no output depends on it"}
# Derivatives that are put together by laws of exponentials, or are written with other functions.
SMOOTH = ["1 / (1 + exp(-x))", "exp(x) / (exp(-x) + exp(x))", "3 * exp(-x) / (2 + 5 * exp(-x))", "1 / ((1 + exp(-x)) * (1 + exp(-x)))",
          "-x / (1 + exp(-x / 4)) + x", "log(1 + exp(x))", "log(exp(x) + exp(3 - x))",
          "x * tanh(log(1 + exp(x)))", "exp(-exp(-x)) * 2", "max(0, x) + min(0, exp(x) - 1)", "select(x < 0, exp(x) - 1, x)",
          "(x + 1) / (x * (1 + exp(x)))", "x * (1 + erf(x / sqrt(2))) / 2", "tan(x) + atan(x)", "sinh(x) * cosh(x)"]
FEW |= {SMOOTH[0], SMOOTH[1], SMOOTH[7], SMOOTH[12]}
CHANGES = 1000 if EVERYTHING else 12
SWAPPED = {"Mul": "Add", "Add": "Sub", "Sub": "Add", "Div": "Mul", "LessEq": "LessEq", "Less": "LessEq", "Max": "Min", "Min": "Max"}
failures = []
place = pathlib.Path(tempfile.mkdtemp())


def sources():
    """Name, file and words for `vouch grad`."""
    for path in sorted((ROOT / "kernels/index").glob("*.tk")):
        yield path.stem, path, []
    for path in sorted((ROOT.parent / "shared/data/autograd").glob("*.json")):
        if path.stem != "golden":
            yield path.stem, path, []
    for number, text in enumerate(SMOOTH):
        path = place / f"smooth{number}.tk"
        path.write_text(f"Y<5>[i] = {re.sub(r'(?<![a-z])x(?![a-z])', 'A<5>[i]', text)};\n")
        yield text, path, ["--to", "A"]
    for number, line in enumerate((ROOT / "tests/property/named_kernels.txt").read_text().splitlines()):
        if not line.startswith("#"):
            name, text = line.split(": ", 1)
            path = place / f"named{number}.tk"
            path.write_text(f"out Y; {text}\n")
            yield name, path, ["--to", "A"]


def certificates():
    """Name and text of each gradient's certificate. None may be missing."""
    if not (ROOT.parent / "shared/data/autograd").exists():
        print("the shared cases are not there: not among the kernels")
    for number, (name, path, words) in enumerate(sources()):
        if not EVERYTHING and name not in FEW:
            continue
        folder = place / f"g{number}"
        done = subprocess.run([VOUCH, "grad", path, *words, "-o", folder], capture_output=True, text=True)
        found = sorted(folder.glob("*_adjoint.v"))
        kernels = [p for p in folder.glob("*.c")]
        if done.returncode or not found or len(found) != len(kernels):
            failures.append(f"{name}: exit {done.returncode}, {len(found)} certificates of {len(kernels)} kernels: {done.stdout[-500:]}{done.stderr[-500:]}")
        for file in found:
            yield f"{name}, {file.stem}", file.read_text()


def definition(text, name):
    at = text.index(f"Definition {name} ")
    return text[text.index(":=", at) + 2:text.index("|}.\n\n", at) + 2]


def changed(kernel):
    """Texts of the kernel with one place changed each."""
    out = []
    start = kernel.index("ik_locals")

    def at(pattern, new):
        for match in re.finditer(pattern, kernel[start:]):
            text = new(match)
            if text is not None and text != match[0]:
                out.append(kernel[:start + match.start()] + text + kernel[start + match.end():])

    at(r"su_body := (.*?) \|\}", lambda m: f"su_body := (BOp1 Neg {m[1]}) |}}")  # a sign
    at(r"su_body := (.*?) \|\}", lambda m: f"su_body := (BOp2 Mul (BCon (Dyadic 2 0)) {m[1]}) |}}")  # a factor
    at(r"\n *\{\| su_loops.*\n(?:(?!\|\}).)*\|\}; ", lambda m: "")  # a term less
    at(r"su_cond := \(.*?\);\n", lambda m: "su_cond := CTrue;\n")
    at(r"\bCLe\b", lambda m: "CEq")
    at(r"\bCAnd\b", lambda m: "COr")
    at(r"\(IVar (\d+)\)", lambda m: f"(IVar {int(m[1]) + 1})")
    at(r"\(IVar (\d+)\)", lambda m: f"(IVar {max(int(m[1]) - 1, 0)})")
    at(r"\(ICon \((-?\d+)\)%Z\)", lambda m: f"(ICon ({int(m[1]) + 1})%Z)")
    at(r"IScale \((-?\d+)\)", lambda m: f"IScale ({-int(m[1])})")
    at(r"BRead (\d+)", lambda m: f"BRead {int(m[1]) + 1}")
    at(r"BOp2 (\w+)", lambda m: f"BOp2 {SWAPPED.get(m[1], m[1])}")
    at(r"BOp2 (Div|Sub) (\(BRead [^\]]*\]\)) (\(BRead [^\]]*\]\))", lambda m: f"BOp2 {m[1]} {m[3]} {m[2]}")  # operands
    at(r"BOp1 Neg", lambda m: "BOp1 Abs")
    at(r"BOp1 (Exp|Sqrt|Tanh|Cos|Sin)\b", lambda m: "BOp1 Log")
    at(r"\(SConst (\d+)\)", lambda m: f"(SConst {int(m[1]) + 1})")  # extents
    at(r"\(SVar (\d+)\)", lambda m: f"(SVar {int(m[1]) + 1})")
    return out


def sizes_for(text):
    """Small sizes that satisfy the facts; facts are read as Coq has them."""
    facts = parse(text)["ik_facts"]
    count = 1 + max([int(v) for v in re.findall(r"SVar (\d+)", text)] or [-1])
    def search(known):
        if len(known) == count:
            return known if all(size(a, known + [1]) <= size(b, known + [1]) for _, a, b in facts) else None
        return next((found for n in (5, 4, 3, 2, 1) if (found := search(known + [n]))), None)
    return search([]) + [1, 1]


def values(text, sizes):
    def random_input(number):
        return lambda at: random.Random(f"{number} {at}").uniform(0.3, 1.7) * random.Random(f"{at} {number}").choice([1, 1, -1])
    return Evaluator(sizes, [random_input(i) for i in range(9)]).output(parse(text))


def differ(a, b):
    if a[0] != b[0]:
        return True
    return any(abs(x - y) > 1e-9 * (1 + abs(x) + abs(y)) or (x != x) != (y != y) for x, y in zip(a[1], b[1]))


def coq_accepts(kernels):
    """For each of (forward, witness, gradients): which of the gradients the check accepts."""
    text = ("From Coq Require Import ZArith List.\nFrom Vouch Require Import lib.Size array.Syntax index.Kernel adjoint.Change adjoint.Adjoint.\n"
            "Import ListNotations.\n")
    for number, (forward, witness, gradients) in enumerate(kernels):
        text += f"Definition forward{number} : ikernel := {forward}.\nDefinition witness{number} : witness := {witness}.\n"
        text += "Eval vm_compute in map (fun g : ikernel => is_gradient forward%d g witness%d) [\n%s].\n" % (number, number, ";\n".join(gradients))
    file = place / "Check.v"
    file.write_text(text)
    done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", VOUCH.parent / "coq", "Vouch", file], capture_output=True, text=True)
    said = re.findall(r"= \[(.*?)\]\s*: list bool", done.stdout, re.S)
    if done.returncode or len(said) != len(kernels):
        sys.exit(f"coqc: {done.stdout[-1000:]}{done.stderr[-2000:]}")
    return [[word.strip() == "true" for word in answers.split(";")] for answers in said]


def main():
    names, asked = [], []
    for name, text in certificates():
        forward, gradient, witness = (definition(text, what) for what in ("forward_kernel", "gradient_kernel", "gradient_witness"))
        mutants = changed(gradient)
        random.Random(name).shuffle(mutants)
        names.append(name)
        asked.append((forward, witness, [gradient] + mutants[:CHANGES]))
    refused = equal = 0
    for name, (forward, _, gradients), answers in zip(names, asked, coq_accepts(asked)):
        if not answers[0]:
            failures.append(f"{name}: Coq does not accept its certificate")
        sizes = sizes_for(forward)
        expected = values(gradients[0], sizes) if any(answers[1:]) else None
        for mutant, accepted in zip(gradients[1:], answers[1:]):
            refused += not accepted
            if accepted:
                equal += 1
                if differ(values(mutant, sizes), expected):
                    failures.append(f"{name}: Coq accepts a kernel that has other values:\n{mutant}")
    print(f"{len(names)} gradients accepted; {refused} of {refused + equal} changed ones refused, the other {equal} have the same values")
    if refused < 9 * equal:
        failures.append("fewer than nine of ten changes make a difference")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
