#!/usr/bin/env python3
"""`vouch tune`: what it writes is a schedule that `compile` takes and that changes no bit; what was measured is kept, also when the run was
killed; compilers that fail, lie or are not there, kept files that somebody edited, and kernels without numbers end with a message."""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from command import SKIPPED, Checks, Vouch, heed_signals

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
GCC = shutil.which("gcc")
if GCC is None:
    print("not run: gcc is not there")
    sys.exit(SKIPPED)
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")
PRODUCT = "kernel product;\nin A, B;\nout C;\nC<40, 72>[i, j] = A<40, 33>[i, k] * B<33, 72>[k, j];\n"
QUICK = ["--flags", "-O0 -fopenmp -ffp-contract=off", "--threads", "1"]


def source(name, text):
    path = place / name
    path.write_text(text)
    return path


def compiler(name, script):
    """A C compiler that does something before; each call that compiles is a line in NAME.log."""
    path = place / name
    path.write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && exec {GCC} --version\necho x >> {path}.log\n{script}\nexec {GCC} \"$@\"\n")
    path.chmod(0o755)
    return path


def calls(path):
    log = pathlib.Path(f"{path}.log")
    return len(log.read_text().splitlines()) if log.exists() else 0


def tuned(kernel, *words, status=0):
    code, out, err = vouch("tune", kernel, "--json", "-", *QUICK, *words, seconds=900, limited=False)
    checks.that(code == status, f"tune {kernel.name} {words}: exit {code}, expected {status}: {err[:500]}")
    return json.loads(out)["kernels"] if code == 0 else err


def product_bits(folder):
    subprocess.run([GCC, "-O2", "-fopenmp", "-ffp-contract=off", "-shared", "-fPIC", "-o", folder / "lib.so", folder / "product.c", "-lm"], check=True)
    floats = lambda n: (ctypes.c_float * n)(*[((7 * k) % 23) / 8 - 1 for k in range(n)])
    a, b, c = floats(40 * 33), floats(33 * 72), (ctypes.c_float * (40 * 72))()
    ctypes.CDLL(str(folder / "lib.so")).product(a, b, c)
    return bytes(c)


def check_written(kernel, counting):
    """The schedule is the fastest of those that were compared, or the planner's; compile takes it, and no bit changes."""
    vouch("compile", kernel, "-o", place / "plain")
    before = product_bits(place / "plain")
    [found] = tuned(kernel, "--compiler", counting, "--seconds", "300")
    rows = {row["what"]: row for row in found["candidates"]}
    checks.that(len(rows) == len(found["candidates"]) >= 10, f"candidates: {list(rows)}")
    checks.that({"the planner's", "element by element"} <= rows.keys() and all(row["why"] == "" for row in rows.values()), f"{rows}")
    checks.that(len({row["schedule"] for row in rows.values()}) == len(rows), "no schedule twice")
    chosen = rows[found["chosen"]]
    compared = [row for row in rows.values() if row["rounds"] >= chosen["rounds"]]
    checks.that(chosen["rounds"] == 5 and rows["the planner's"]["rounds"] == 5, f"rounds: {chosen}")
    checks.that(chosen["seconds"] == min(row["seconds"] for row in compared) or found["chosen"] == "the planner's", f"{found['chosen']} of {rows}")
    written = kernel.with_suffix(".sched").read_text()
    code, out, _ = vouch("schedule", kernel)
    checks.that(code == 0 and out == written, f"compile goes by it: {out}")
    strip = lambda text: [line.split("#")[0].rstrip() for line in text.splitlines()]
    checks.that(strip(written) == strip(chosen["schedule"]), f"it is the chosen one: {written}")
    code, _, err = vouch("compile", kernel, "-o", place / "fast")
    checks.that(code == 0 and product_bits(place / "fast") == before, f"the bits are the same: {err}")


def check_kept(kernel, counting):
    made = calls(counting)
    checks.that(made >= 10, f"candidates are compiled: {made}")
    tuned(kernel, "--compiler", counting, "--seconds", "300")
    checks.that(calls(counting) == made, f"nothing is measured twice: {calls(counting)}, {made}")
    for path in (place / "cache/tune").iterdir():
        path.write_text('{"seconds": [-1, "x"], "bits": 7}' if calls(counting) % 2 else path.read_text()[:20])
    tuned(kernel, "--compiler", counting, "--seconds", "0")
    checks.that(calls(counting) == made + 1, f"a damaged entry is none; without time the planner's is measured: {calls(counting)}, {made}")


def check_killed(kernel):
    """What was measured before the end is not measured again, and no schedule is half written."""
    sched = kernel.with_suffix(".sched")
    sched.unlink(missing_ok=True)
    slow = compiler("slow", "sleep 0.2")
    process = subprocess.Popen([vouch.program, "tune", kernel, "--compiler", slow, *QUICK], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=heed_signals)
    end = time.monotonic() + 60
    while calls(slow) < 4 and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.wait(30)
    before = calls(slow)
    checks.that(process.returncode == -signal.SIGINT and not sched.exists(), f"ended by {process.returncode}")
    [found] = tuned(kernel, "--compiler", slow, "--seconds", "300")
    again = [row for row in found["candidates"] if row["rounds"] >= 1]
    # Those among the best are compiled once more, for the rounds in turns.
    checks.that(calls(slow) <= len(again) + 1 + 5 and before >= 4, f"{calls(slow)} calls for {len(again)} candidates, {before} of them before the end")


def check_compilers(kernel):
    some = compiler("some", f"n=$(wc -l < {place}/some.log); [ $((n % 2)) = 0 ] && {{ echo 'cannot do this'; exit 1; }}")
    [found] = tuned(kernel, "--compiler", some, "--seconds", "3")
    why = [row["why"] for row in found["candidates"] if row["seconds"] is None]
    checks.that(why and all("it was not compiled: cannot do this" in w for w in why), f"a compiler that fails at times: {why}")
    # All but the first candidate are given other numbers.
    liar = compiler("liar", f"n=$(wc -l < {place}/liar.log); [ $n != 1 ] && for f in \"$@\"; do case $f in */main_of_bench.c) sed -i 's/0.5 +/0.25 +/' $f;; esac; done")
    [found] = tuned(kernel, "--compiler", liar, "--seconds", "3")
    others = [row for row in found["candidates"] if row["what"] != "the planner's"]
    checks.that(found["chosen"] == "the planner's" and others and all("other bits than the planner's" in row["why"] for row in others), f"other bits: {found}")
    sched = kernel.with_suffix(".sched")
    sched.unlink(missing_ok=True)
    said = tuned(kernel, "--compiler", compiler("never", "exit 1"), status=2)
    checks.that("the planner's schedule cannot be measured: it was not compiled" in said and not sched.exists(), said)
    stuck = compiler("stuck", f"echo 'int pause(void); int main(void) {{ for (;;) pause(); }}' > {place}/stuck.c; exec {GCC} -O0 -o {place}/stuck.out {place}/stuck.c -x c /dev/null")
    said = tuned(kernel, "--compiler", stuck, status=2)
    checks.that("it does not run" in said, said)
    said = tuned(kernel, "--compiler", "no-such-compiler", status=3)
    checks.that("the C compiler 'no-such-compiler' cannot be run" in said and "--compiler clang" in said, said)


def check_refused(kernel):
    named = source("named.tk", "kernel named;\nsize n;\nin A;\nout C;\nC<n>[i] = A<n>[i] * 2;\n")
    said = tuned(named, status=3)
    checks.that("the size 'n' is no number" in said and "--size n=512" in said, said)
    [found] = tuned(named, "--size", "n=64", "--seconds", "0.5")
    checks.that(found["kernel"] == "named", f"{found}")
    large = source("large.tk", "kernel large;\nin A;\nout C;\nC<100000, 100000>[i, j] = A<100000, 100000>[i, j] * 2;\n")
    checks.that("more than 4294967296 are measured" in tuned(large, status=3), "40 GB")
    checks.that("cannot be read" in tuned(place / "nowhere.tk", status=3), "no kernel")
    kernel.with_suffix(".sched").write_text("schedule product\nspread 3\n")
    checks.that("product.sched:2:1" in tuned(kernel, status=3), "a schedule beside it that says nothing")
    kernel.with_suffix(".sched").unlink()
    checks.that("o.sched" in tuned(kernel, "--seconds", "0", "-o", place / "nowhere/o.sched", status=3), "a folder that is not there")
    for words in (["--seconds", "-1"], ["--threads", "0"], ["--seconds", "x"]):
        code, _, err = vouch("tune", kernel, *words)
        checks.that(code == 64 and words[0] in err, f"{words}: exit {code}: {err}")


def check_functional():
    program = source("scaled.fun", "kernel scaled(sizes n; xs: num[n, n]) -> ys: num[n, n] =\n  map par row in xs { map x in row { x * 2 } }\n")
    [found] = tuned(program, "--size", "n=48", "--seconds", "0.5")
    code, _, err = vouch("compile", program, "--plan", "--size", "n=48", "-o", place / "functional")
    checks.that(code == 0 and program.with_suffix(".sched").exists() and found["kernel"] == "scaled", f"a functional program: {err}")


def check_orders():
    """Sums in other orders by choice alone; those of one order have the same bits, and what is written says the order."""
    rows = source("rows.tk", "kernel rows;\nin A, X;\nout Y;\nY<24>[i] = A<24, 400>[i, p] * X<400>[p];\n")
    out = place / "rows.orders"
    [plain] = tuned(rows, "--seconds", "300", "-o", out)
    checks.that(not any("add " in row["schedule"] for row in plain["candidates"]), f"no other order where none is asked for: {plain}")
    [found] = tuned(rows, "--reorder", "--seconds", "300", "-o", out)
    others = [row for row in found["candidates"] if "add Y by lanes" in row["schedule"]]
    checks.that(len(others) >= 3 and all(row["why"] == "" and "another order" in row["what"] for row in others), f"orders: {found}")
    [chosen] = [row for row in found["candidates"] if row["what"] == found["chosen"]]
    strip = lambda text: [line.split("#")[0].rstrip() for line in text.splitlines()]
    checks.that(strip(out.read_text()) == strip(chosen["schedule"]), "what is written is what was chosen")
    rows.with_suffix(".sched").write_text(others[0]["schedule"])
    code, _, err = vouch("compile", rows, "-o", place / "orders")
    checks.that(code == 0 and "Sums in another order: add Y by lanes" in (place / "orders/rows.h").read_text(), f"compile takes it: {err}")
    # Written by hand, and measured beside those of its own order.
    [found] = tuned(rows, "--seconds", "300", "-o", out)
    [own] = [row for row in found["candidates"] if row["what"] == "the one beside the kernel"]
    checks.that(own["why"] == "" and "add Y" in own["schedule"], f"an order that lies beside the kernel: {own}")


product = source("product.tk", PRODUCT)
counting = compiler("counting", "")
check_written(product, counting)
check_kept(product, counting)
check_killed(product)
check_compilers(product)
check_refused(product)
check_functional()
check_orders()
shutil.rmtree(place)
checks.end()
