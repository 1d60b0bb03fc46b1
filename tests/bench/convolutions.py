"""convolutions.py BUILD RESULTS PLOT [--short]: convolutions of ResNet-50 and SqueezeNet from index notation against oneDNN, in turns.
Each certificate is checked by Coq before its text is timed. `--short` leaves out the second column of threads.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from kernels import machine
from ratio_plot import plot_ratios

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEER = ROOT / "tests" / "bench" / "peers" / "conv_forward.cpp"
FLAGS = ["-O3", "-march=native", "-fopenmp", "-ffp-contract=off"]
# title, channels in, height, width, channels out, filter, stride, padding
LAYERS = [("ResNet 3×3, 64, 56²", 64, 56, 56, 64, 3, 1, 1), ("ResNet 3×3, 128, 28²", 128, 28, 28, 128, 3, 1, 1),
          ("ResNet 3×3, 256, 14²", 256, 14, 14, 256, 3, 1, 1), ("ResNet 3×3, 128, 56², stride 2", 128, 56, 56, 128, 3, 2, 1),
          ("ResNet 1×1, 256 → 64, 56²", 256, 56, 56, 64, 1, 1, 0), ("ResNet 1×1, 512 → 128, 28²", 512, 28, 28, 128, 1, 1, 0),
          ("SqueezeNet 3×3, 16 → 64, 55²", 16, 55, 55, 64, 3, 1, 1), ("SqueezeNet 1×1, 128 → 16, 55²", 128, 55, 55, 16, 1, 1, 0)]
ROUNDS = 21
IDLE = 1  # what else may run where the clock is taken
WANTED = 1.0


def kernel(c, h, w, k, r, stride, pad):
    p, q = (h + 2 * pad - r) // stride + 1, (w + 2 * pad - r) // stride + 1
    column, row = (f"{stride}*{axis}" if stride > 1 else axis for axis in "qp")
    if r == 1:
        return f"kernel convolution; in X, W; out Y; Y<1, {k}, {p}, {q}>[n, k, p, q] = X<1, {c}, {h}, {w}>[n, c, {row}, {column}] * W<{k}, {c}>[k, c];\n"
    if stride > 1:  # measured: a padded local, as below, reaches 0.3 of the peer here
        product = f"X<1, {c}, {h}, {w}>[n, c, {row} + r - {pad}, {column} + s - {pad}] * W<{k}, {c}, {r}, {r}>[k, c, r, s]"
        bounds = f"{row} + r >= {pad} && {row} + r < {h + pad} && {column} + s >= {pad} && {column} + s < {w + pad}"
        return f"kernel convolution; in X, W; out Y; Y<1, {k}, {p}, {q}>[n, k, p, q] = select({bounds}, {product}, 0);\n"
    high, wide = h + 2 * pad, w + 2 * pad
    inside = f"y >= {pad} && y < {h + pad} && x >= {pad} && x < {w + pad}"
    return (f"kernel convolution; in X, W; out Y; P<1, {c}, {high}, {wide}>[n, c, y, x] = select({inside}, X<1, {c}, {h}, {w}>[n, c, y - {pad}, x - {pad}], 0); "
            f"Y<1, {k}, {p}, {q}>[n, k, p, q] = P<1, {c}, {high}, {wide}>[n, c, {row} + r, {column} + s] * W<{k}, {c}, {r}, {r}>[k, c, r, s];\n")


def certified(vouch, place, layer):
    (place / "convolution.tk").write_text(kernel(*layer))
    subprocess.run([vouch, "compile", place / "convolution.tk", "-o", place / "out"], check=True, capture_output=True)
    library = pathlib.Path(vouch).resolve().parent / "coq"
    subprocess.run(["coqc", "-q", "-w", "none", "-Q", library, "Vouch", place / "out" / "convolution.v"], check=True, capture_output=True)
    subprocess.run(["gcc", "-std=c99", *FLAGS, "-shared", "-fPIC", place / "out" / "convolution.c", "-o", place / "ours.so", "-lm"], check=True)
    return place / "ours.so"


def measure(program, layer, library, threads):
    clock = "processor" if threads == 1 else "clock"
    said = subprocess.run([program, *map(str, layer), str(ROUNDS), clock, library], check=True, capture_output=True, text=True,
                          env=os.environ | {"OMP_NUM_THREADS": str(threads)}).stdout
    *times, worst = map(float, said.split())
    if worst > 1e-3:
        sys.exit(f"a convolution differs from oneDNN's: {said}")
    return times


def main():
    build, results, picture = map(pathlib.Path, sys.argv[1:4])
    short = "--short" in sys.argv[4:]
    lines = ["# Convolutions, from index notation", "",
             f"Medians of {ROUNDS} rounds in which all take turns, on {machine()}; gcc {' '.join(FLAGS)}: each product and each sum is rounded, the "
             "bits that the certificate promises. On one thread, its processor time; on several, the clock, where nothing else runs. Ours reads and "
             "writes plain layouts (NCHW, OIHW) and copies what it packs in every call; oneDNN is measured in layouts of its own choice with weights "
             "packed ahead of time, and from and to the plain ones. Ratios are speeds relative to it.", "",
             "| layer | threads | ours, ms | oneDNN, ms | ratio | oneDNN from plain layouts, ms | ratio | ≥ 1.0 of oneDNN's own |",
             "|---|---|---|---|---|---|---|---|"]
    points, good = [], True
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch) / "conv_forward"
        if subprocess.run(["g++", "-std=c++20", "-O2", PEER, "-o", program, "-ldnnl", "-ldl"], capture_output=True).returncode:
            sys.exit("not measured: oneDNN, which was not found (Debian: libdnnl-dev)")
        for title, *layer in LAYERS:
            place = pathlib.Path(scratch) / str(len(lines))
            place.mkdir()
            library = certified(build / "vouch", place, layer)
            for threads in [1] if short else [1, os.cpu_count() or 1]:
                if threads > 1 and os.getloadavg()[0] > IDLE + threads:
                    lines.append(f"| {title} | {threads} | not measured: the machine is busy, load {os.getloadavg()[0]:.0f} | | | | | |")
                    continue
                print(f"{title}, {threads} threads", file=sys.stderr)
                ours, own, plain = measure(program, layer, library, threads)
                reached = own / ours >= WANTED
                good = good and reached
                lines.append(f"| {title} | {threads} | {1000 * ours:.3f} | {1000 * own:.3f} | {own / ours:.2f} | {1000 * plain:.3f} | {plain / ours:.2f} "
                             f"| {'yes' if reached else 'NO'} |")
                if threads == 1:
                    points.append((title, own / ours, plain / ours))
    results.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    plot_ratios(picture, [p[0] for p in points], {"oneDNN's own layouts, weights packed before": [p[1] for p in points],
                                                  "plain layouts, as ours": [p[2] for p in points]}, "oneDNN")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
