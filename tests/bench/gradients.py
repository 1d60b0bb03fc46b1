"""gradients.py BUILD RESULTS [--short]: gradients of kernels in index notation. How long deriving takes; how many inner
iterations the C of gradients executes, counted by gcov, against how many there have to be; and the input gradient of
convolutions against oneDNN's backward-data, and that by the weights against its backward-weights. `--short` measures one shape of these.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "property"))
from inner_iterations import CASES, executed  # noqa: E402

from convolutions import IDLE  # noqa: E402
from kernels import machine  # noqa: E402
from weight_gradients import weights  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "tests" / "bench" / "peers"
FLAGS = ["-O3", "-march=native", "-fopenmp", "-ffp-contract=fast"]
MOST_DERIVE_MS = 5
MOST_RATIO = 2
# name, n, c, h, w, k: the input gradient has n*c*h*w elements, the filter is 3x3, k channels come out.
SHAPES = [("conv_58x58_64", 1, 64, 58, 58, 64), ("conv_30x30_128", 1, 128, 30, 30, 128), ("conv_16x16_256", 1, 256, 16, 16, 256),
          ("conv_57x55_60", 1, 60, 57, 55, 62)]
REACHED = {True: "yes", False: "NO"}


def deriving(build):
    pattern = [str(build / "bench_gradients"), "--benchmark_format=json", "--benchmark_min_time=0.1"]
    rows = json.loads(subprocess.run(pattern, check=True, capture_output=True, text=True).stdout)["benchmarks"]
    lines = ["| deriving, from text to gradient | ms | wanted | reached |", "|---|---|---|---|"]
    good = True
    for row in rows:
        if row.get("error_occurred"):
            sys.exit(f"{row['name']}: {row['error_message']}")
        ms = row["cpu_time"] * {"ns": 1e-6, "us": 1e-3, "ms": 1}[row["time_unit"]]
        good = good and ms <= MOST_DERIVE_MS
        lines.append(f"| {row.get('label') or row['name']} | {ms:.2f} | ≤ {MOST_DERIVE_MS} | {REACHED[ms <= MOST_DERIVE_MS]} |")
    return lines + [""], good


def iterations(vouch, place):
    lines = ["| inner iterations of a gradient | least | certified | ratio | wanted | reached |", "|---|---|---|---|---|---|"]
    good = True
    for case in CASES:
        certified = executed(vouch, case, place)
        holds = certified <= case.most * case.least
        good = good and holds
        lines.append(f"| {case.name} | {case.least:,} | {certified:,} | {certified / case.least:.3f} | ≤ {case.most} | {REACHED[holds]} |")
    return lines + [""], good


def convolution(vouch, place, shapes, rounds):
    cases, wrappers, objects = [], [], []
    for name, n, c, h, w, k in shapes:
        text = (f"kernel {name}; in X, W; out Y; grad X; "
                f"Y<{n}, {k}, {h - 2}, {w - 2}>[n, k, p, q] = X<{n}, {c}, {h}, {w}>[n, c, p + r, q + s] * W<{k}, {c}, 3, 3>[k, c, r, s];")
        folder = place / name
        (place / f"{name}.tk").write_text(text)
        subprocess.run([vouch, "grad", place / f"{name}.tk", "-o", folder], check=True, capture_output=True)
        objects.append(str(place / f"{name}.o"))
        subprocess.run(["gcc", *FLAGS, "-w", "-c", folder / f"{name}.c", "-o", objects[-1]], check=True)
        order = re.findall(r"(\w+)(?:,|\))", re.search(rf"void {name}\((.*?\))", (folder / f"{name}.h").read_text(), re.S).group(1))
        arguments = ", ".join({"W": "w", "dY": "dy", "dX": "dx"}[p] for p in order)
        wrappers.append(f'#include "{folder / name}.h"\n'
                        f"inline void {name}_run(const float* w, const float* dy, float* dx) {{ {name}({arguments}); }}")
        cases.append(f"CASE({name}, {n}, {c}, {h}, {w}, {k}, 3, 3)")
    (place / "cases.h").write_text("\n".join(wrappers) + "\n#define CASES " + " ".join(cases) + "\n")
    command = ["g++", "-std=c++20", "-O2", "-fopenmp", f"-I{place}", str(PEERS / "conv_gradient.cpp"), *objects, "-o", str(place / "conv_gradient")]
    peer = subprocess.run(["g++", "-E", "-x", "c++", "-"], input="#include <dnnl.hpp>\n", text=True, capture_output=True).returncode == 0
    subprocess.run([*command, *(["-DWITH_DNNL", "-ldnnl"] if peer else []), "-lm"], check=True)
    lines, good = [], True
    for threads in (1, 2):
        if threads > 1 and os.getloadavg()[0] > IDLE + threads:
            lines += [f"Not measured: {threads} threads, the machine is busy, load {os.getloadavg()[0]:.0f}.", ""]
            continue
        print(f"conv_gradient, {threads} threads", file=sys.stderr)
        said = subprocess.run([place / "conv_gradient", str(rounds), "processor" if threads == 1 else "clock"], check=True, capture_output=True, text=True,
                              env=os.environ | {"OMP_NUM_THREADS": str(threads)}).stdout
        lines += [f"| input gradient of a 3x3 convolution, {threads} threads | certified, ms | oneDNN, ms | with plain layouts, ms "
                  "| certified : oneDNN | wanted | reached |", "|---|---|---|---|---|---|---|"]
        for line in said.splitlines():
            name, *times = line.split("\t")
            ms = [1000 * float(t) for t in times]
            if peer:
                ratio = ms[0] / ms[1]
                good = good and ratio <= MOST_RATIO
                lines.append(f"| {name} | {ms[0]:.3f} | {ms[1]:.3f} | {ms[2]:.3f} | {ratio:.2f} | ≤ {MOST_RATIO} | {REACHED[ratio <= MOST_RATIO]} |")
            else:
                lines.append(f"| {name} | {ms[0]:.3f} | – | – | – | ≤ {MOST_RATIO} | – |")
        lines.append("")
    if not peer:
        lines += ["Not measured: oneDNN, which was not found (Debian: libdnnl-dev).", ""]
    return lines, good


def main():
    build, results = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    short = "--short" in sys.argv[3:]
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        parts = [deriving(build), iterations(build / "vouch", place), convolution(build / "vouch", place, SHAPES[:1] if short else SHAPES, 5 if short else 15),
                 weights(build / "vouch", place, short)]
    lines = ["# Gradients of kernels in index notation", "",
             "Iterations are counted by gcov in the C texts. Convolutions: medians of rounds in which all take turns, of one thread its processor time, of "
             f"several the clock, on {machine()}; "
             f"gcc {' '.join(FLAGS)}; oneDNN in layouts of its own choice, its weights packed ahead of time.", ""]
    lines += [line for part, _ in parts for line in part]
    results.write_text("\n".join(lines).rstrip() + "\n")
    print("\n".join(lines))
    sys.exit(0 if all(good for _, good in parts) else 1)


main()
