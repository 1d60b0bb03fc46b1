"""sums.py BUILD RESULTS PLOT [--short]: sums, products with vectors, softmax and layer norm against OpenBLAS, oneDNN, memory and
straight C loops, in turns. Sums are in another order by the planner (`compile --reorder`), or lanes of a functional program; each
certificate is checked by Coq before its text is timed. `--short` leaves out two threads.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from kernels import core_type, machine
from ratio_plot import plot_ratios

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "tests" / "bench" / "peers"
FLAGS = ["-O3", "-march=native", "-fopenmp", "-ffp-contract=off"]
ROUNDS = 15
CACHED, STORED = 1 << 16, 1 << 24  # numbers of a vector: one lies in the second cache, the other in memory
LEFT = 20000                       # fills no block of partial sums
IDLE = 1                           # what else may run where the clock is taken
TWICE = 1.85                       # how many times as fast as one thread two are, of what does not fit a cache

POINTWISE = {"axpy": "kernel axpy; in a, X, Y; out Z; Z<{n}>[i] = a<1>[0] * X<{n}>[i] + Y<{n}>[i];\n",
             "scale": "kernel scale; in a, X; out Z; Z<{n}>[i] = a<1>[0] * X<{n}>[i];\n"}
SUMS = {"sum": "kernel sum; in A; out S; S<1>[z] = A<{n}>[i];\n",
        "dot": "kernel dot; in A, B; out S; S<1>[z] = A<{n}>[i] * B<{n}>[i];\n",
        "norm": "kernel norm; in A; out Y; S<1>[z] = A<{n}>[i] * A<{n}>[i]; Y<1>[z] = sqrt(S[z]);\n"}
MATVEC = "kernel matvec; in A, X; out Y; Y<{m}>[i] = A<{m}, {n}>[i, j] * X<{n}>[j];\n"
# Partial sums in 64 lanes, of blocks of 1024 terms for each lane among threads; what is left by full blocks in lanes, too.
# Of 64 partial results 16 are made in lanes before they become one: 64 after each other take as long as a row.
LANES = "map vec p in zip(lanes, part) {{ {} }}"
SUM, LARGEST = LANES.format("p.fst + p.snd"), LANES.format("max(p.fst, p.snd)")
SOFTMAX = f"""kernel softmax(sizes m, n; a: num[m, 64 * n]) -> b: num[m, 64 * n] =
  map par row in a {{
    let tops = mem(reduce part in row.split(64, n) with lanes = fill(num[64], -inf) {{ {LARGEST} }}) in
    let few_tops = mem(reduce part in tops.split(16, 4) with lanes = fill(num[16], -inf) {{ {LARGEST} }}) in
    let largest = mem(reduce x in few_tops with top = -inf {{ max(top, x) }}) in
    let powers = mem(map vec x in row {{ exp(x - largest) }}) in
    let sums = mem(reduce part in powers.split(64, n) with lanes = fill(num[64], 0) {{ {SUM} }}) in
    let few_sums = mem(reduce part in sums.split(16, 4) with lanes = fill(num[16], 0) {{ {SUM} }}) in
    let factor = mem(1 / (reduce x in few_sums with sum = 0 {{ sum + x }})) in
    map vec x in powers {{ x * factor }}
  }}
"""
LAYER_NORM = f"""kernel layer_norm(sizes m, n; a: num[m, 64 * n], scale: num[64 * n], shift: num[64 * n]) -> b: num[m, 64 * n] =
  let count = mem(fold k < n with sum = 0 {{ sum + 64 }}) in
  map par row in a {{
    let sums = mem(reduce part in row.split(64, n) with lanes = fill(num[64], 0) {{ {SUM} }}) in
    let few_sums = mem(reduce part in sums.split(16, 4) with lanes = fill(num[16], 0) {{ {SUM} }}) in
    let mean = mem((reduce x in few_sums with sum = 0 {{ sum + x }}) / count) in
    let squares = mem(reduce part in row.split(64, n) with lanes = fill(num[64], 0) {{
      {LANES.format("p.fst + (p.snd - mean) * (p.snd - mean)")} }}) in
    let few_squares = mem(reduce part in squares.split(16, 4) with lanes = fill(num[16], 0) {{ {SUM} }}) in
    let factor = mem(1 / sqrt((reduce x in few_squares with sum = 0 {{ sum + x }}) / count + 0.00001)) in
    map vec x in zip(row, zip(scale, shift)) {{ (x.fst - mean) * factor * x.snd.fst + x.snd.snd }}
  }}
"""
# kernel, rows, numbers in each, the peer
CASES = ([(name, 1, n, "OpenBLAS") for name in ("axpy", "scale", "sum", "dot", "norm") for n in (CACHED, STORED)] +
         [(name, 1, LEFT, "OpenBLAS") for name in SUMS] +
         [("matvec", 256, 512, "OpenBLAS"), ("matvec", 4096, 4096, "OpenBLAS")] +
         [(name, m, n, "oneDNN") for name in ("softmax", "layer_norm") for m, n in ((64, 1024), (4096, 4096))])
# of the peer, of a straight loop
WANTED = {"OpenBLAS": (1.0, 0.0), "oneDNN": (0.9, 1.5)}


PROGRAMS = {"softmax": SOFTMAX, "layer_norm": LAYER_NORM}


def source(name, m, n):
    """The kernel's text, and how it is compiled."""
    if name in PROGRAMS:
        return PROGRAMS[name], ["--lanes"] if name == "softmax" else []
    if name == "matvec":
        return MATVEC.format(m=m, n=n), ["--reorder"]
    if name in SUMS:
        return SUMS[name].format(n="n" if is_named(name, n) else n), ["--reorder"]
    return POINTWISE[name].format(n=n), []


def is_named(name, n):
    """Sums of what lies in a cache have a number for their size: a parallel loop that is entered for nothing takes a tenth of the time."""
    return name in PROGRAMS or (name in SUMS and n != CACHED)


def of_sizes(place, name, m, n):
    """A function without sizes that calls the certified one, whose sizes have names."""
    sizes = f"{n}" if name in SUMS else f"{m}, {n // 64}"
    inputs = ["a", "scale", "shift"][:{"dot": 2, "layer_norm": 3}.get(name, 1)]
    floats = ", ".join(f"const float *{x}" for x in inputs) + ", float *b"
    text = (place / "out" / f"{name}.c").read_text()
    whole = place / "sizes.c"
    whole.write_text(f"#define {name} of_sizes\n{text}\n#undef {name}\nvoid {name}({floats}) {{ of_sizes({sizes}, {', '.join(inputs)}, b); }}\n")
    return whole


def built(c, library, *words):
    subprocess.run(["gcc", "-std=c99", *FLAGS, *words, "-shared", "-fPIC", c, "-o", library, "-lm"], check=True)
    return library


def certified(vouch, place, name, m, n):
    """The kernel as a library, its certificate checked."""
    text, words = source(name, m, n)
    kernel = place / f"{name}{'.fun' if name in PROGRAMS else '.tk'}"
    kernel.write_text(text)
    subprocess.run([vouch, "compile", *words, kernel, "-o", place / "out"], check=True, capture_output=True)
    library = pathlib.Path(vouch).resolve().parent / "coq"
    subprocess.run(["coqc", "-q", "-w", "none", "-Q", library, "Vouch", place / "out" / f"{name}.v"], check=True, capture_output=True)
    return built(of_sizes(place, name, m, n) if is_named(name, n) else place / "out" / f"{name}.c", place / "ours.so")


def measure(program, case, libraries, threads):
    name, m, n, _ = case
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads), "OPENBLAS_CORETYPE": core_type()}
    clock = "processor" if threads == 1 else "clock"
    calls = max(1, (1 << 20) // (m * n))
    said = subprocess.run([program, name, str(m), str(n), str(ROUNDS), str(calls), clock, *libraries], check=True, capture_output=True,
                          text=True, env=environment).stdout
    rows = [[float(word) for word in line.split("\t")] for line in said.splitlines()]
    if not rows[-1][1] < 1e-5:
        sys.exit(f"{name}: our result is off by {rows[-1][1]}: {said}")
    return rows


def peer_program(scratch):
    program = scratch / "lane_times"
    command = ["g++", "-std=c++20", "-O2", "-march=native", "-fopenmp", PEERS / "lane_times.cpp", "-o", program, "-ldnnl", "-lopenblas", "-ldl"]
    if subprocess.run(command, capture_output=True).returncode:
        sys.exit("not measured: OpenBLAS and oneDNN, which were not found (Debian: libopenblas-dev, libdnnl-dev)")
    return program


def row(title, threads, peer, rows, alone=None):
    """A line of the table, and whether all is as wanted; `alone`: what one thread of ours takes, where there are two."""
    (theirs, _), (memory, _), (plain, plainly_off), (ours, off) = rows
    against_peer, against_loop = WANTED[peer]
    best = min(theirs, memory) if peer == "OpenBLAS" else theirs
    reached = best / ours >= against_peer and plain / ours >= against_loop and (alone is None or alone / ours >= TWICE)
    return (f"| {title} | {threads} | {1e6 * theirs:.1f} | {1e6 * memory:.1f} | {1e6 * plain:.1f} | {1e6 * ours:.1f} | {theirs / ours:.2f} "
            f"| {memory / ours:.2f} | {plain / ours:.2f} | {f'{alone / ours:.2f}' if alone else ''} | {off:.1e} | {plainly_off:.1e} | {'yes' if reached else 'NO'} |"), reached


def main():
    build, results, picture = map(pathlib.Path, sys.argv[1:4])
    short = "--short" in sys.argv[4:]
    lines = ["# Sums, products with vectors, softmax, layer norm", "",
             f"Medians of {ROUNDS} rounds in which all take turns, on {machine()}; gcc {' '.join(FLAGS)}; OPENBLAS_CORETYPE={core_type() or 'not set'}. On one "
             "thread, its processor time; on several, the clock, where nothing else runs. The peer is OpenBLAS (of axpy, a copy and `saxpy`, since the result is another vector; "
             "of sum, `sdot` with ones), or oneDNN for softmax and layer norm. `memory`: a loop of vectors that reads and writes the same bytes. `loop`: a straight C loop with the "
             "same flags. Ours: sums by `--reorder` (one text for all sizes, but where they lie in a cache), softmax and layer norm as functional programs that add in 64 lanes, exp in lanes too (`--lanes`); "
             "each certificate holds the order that is computed, bit for bit. Ratios are speeds relative to each. `off`: the largest difference from the result in "
             "double precision, relative to the sum of the absolute values of the terms. Wanted: 1.0 of the better of OpenBLAS and memory; of "
             "softmax and layer norm 0.9 of oneDNN and 1.5 of the loop.", "",
             f"Two threads are measured of what lies in memory: wanted is that they are {TWICE} times as fast as one.", "",
             "| kernel | threads | peer, µs | memory, µs | loop, µs | ours, µs | ours : peer | ours : memory | ours : loop | times one thread | off | loop off | as wanted |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|---|"]
    points, good = [], True
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        program = peer_program(scratch)
        for case in CASES:
            name, m, n, peer = case
            title = f"{name}, {n}" if m == 1 else f"{name}, {m}×{n}"
            place = scratch / title
            place.mkdir()
            libraries = [built(PEERS / "plain_loops.c", place / "loop.so", f"-DM={m}", f"-DN={n}"), certified(build / "vouch", place, name, m, n)]
            alone = None
            for threads in [1] if short or m * n < STORED else [1, 2]:
                if threads > 1 and os.getloadavg()[0] > IDLE + threads:
                    lines.append(f"| {title} | {threads} | not measured: the machine is busy, load {os.getloadavg()[0]:.0f} | | | | | | | | | | |")
                    continue
                print(f"{title}, {threads} threads", file=sys.stderr)
                line, reached = row(title, threads, peer, rows := measure(program, case, libraries, threads), alone)
                lines.append(line)
                good = good and reached
                if threads == 1:
                    alone = rows[3][0]
                    points.append((title, rows[0][0] / rows[3][0], rows[2][0] / rows[3][0]))
    results.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    plot_ratios(picture, [p[0] for p in points], {"against OpenBLAS, oneDNN": [p[1] for p in points],
                                                  "against a straight C loop": [p[2] for p in points]}, "the other")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
