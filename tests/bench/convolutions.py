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
# title, channels in, height, width, channels out, filter, stride, padding; depthwise: each channel has a filter of its own
LAYERS = [("ResNet 3×3, 64, 56²", 64, 56, 56, 64, 3, 1, 1), ("ResNet 3×3, 128, 28²", 128, 28, 28, 128, 3, 1, 1),
          ("ResNet 3×3, 256, 14²", 256, 14, 14, 256, 3, 1, 1), ("ResNet 3×3, 128, 56², stride 2", 128, 56, 56, 128, 3, 2, 1),
          ("ResNet 1×1, 256 → 64, 56²", 256, 56, 56, 64, 1, 1, 0), ("ResNet 1×1, 512 → 128, 28²", 512, 28, 28, 128, 1, 1, 0),
          ("SqueezeNet 3×3, 16 → 64, 55²", 16, 55, 55, 64, 3, 1, 1), ("SqueezeNet 1×1, 128 → 16, 55²", 128, 55, 55, 16, 1, 1, 0),
          ("MobileNet depthwise 3×3, 64, 56²", 64, 56, 56, 64, 3, 1, 1), ("MobileNet depthwise 3×3, 256, 14²", 256, 14, 14, 256, 3, 1, 1)]
ROUNDS = 21
IDLE = 1  # what else may run where the clock is taken
WANTED = {"dense": 1.0, "depthwise": 0.8}


def kind(title):
    return "depthwise" if "depthwise" in title else "dense"


def kernel(c, h, w, k, r, stride, pad, fused, depthwise=False):
    p, q = (h + 2 * pad - r) // stride + 1, (w + 2 * pad - r) // stride + 1
    column, row = (f"{stride}*{axis}" if stride > 1 else axis for axis in "qp")
    if r == 1:
        return f"kernel convolution; in X, W; out Y; Y<1, {k}, {p}, {q}>[n, k, p, q] = X<1, {c}, {h}, {w}>[n, c, {row}, {column}] * W<{k}, {c}>[k, c];\n"
    if stride > 1 and not fused:  # measured: no slower than a padded local, which serves fused multiply-add alone
        product = f"X<1, {c}, {h}, {w}>[n, c, {row} + r - {pad}, {column} + s - {pad}] * W<{k}, {c}, {r}, {r}>[k, c, r, s]"
        bounds = f"{row} + r >= {pad} && {row} + r < {h + pad} && {column} + s >= {pad} && {column} + s < {w + pad}"
        return f"kernel convolution; in X, W; out Y; Y<1, {k}, {p}, {q}>[n, k, p, q] = select({bounds}, {product}, 0);\n"
    filters = f"W<{c}, {r}, {r}>[c, r, s]" if depthwise else f"W<{k}, {c}, {r}, {r}>[k, c, r, s]"
    high, wide = h + 2 * pad, w + 2 * pad
    inside = f"y >= {pad} && y < {h + pad} && x >= {pad} && x < {w + pad}"
    return (f"kernel convolution; in X, W; out Y; P<1, {c}, {high}, {wide}>[n, c, y, x] = select({inside}, X<1, {c}, {h}, {w}>[n, c, y - {pad}, x - {pad}], 0); "
            f"Y<1, {k}, {p}, {q}>[n, {'c' if depthwise else 'k'}, p, q] = P<1, {c}, {high}, {wide}>[n, c, {row} + r, {column} + s] * {filters};\n")


def certified(vouch, place, text, *words):
    """The kernel as a library, its certificate checked."""
    (place / "convolution.tk").write_text(text)
    out = place / "".join(["out", *words])
    subprocess.run([vouch, "compile", place / "convolution.tk", *words, "-o", out], check=True, capture_output=True)
    library = pathlib.Path(vouch).resolve().parent / "coq"
    subprocess.run(["coqc", "-q", "-w", "none", "-Q", library, "Vouch", out / "convolution.v"], check=True, capture_output=True)
    subprocess.run(["gcc", "-std=c99", *FLAGS, "-shared", "-fPIC", out / "convolution.c", "-o", out / "ours.so", "-lm"], check=True)
    return out / "ours.so"


def measure(program, layer, kind_of, libraries, threads):
    clock = "processor" if threads == 1 else "clock"
    said = subprocess.run([program, *map(str, layer), kind_of, str(ROUNDS), clock, *libraries], check=True, capture_output=True, text=True,
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
             "bits that the certificate promises; with `--fma` products are not rounded before they are added, and the certificate says so. On one thread, its processor time; on several, the clock, where nothing else runs. Ours reads and "
             "writes plain layouts (NCHW, OIHW) and copies what it packs in every call; oneDNN is measured in layouts of its own choice with weights "
             "packed ahead of time, and from and to the plain ones. Ratios are speeds relative to it.", "",
             "| layer | threads | oneDNN, ms | ours, ms | ratio | `--fma`, ms | ratio | oneDNN from plain layouts, ms | ratio of `--fma` "
             "| `--fma` ≥ 1.0 of oneDNN's own, depthwise ≥ 0.8 |", "|---|---|---|---|---|---|---|---|---|---|"]
    points, good = [], True
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch) / "conv_forward"
        if subprocess.run(["g++", "-std=c++20", "-O2", PEER, "-o", program, "-ldnnl", "-ldl"], capture_output=True).returncode:
            sys.exit("not measured: oneDNN, which was not found (Debian: libdnnl-dev)")
        for title, *layer in LAYERS:
            place = pathlib.Path(scratch) / str(len(lines))
            place.mkdir()
            texts = [kernel(*layer, fused, kind(title) == "depthwise") for fused in (False, True)]
            libraries = [certified(build / "vouch", place, text, *words) for text, words in zip(texts, ([], ["--fma"]))]
            for threads in [1] if short else [1, os.cpu_count() or 1]:
                if threads > 1 and os.getloadavg()[0] > IDLE + threads:
                    lines.append(f"| {title} | {threads} | not measured: the machine is busy, load {os.getloadavg()[0]:.0f} | | | | | | | |")
                    continue
                print(f"{title}, {threads} threads", file=sys.stderr)
                ours, fused, own, plain = measure(program, layer, kind(title), libraries, threads)
                reached = own / fused >= WANTED[kind(title)]
                good = good and reached
                lines.append(f"| {title} | {threads} | {1000 * own:.3f} | {1000 * ours:.3f} | {own / ours:.2f} | {1000 * fused:.3f} | {own / fused:.2f} "
                             f"| {1000 * plain:.3f} | {plain / fused:.2f} "
                             f"| {'yes' if reached else 'NO'} |")
                if threads == 1:
                    points.append((title, own / ours, own / fused))
    results.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    plot_ratios(picture, [p[0] for p in points], {"each product rounded": [p[1] for p in points],
                                                  "--fma": [p[2] for p in points]}, "oneDNN")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
