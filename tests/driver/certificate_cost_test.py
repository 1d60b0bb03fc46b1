#!/usr/bin/env python3
"""What a certificate costs, in processor time: as much for long axes and large coefficients as for short and small ones, since numbers are binary
everywhere, in readable statements too; and the words of a text are listed in time that grows with its length, not with the square of it; so
is what is written of a kernel of many statements. A gradient whose indices have remainders costs about what one of the same form without them does.

    certificate_cost_test.py VOUCH"""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

from command import SKIPPED, Checks, has_prover

MOST_SECONDS = 20
VOUCH = str(pathlib.Path(sys.argv[1]).resolve())
if not has_prover(VOUCH):
    print("not run: coqc or the compiled library is not there")
    sys.exit(SKIPPED)
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())


def cost(folder):
    """Seconds of one run."""
    process = subprocess.Popen([VOUCH, "verify", "--again", folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=os.environ | {"VOUCH_CACHE": str(place / "cache")})
    errors = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    checks.that(process.returncode == 0, f"{folder.name}: exit {process.returncode}: {errors[:400]}")
    return used.ru_utime + used.ru_stime


def within(what, seconds, most):
    """Both costs are had again until the least of the one is within what the least of the other allows: machines are busy, and what grows as it
    must not does so each time."""
    tries = []
    for _ in range(6):
        tries.append(seconds())
        base, compared = map(min, zip(*tries))
        if compared <= most(base):
            return
    checks.that(False, f"{what}: seconds {tries}")


def large_numbers():
    pairs = {"axis": "in a, b;\nout r;\nr<{0}>[i] = a<{0}>[i] * b<{0}>[i];", "coefficient": "in a;\nout r;\nr<3>[i] = a<{1}>[{0} * i];", "value": "type int64;\nin a;\nout r;\nr<7>[i] = a<7>[i] * {0} + i * {0};",
             "bound": "in a;\nout r;\nr<5>[i] = select({0} * i < {0} * 3, a<5>[i], 0);"}
    for which in ("small", "large"):
        for name, text in pairs.items():
            n = 4 if which == "small" else {"axis": 4_000_000}.get(name, 2_000_000_000)
            source = place / f"{name}.tk"
            source.write_text(f"kernel {name};\n{text.format(n, 2 * n + 1)}\n")
            done = subprocess.run([VOUCH, "compile", source, "-o", place / which], capture_output=True, text=True)
            checks.that(done.returncode == 0, f"{name}: {done.stderr[:400]}")
    within(", ".join(pairs), lambda: (cost(place / "small"), cost(place / "large")), lambda small: 1.2 * small + 0.2)


def long_texts():
    """Coq lists the words of 480 KB in the time that it takes to load its library, and little more; by squares it would take minutes."""
    (place / "Words.v").write_text("""From Coq Require Import List String.
From Vouch Require Import certify.Token.
Local Open Scope string_scope.
Fixpoint twice (n : nat) (s : string) : string := match n with O => s | S m => twice m (s ++ s) end.
Goal match tokens (twice 13 "  out[((i * n) + j)] = (x[i] + 2.5f * (y[j] - 1)); ") with Some _ => True | None => False end.
Proof. vm_compute. exact I. Qed.
""")
    library = pathlib.Path(VOUCH).parent / "coq"
    process = subprocess.Popen(["coqc", "-q", "-w", "none", "-Q", library, "Vouch", "Words.v"], cwd=place, stderr=subprocess.PIPE,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS)))
    errors = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    checks.that(process.returncode == 0, f"the words of a long text: exit {process.returncode} after {used.ru_utime:.1f} s: {errors[:300]}")
    print(f"words of 480 KB: {used.ru_utime:.2f} s of processor time")


def many_statements():
    """What lies deep in other blocks is no longer for that: text grows with the statements, and so does the time to write it."""
    written = {}

    def compiled(count):
        source = place / f"many{count}.tk"
        terms = [f"t{k}<n>[i] = {f't{k - 1}[i]' if k else 'a<n>[i]'} + {k};\n" for k in range(count)]
        source.write_text("kernel many;\nsize n;\nin a;\nout r;\n" + "".join(terms) + f"r<n>[i] = t{count - 1}[i];\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([VOUCH, "compile", source, "-o", place / source.stem], capture_output=True, text=True)
        checks.that(done.returncode == 0, f"{count} statements: {done.stderr[:400]}")
        written[count] = {ending: (place / source.stem / f"many.{ending}").stat().st_size for ending in ("c", "v")}
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    within("250 statements and 1000", lambda: (compiled(250), compiled(1000)), lambda few: 8 * few + 0.5)
    for what in ("c", "v"):
        checks.that(written[1000][what] <= 5 * written[250][what], f"bytes of .{what}: {written[250][what]} of 250 statements, {written[1000][what]} of 1000")


def remainders():
    """`2 * i + 3 * k - 3 * (2 * i / 3)` in the program is `(2 * i) mod 3 + 3 * k` in what is stated: by one computation, not step by step."""
    kernels = {"plain": {"line": "Y<40>[i] = X<56>[i + k] * W<17>[k];", "plane": "Y<20, 10>[i, j] = X<37>[i + k + j] * W<9>[k];"},
               "mixed": {"line": "Y<40>[i] = X<200>[3*i + 5*k] * W<17>[k];", "plane": "Y<20, 10>[i, j] = X<400>[3*i + 5*k + 2*j] * W<9>[k];"}}
    for which, texts in kernels.items():
        for name, text in texts.items():
            source = place / f"{name}.tk"
            source.write_text(f"kernel {name};\ngrad X;\n{text}\n")
            done = subprocess.run([VOUCH, "grad", source, "-o", place / which], capture_output=True, text=True)
            checks.that(done.returncode == 0, f"{name}: {done.stderr[:400]}")
    within("gradients with remainders", lambda: (cost(place / "plain"), cost(place / "mixed")), lambda plain: 2 * plain + 1)


large_numbers()
long_texts()
remainders()
many_statements()
shutil.rmtree(place)
checks.end()
