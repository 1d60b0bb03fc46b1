"""Gradients of convolutions by their weights against oneDNN's, in turns, as a part of gradients.py: `vouch grad` derives them, and its kernel
is compiled as it is and with `--fma`, or, of depthwise ones, with `--reorder`; each certificate is checked by Coq before its text is timed."""
import os
import pathlib
import subprocess
import sys

from convolutions import IDLE, certified, kernel, kind, measure

PEER = pathlib.Path(__file__).resolve().parent / "peers" / "conv_weights.cpp"
# As in convolutions.py.
LAYERS = [("3×3, 64, 56²", 64, 56, 56, 64, 3, 1, 1), ("3×3, 128, 28²", 128, 28, 28, 128, 3, 1, 1), ("3×3, 256, 14²", 256, 14, 14, 256, 3, 1, 1),
          ("1×1, 256 → 64, 56²", 256, 56, 56, 64, 1, 1, 0), ("1×1, 512 → 128, 28²", 512, 28, 28, 128, 1, 1, 0),
          ("depthwise 3×3, 64, 56²", 64, 56, 56, 64, 3, 1, 1)]
WANTED = 0.8


def derived(vouch, place, title, layer):
    """The text of the gradient's own kernel, which computes it from x and dy."""
    path = place / "convolution.tk"
    path.write_text(kernel(*layer, True, kind(title) == "depthwise").replace("out Y;", "out Y; grad W;", 1))
    subprocess.run([vouch, "grad", path, "-o", place / "gradient"], check=True, capture_output=True)
    return (place / "gradient" / "convolution.tk").read_text()


def weights(vouch, scratch, short):
    """Lines of the table, and whether all is as wanted."""
    program = scratch / "conv_weights"
    if subprocess.run(["g++", "-std=c++20", "-O2", PEER, "-o", program, "-ldnnl", "-ldl"], capture_output=True).returncode:
        return ["Not measured: oneDNN, which was not found (Debian: libdnnl-dev).", ""], True
    lines = ["Gradients by the weights: from plain layouts to plain ones, `--fma`, and of depthwise ones `--reorder` in its place, as certified; oneDNN in layouts of its own, and from and to plain ones. "
             "Ratios are speeds relative to it. One thread: processor time; two: the clock.", "",
             "| gradient by the weights | threads | oneDNN, ms | ours, ms | ratio | `--fma`, ms | ratio | oneDNN from plain layouts, ms | ratio of `--fma` "
             f"| `--fma` ≥ {WANTED} of oneDNN's own |", "|---|---|---|---|---|---|---|---|---|---|"]
    good = True
    for title, *layer in LAYERS[:1] if short else LAYERS:
        place = scratch / f"weights_{len(lines)}"
        place.mkdir()
        text = derived(vouch, place, title, layer)
        libraries = [certified(vouch, place, text, *words) for words in ([], ["--reorder" if kind(title) == "depthwise" else "--fma"])]
        for threads in [1] if short else [1, 2]:
            if threads > 1 and os.getloadavg()[0] > IDLE + threads:
                lines.append(f"| {title} | {threads} | not measured: the machine is busy, load {os.getloadavg()[0]:.0f} | | | | | | | |")
                continue
            print(f"conv_weights, {title}, {threads} threads", file=sys.stderr)
            ours, fused, own, plain = measure(program, layer, kind(title), libraries, threads)
            reached = own / fused >= WANTED
            good = good and reached
            lines.append(f"| {title} | {threads} | {1000 * own:.3f} | {1000 * ours:.3f} | {own / ours:.2f} | {1000 * fused:.3f} | {own / fused:.2f} "
                         f"| {1000 * plain:.3f} | {plain / fused:.2f} | {'yes' if reached else 'NO'} |")
    return [*lines, ""], good
