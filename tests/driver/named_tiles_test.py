#!/usr/bin/env python3
"""Tiles of kernels whose sizes have names: one text for all sizes computes the bits of the plain loops, under sanitizers, also where sizes fill no
tile; its schedule is read back; parts that do not make up an axis are refused with their place; Coq certifies the text, and refuses changed
texts and changed plans."""
import pathlib
import re
import subprocess
import sys
import tempfile

from certified import Certified
from command import Checks, Vouch

vouch = Vouch(sys.argv[1])
ALL = "all" in sys.argv[3:]  # else fewer shapes, and Coq is asked of two kernels
check = Checks()
SANITIZER = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
PRODUCT = "kernel product;\nin A, B;\nout C;\nC<m, n>[i, j] = A<m, k>[i, l] * B<k, n>[l, j];\n"
FINISHED = ("kernel finished;\nin A, B;\nout D;\nC<m, n>[i, j] = A<m, k>[i, l] * B<k, n>[l, j];\n"
            "D<m, n>[i, j] = max(C<m, n>[i, j] - 1/2, 0);\n")
POINTWISE = "kernel pointwise;\nin X, W;\nout Y;\nY<b, p, 70>[i, j, c] = X<b, p, d>[i, j, k] * W<d, 70>[k, c];\n"
WINDOW = "kernel window;\nin X, W;\nout Y;\nY<h, w, c>[i, j, o] = X<h + 2, w + 2, 3>[i + r, j + s, k] * W<3, 3, 3, c>[r, s, k, o];\n"
ROWS = [1, 2, 5, 6, 7, 11, 12, 13, 61]
LANES = [1, 2, 15, 16, 17, 33, 63, 64, 65, 79, 80, 81, 127, 128, 129, 200]
TERMS = [1, 2, 17]
SHAPES = [(m, n, k) for m in ROWS for n in LANES for k in TERMS][:: 1 if ALL else 5] + [(0, 0, 0), (0, 5, 3), (5, 0, 3), (3, 70, 0), (203, 331, 5)]
SMALL = [(a, b, c) for a in (1, 2, 3) for b in (1, 5, 6, 7, 13) for c in (1, 16, 65, 130)]
# name, text, shapes, elements of the inputs and of the output, in the order of the sizes in the text
KERNELS = [("product", PRODUCT, SHAPES, ["s[m] * s[k]", "s[k] * s[n]"], "s[m] * s[n]"),
           ("finished", FINISHED, SHAPES, ["s[m] * s[k]", "s[k] * s[n]"], "s[m] * s[n]"),
           ("pointwise", POINTWISE, SMALL, ["s[b] * s[p] * s[d]", "s[d] * 70"], "s[b] * s[p] * 70"),
           ("window", WINDOW, SMALL, ["(s[h] + 2) * (s[w] + 2) * 3", "27 * s[c]"], "s[h] * s[w] * s[c]")]
HARNESS = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void tiled(SIZES, const float *, const float *, float *);
void plain(SIZES, const float *, const float *, float *);
static float *some(int64_t n) {
  float *p = malloc(n * sizeof(float));
  for (int64_t i = 0; i < n; ++i) p[i] = (float)rand() / RAND_MAX - 0.5f;
  return p;
}
int main(void) {
  int64_t shapes[][3] = {SHAPES};
  enum {NAMES};
  for (size_t t = 0; t < sizeof shapes / sizeof *shapes; ++t) {
    int64_t *s = shapes[t];
    int64_t elements = OUTPUT;
    float *a = some(FIRST), *b = some(SECOND), *c = some(elements), *d = some(elements);
    tiled(s[0], s[1], s[2], a, b, c);
    plain(s[0], s[1], s[2], a, b, d);
    if (memcmp(c, d, elements * sizeof(float))) printf("%lld %lld %lld differ\\n", (long long)s[0], (long long)s[1], (long long)s[2]);
    free(a), free(b), free(c), free(d);
  }
  return 0;
}
"""
# after `schedule product`: line and column, and what is said
REFUSED = [
    ("blocks m / 6 of 6\ntile", 2, 1, "the first axis has m positions, and m / 6 times 6 are m / 6 * 6"),
    ("split 6 * (m / 6) + m % 5 {\ntile\n} {\ntile\n}", 2, 1, "the first axis has m positions"),
    ("split 6 * (m / 6) + m / 6 {\ntile\n} {\ntile\n}", 2, 1, "the first axis has m positions"),
    ("split 6 * (m / 7) + m % 6 {\ntile\n} {\ntile\n}", 2, 1, "the first axis has m positions"),
    ("split 6 * (m / 6) + n % 6 {\ntile\n} {\ntile\n}", 2, 1, "the first axis has m positions"),
    ("split 6 * (m / 6) + m % 6 {\nblocks m / 6 of 7\ntile\n} {\ntile\n}", 3, 1, "positions, and m / 6 times 7"),
    ("split 6 * (m / 6) + m % 6 {\ntile\n} {\nover 0 to 5 * ((m % 6 + 5) / 6)\ntile\n}", 5, 1, "more than"),
    ("split 6 * (m / 6) + m % 6 {\ntile\n} {\nover 0 to 5\ntile\n}", 5, 1, "more than 5"),
    ("split 6 * (m / 6) {\ntile\n} {\ntile\n}", 2, 1, "expected two sizes"),
    ("split 6 * (m / 0) + m % 6 {\ntile\n} {\ntile\n}", 2, 1, "expected two sizes"),
    ("split 6 * (q / 6) + q % 6 {\ntile\n} {\ntile\n}", 2, 1, "expected two sizes"),
    ("over 0 to ((m % 6 + 4) / 6)\ntile", 2, 1, "expected a size"),
]
LIES = [("a remainder of one row less", lambda t: t.replace("< (m % 6)", "< (m % 5)", 1)),
        ("one tile too far", lambda t: t.replace("i4 < (n / 64);", "i4 < ((n / 64) + 1);", 1)),
        ("tiles that overlap", lambda t: t.replace("C[((((i5 * 6) + i7) * n)", "C[((((i5 * 5) + i7) * n)", 1)),
        ("a remainder over full tiles", lambda t: t.replace("((m / 6) * 6)", "((m / 6) * 5)", 1)),
        ("a remainder that is left out", lambda t: t.replace("< (m % 6)", "< 0", 1)),
        ("lanes that are kept too far", lambda t: t.replace("< (n % 16)", "< 16", 1))]
PLAN_LIES = [("SPart (Rem 6) 0)", "SPart (Rem 5) 0)"), ("SMul (SConst 6) (SPart (Quot 6) 0)", "SMul (SConst 6) (SPart (Quot 7) 0)"),
             ("PBlocks (SPart (Quot 64) 1) 64", "PBlocks (SPart (Quot 64) 1) 65"), ("SPart (Digit 16 4) 1", "SPart (Digit 16 3) 1"),
             ("POver 0 (SMul (SConst 16)", "POver 0 (SMul (SConst 15)"), ("SPart (Rem 64) 1", "SPart (Rem 64) 0")]


def compiled(place, name, text, folder, schedule=None):
    (place / f"{name}.tk").write_text(text)
    beside = place / f"{name}.sched"
    beside.unlink(missing_ok=True)
    if schedule is not None:
        beside.write_text(schedule)
    code, out, err = vouch("compile", place / f"{name}.tk", "--target", "avx512", "-o", place / folder)
    check.that(code == 0, f"compile {name}: {(out + err)[:400]}")
    return place / folder / f"{name}.c"


def same_bits(place, name, text, shapes, inputs, output):
    plain = compiled(place, name, text, f"{name}_plain", f"schedule {name}\nplain\n")
    tiled = compiled(place, name, text, name)
    words = tiled.read_text()
    check.that("% 6)" in words and "% 6)" not in plain.read_text(), f"{name}: no tiles")
    sizes = re.search(rf"void {name}\(((?:int64_t \w+, )+)", words)[1].rstrip(", ")
    names = [s.removeprefix("int64_t ") for s in sizes.split(", ")]
    order = {"product": "mnk", "finished": "mnk", "pointwise": "bpd", "window": "hwc"}[name]
    rows = ", ".join("{" + ", ".join(str(shape[order.index(n)]) for n in names) + "}" for shape in shapes)
    harness = place / f"{name}_harness.c"
    harness.write_text(HARNESS.replace("SIZES", sizes).replace("SHAPES", rows).replace("NAMES", ", ".join(names)).replace("OUTPUT", output)
                       .replace("FIRST", inputs[0]).replace("SECOND", inputs[1]))
    objects = []
    for source, function in ((tiled, "tiled"), (plain, "plain")):
        objects.append(place / f"{name}_{function}.o")
        renamed = [f"-D{name}={function}", f"-D{name}_tried={function}_tried", f"-D{name}_checked={function}_checked"]
        done = subprocess.run(["gcc", "-std=c99", "-fopenmp", "-ffp-contract=off", *SANITIZER, *renamed, "-c", source, "-o", objects[-1]],
                              capture_output=True, text=True)
        check.that(done.returncode == 0, f"gcc {source}: {done.stderr[:300]}")
    program = place / f"{name}_harness"
    done = subprocess.run(["gcc", "-std=gnu99", "-fopenmp", *SANITIZER, harness, *objects, "-o", program, "-lm"], capture_output=True, text=True)
    check.that(done.returncode == 0, f"gcc {harness}: {done.stderr[:300]}")
    done = subprocess.run([program], capture_output=True, text=True, env={"OMP_NUM_THREADS": "2"})
    check.that(done.returncode == 0 and done.stdout == "", f"{name}: {done.stdout[:300]} {done.stderr[:400]}")


def read_back(place):
    code, out, err = vouch("schedule", place / "product.tk", "--planner", "--target", "avx512")
    check.that(code == 0 and "split 6 * (m / 6) + m % 6 {" in out and "over 0 to 16 * ((n % 16 + 15) / 16)" in out, f"schedule: {out[:600]}{err}")
    again = compiled(place, "product", PRODUCT, "product_again", out)
    check.that(again.read_text() == (place / "product" / "product.c").read_text(), "the schedule is read back as another")
    (place / "product.sched").unlink()


def refusals(place):
    (place / "product.tk").write_text(PRODUCT)
    for steps, line, column, words in REFUSED:
        (place / "product.sched").write_text(f"schedule product\n{steps}\n")
        code, out, err = vouch("compile", place / "product.tk", "-o", place / "refused")
        check.that(code == 3 and f"product.sched:{line}:{column}: error" in err and words in err, f"{steps!r}: exit {code}, {(out + err)[:400]}")
        check.that(not (place / "refused").exists(), f"{steps!r} left files")
    (place / "product.sched").unlink()


def plan_lies(certified, place):
    text = (place / "product" / "product.v").read_text()
    head, plan = text[:text.index("Definition tiles : plan :=")], re.search(r"Definition tiles : plan :=(.*?\.)\n\n", text, re.DOTALL)[1]
    lies = "".join(f"Definition lie{at} : plan :={plan.replace(old, new)}\n"
                   f"Theorem refused{at} : plan_fits lie{at} (packed copies index_kernel) = false.\nProof. vm_compute. reflexivity. Qed.\n"
                   for at, (old, new) in enumerate(PLAN_LIES))
    for old, _ in PLAN_LIES:
        check.that(old in plan, f"no place for the lie about {old}")
    honest = f"Definition honest : plan :={plan}\nTheorem taken : plan_fits honest (packed copies index_kernel) = true.\nProof. vm_compute. reflexivity. Qed.\n"
    (place / "PlanLies.v").write_text(head + honest + lies)
    done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", certified.library, "Vouch", "PlanLies.v"], cwd=place, capture_output=True, text=True)
    check.that(done.returncode == 0, f"Coq takes a plan that lies: {(done.stdout + done.stderr)[:500]}")


def main():
    certified = Certified(vouch, check)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        for name, text, shapes, inputs, output in KERNELS:
            same_bits(place, name, text, shapes, inputs, output)
        read_back(place)
        refusals(place)
        if certified.coq:
            certified.verified(*(place / name for name, *_ in KERNELS if ALL or name in ("finished", "window")))
            for what, change in LIES:
                certified.lie(place, "product", ".c", change, what)
            certified.refused_by_coq(place)
            plan_lies(certified, place)
    check.end()


main()
