"""products.py BUILD RESULTS PLOT [--short]: products of matrices from index notation and from functional programs against OpenBLAS, in turns. Each certificate is
checked by Coq before its text is timed. Twice: as the certificate has it, every product and every sum rounded (`-ffp-contract=off`),
and with contraction allowed, where the compiler fuses them. `--short` leaves out the two largest and the second column of threads.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from kernels import core_type, machine
from ratio_plot import plot_ratios

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEER = ROOT / "tests" / "bench" / "peers" / "product_times.c"
FLAGS = ["-O3", "-march=native", "-fopenmp"]
# title, rows, terms, columns, batch, which operand is transposed, rounds
SHAPES = [("512³", 512, 512, 512, 1, "none", 31), ("1024³", 1024, 1024, 1024, 1, "none", 11), ("2048³", 2048, 2048, 2048, 1, "none", 5),
          ("2000×3000×4000", 2000, 3000, 4000, 1, "none", 3), ("1023×517×771", 1023, 517, 771, 1, "none", 21),
          ("Aᵀ, 768³", 768, 768, 768, 1, "a", 15), ("Bᵀ, 768³", 768, 768, 768, 1, "b", 15), ("16 times 256³", 256, 256, 256, 16, "none", 21),
          ("512³, one text for all sizes", 512, 512, 512, 1, "none", 31), ("1024³, one text for all sizes", 1024, 1024, 1024, 1, "none", 11),
          ("1023×517×771, one text for all sizes", 1023, 517, 771, 1, "none", 21),
          ("1024³, `.fun`", 1024, 1024, 1024, 1, "none", 11), ("2000×3000×4000, `.fun`", 2000, 3000, 4000, 1, "none", 3),
          ("blocks of 256³ of 1024³, `.fun`", 1024, 1024, 1024, 1, "4", 11),
          ("blocks of 250×375×500 of 2000×3000×4000, `.fun`", 2000, 3000, 4000, 1, "8", 3)]
LARGE = {"2048³", "2000×3000×4000", "2000×3000×4000, `.fun`", "blocks of 250×375×500 of 2000×3000×4000, `.fun`"}
# The paper's product and its blocked product, each block of the result accumulated product by product.
PROGRAM = """kernel product(sizes m, k, n; a: num[m, k], b: num[k, n]) -> c: num[m, n] =
  map par row in a { map column in b.transpose { reduce q in zip(row, column) with sum = 0 { sum + q.fst * q.snd } } }
"""
BLOCKED = """kernel product(sizes blocks, m, k, n; a: num[blocks, blocks, m, k], b: num[blocks, blocks, n, k]) -> c: num[blocks, blocks, m, n] =
  map par band in a {
    map column in b {
      reduce ab in zip(band, column) with sum = fill(num[m, n], 0) {
        map rows in zip(sum, ab.fst) {
          map sb in zip(rows.fst, ab.snd) { reduce q in zip(rows.snd, sb.snd) with s = sb.fst { s + q.fst * q.snd } }
        }
      }
    }
  }
"""
WANTED = 0.95
IDLE = 1  # what else may run where the clock is taken
WANTED_CERTIFICATE = 2
TWICE = 1.85  # how many times as fast as one thread two are


def kernel(m, k, n, batch, transposed):
    a = f"A<{k}, {m}>[k, i]" if transposed == "a" else f"A<{m}, {k}>[i, k]"
    b = f"B<{n}, {k}>[j, k]" if transposed == "b" else f"B<{k}, {n}>[k, j]"
    c = f"C<{m}, {n}>[i, j]"
    if batch > 1:
        a, b, c = (t.replace("<", f"<{batch}, ").replace("[", "[p, ") for t in (a, b, c))
    return f"kernel product; in A, B; out C; {c} = {a} * {b};\n"


NAMED = "kernel product; in A, B; out C; C<m, n>[i, j] = A<m, k>[i, l] * B<k, n>[l, j];\n"


def named(place, m, k, n):
    """A function without sizes that calls the certified one."""
    shim = place / "sizes.c"
    shim.write_text("#include <stdint.h>\nvoid of_sizes(int64_t, int64_t, int64_t, const float *, const float *, float *);\n"
                    f"void product(const float *a, const float *b, float *c) {{ of_sizes({m}, {n}, {k}, a, b, c); }}\n")
    renamed = place / "out" / "of_sizes.c"
    renamed.write_text("#define product of_sizes\n" + (place / "out" / "product.c").read_text())
    return [shim, renamed]


def functional(m, k, n, _, form):
    """The program's text, and its sizes."""
    blocks = int(form) if form.isdigit() else 1
    sizes = {"m": m // blocks, "k": k // blocks, "n": n // blocks} | ({"blocks": blocks} if blocks > 1 else {})
    return BLOCKED if blocks > 1 else PROGRAM, [word for name, value in sizes.items() for word in ("--size", f"{name}={value}")]


def certified(vouch, place, shape, is_functional, is_named):
    """The text's libraries, and how long Coq took with its certificate."""
    text, words = functional(*shape) if is_functional else (NAMED if is_named else kernel(*shape), [])
    source = place / ("product.fun" if is_functional else "product.tk")
    source.write_text(text)
    subprocess.run([vouch, "compile", source, "-o", place / "out", *(["--plan"] if is_functional else []), *words], check=True, capture_output=True)
    library = pathlib.Path(vouch).resolve().parent / "coq"
    before = time.monotonic()
    subprocess.run(["coqc", "-q", "-w", "none", "-Q", library, "Vouch", place / "out" / "product.v"], check=True, capture_output=True)
    took = time.monotonic() - before
    libraries, sources = [], named(place, *shape[:3]) if is_named else [place / "out" / "product.c"]
    for contract in ("off", "fast"):
        libraries.append(place / f"{contract}.so")
        subprocess.run(["gcc", "-std=c99", *FLAGS, f"-ffp-contract={contract}", "-shared", "-fPIC", *sources, "-o",
                        libraries[-1], "-lm"], check=True)
    return libraries, took


def measure(program, shape, rounds, libraries, threads):
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads), "OPENBLAS_CORETYPE": core_type()}
    clock = "processor" if threads == 1 else "clock"
    said = subprocess.run([program, *map(str, shape[:4]), shape[4], str(rounds), clock, *libraries], check=True, capture_output=True,
                          text=True, env=environment).stdout
    rows = [line.split("\t") for line in said.splitlines()]
    if any(float(worst) > 1e-3 for _, _, worst in rows):
        sys.exit(f"a product differs from OpenBLAS: {said}")
    return [float(seconds) for _, seconds, _ in rows]


def main():
    build, results, picture = map(pathlib.Path, sys.argv[1:4])
    short = "--short" in sys.argv[4:]
    lines = ["# Products of matrices, from index notation and from functional programs", "",
             f"Medians of rounds in which all take turns, on {machine()}; gcc {' '.join(FLAGS)}; OPENBLAS_CORETYPE={core_type() or 'not set'}. On one thread, "
             "its processor time; on several, the clock, where nothing else runs. `off`: each product and each sum "
             "rounded, the bits that the certificate promises; `fast`: the compiler may fuse them, which the certificate does not speak of. "
             "Ratios are speeds relative to OpenBLAS, which fuses. `.fun`: the paper's product and blocked product as functional programs, "
             "`vouch compile --plan`; blocks lie one after the other, those of the second matrix transposed, and OpenBLAS has whole matrices. `one text for all sizes`: sizes have names, and the function gets them.", "",
             "| product | threads | OpenBLAS, ms | `off`, ms | ratio | `fast`, ms | ratio | times one thread | `fast` ≥ 0.95, two threads ≥ "
             f"{TWICE} times one | Coq, s |", "|---|---|---|---|---|---|---|---|---|---|"]
    points, good = [], True
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch) / "product_times"
        if subprocess.run(["gcc", "-std=gnu11", "-O2", PEER, "-o", program, "-lopenblas", "-ldl", "-lm"], capture_output=True).returncode:
            sys.exit("not measured: OpenBLAS, which was not found (Debian: libopenblas-dev)")
        for title, *shape, rounds in SHAPES:
            if short and title in LARGE:
                lines.append(f"| {title} | not measured (`--short`) | | | | | | | | |")
                continue
            place = pathlib.Path(scratch) / title.replace(" ", "_")
            place.mkdir()
            libraries, took = certified(build / "vouch", place, shape, "`.fun`" in title, "one text" in title)
            alone = None
            for threads in [1] if short else [1, 2]:
                if threads > 1 and os.getloadavg()[0] > IDLE + threads:
                    lines.append(f"| {title} | {threads} | not measured: the machine is busy, load {os.getloadavg()[0]:.0f} | | | | | | | |")
                    continue
                print(f"{title}, {threads} threads", file=sys.stderr)
                blas, off, fast = measure(program, shape, rounds, libraries, threads)
                reached = blas / fast >= WANTED and (alone is None or alone / fast >= TWICE)
                good = good and reached and took <= WANTED_CERTIFICATE
                lines.append(f"| {title} | {threads} | {1000 * blas:.2f} | {1000 * off:.2f} | {blas / off:.2f} | {1000 * fast:.2f} | {blas / fast:.2f} "
                             f"| {f'{alone / fast:.2f}' if alone else ''} | {'yes' if reached else 'NO'} | {took:.1f} |")
                if threads == 1:
                    alone = fast
                    points.append((title, blas / off, blas / fast))
    results.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    plot_ratios(picture, [p[0] for p in points], {"contraction allowed": [p[2] for p in points],
                                                  "every product rounded, as certified": [p[1] for p in points]}, "OpenBLAS")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
