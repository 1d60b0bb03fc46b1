#!/usr/bin/env python3
"""`--target`: whose registers tiles are made for. By each word a kernel, a gradient and a library have the same bits, those of the sums in
order, worked out here in binary32; the manifest says which, `verify` makes the same text from it and refuses another word there; without
the option it is the processor's own, by what the system says that it has."""
import ctypes
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

from certified import FLAGS
from command import Checks, Vouch, has_prover

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
check = Checks()
PROVER = has_prover(vouch.program)
WORDS = ["avx512", "avx2", "generic"]
# Each with what a processor must have for it.
NATIVE = [("avx512", {"avx512f", "fma"}), ("avx2", {"avx2", "fma"}), ("generic", set())]
# Floats that the registers of each hold: a tile that has more of them waits for memory.
REGISTERS = {"avx512": 32 * 16, "avx2": 16 * 8, "generic": 16 * 4}
M, K, N = 40, 40, 192
CHANNELS, SIDE, FILTERS = 8, 14, 64
CONVOLUTION = (f"kernel bordered;\nin X, W;\nout Y;\nY<{FILTERS}, {SIDE}, {SIDE}>[o, i, j] = select(i + r >= 1 && i + r < {SIDE + 1} && j + s >= 1 && "
               f"j + s < {SIDE + 1}, X<{CHANNELS}, {SIDE}, {SIDE}>[c, i + r - 1, j + s - 1] * W<{FILTERS}, {CHANNELS}, 3, 3>[o, c, r, s], 0);\n")
PRODUCT = f"kernel product;\nin A, B;\nout C;\ngrad A;\nC<{M}, {N}>[i, j] = A<{M}, {K}>[i, p] * B<{K}, {N}>[p, j];\n"


def rounded(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def sums(m, n, k, a, b):
    """a(i, p) times b(p, j), summed over p in order."""
    out = []
    for i in range(m):
        for j in range(n):
            total = 0.0
            for p in range(k):  # a product of two binary32 is exact in binary64
                total = rounded(total + rounded(a(i, p) * b(p, j)))
            out.append(total)
    return out


def floats(count, source):
    return (ctypes.c_float * count)(*[source.uniform(-2, 2) for _ in range(count)])


def computed(folder, name, operands, count):
    library = folder.with_suffix(".so")  # beside what `verify` covers
    done = subprocess.run(["gcc", *FLAGS, "-shared", folder / f"{name}.c", "-o", library, "-lm"], capture_output=True, text=True)
    check.that(done.returncode == 0, f"gcc {folder.name}: {done.stderr[:400]}")
    out = (ctypes.c_float * count)()
    code = getattr(ctypes.CDLL(str(library)), f"{name}_checked")(*operands, out)
    check.that(code == 0, f"{folder.name}: code {code}")
    return list(out)


def recipe(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    return next(iter(manifest["kernels"].values()))["recipe"] if "kernels" in manifest else manifest["recipe"]


def native():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    have = next((set(line.split()) for line in lines if line.startswith("flags")), set())
    return next(word for word, needs in NATIVE if needs <= have)


def written(command, path, folder, *words):
    code, out, err = vouch(command, path, "-o", folder, *words, limited=False, seconds=300)
    check.that(code == 0, f"{command} {folder.name}: exit {code}: {(out + err)[:400]}")
    return folder


def verified(folder, good, what):
    code, out, err = vouch("verify", folder, limited=False, seconds=600)
    check.that((code == 0) == good, f"verify {folder.name}, {what}: exit {code}: {(out + err)[-600:]}")


def said(folder, word):
    found = recipe(folder).get("target", WORDS[0])
    check.that(found == word, f"{folder.name}: the manifest says tiles for {found}, not {word}")


def with_word(folder, word):
    """The manifest says another word than the text was made by."""
    path = folder / "manifest.json"
    kept = path.read_text()
    manifest = json.loads(kept)
    for one in manifest["kernels"].values() if "kernels" in manifest else [manifest]:
        one["recipe"]["target"] = word
    path.write_text(json.dumps(manifest))
    verified(folder, False, f"whose manifest says {word}")
    path.write_text(kept)


def kernels(place):
    source = random.Random(5)
    a, b, dc = floats(M * K, source), floats(K * N, source), floats(M * N, source)
    path = place / "product.tk"
    path.write_text(PRODUCT)
    texts = {}
    for word in [*WORDS, ""]:
        folder = written("compile", path, place / f"product_{word}", *(["--target", word] if word else []))
        said(folder, word or native())
        texts[word] = (folder / "product.c").read_text()
        expected = sums(M, N, K, lambda i, p: a[i * K + p], lambda p, j: b[p * N + j])
        check.that(computed(folder, "product", [a, b], M * N) == expected, f"product {word}: other bits than the sums in order have")
        gradient = written("grad", path, place / f"gradient_{word}", *(["--target", word] if word else []))
        said(gradient, word or native())
        by_a = sums(M, K, N, lambda i, j: dc[i * N + j], lambda j, p: b[p * N + j])
        check.that(computed(gradient, "product", [b, dc], M * K) == by_a, f"gradient {word}: other bits than the sums in order have")
    check.that(texts[""] == texts[native()], "without the option the text is not that of this processor")
    check.that(len(set(texts.values())) == len(WORDS), "tiles for two processors are alike")
    code, out, err = vouch("schedule", path)
    check.that(code == 0 and out == vouch("schedule", path, "--target", native())[1], f"the schedule is not this processor's: {out}{err}")
    if PROVER:
        verified(place / "product_avx2", True, "as it was made")
        with_word(place / "product_avx2", "generic")
        with_word(place / "product_avx2", "avx3")
        with_word(place / "product_avx512", "avx2")


def fit(word, text, what):
    copied = CHANNELS * (SIDE + 2) ** 2  # of the image with zeros around it
    tiles = [int(floats) for floats in re.findall(r"float v\d+\[(\d+)\] __attribute__", text) if int(floats) != copied]
    check.that(tiles and max(tiles) <= REGISTERS[word], f"{what} for {word}: tiles of {tiles} floats, of which registers hold {REGISTERS[word]}")


def bordered(x, w):
    """Each filter at each place: products rounded, in the order in which the kernel names its loops; zero where the image ends."""
    out = []
    for o in range(FILTERS):
        for i in range(SIDE):
            for j in range(SIDE):
                total = 0.0
                for r in range(3):
                    for s in range(3):
                        for c in range(CHANNELS):
                            y, z = i + r - 1, j + s - 1
                            inside = 0 <= y < SIDE and 0 <= z < SIDE
                            product = rounded(x[(c * SIDE + y) * SIDE + z] * w[((o * CHANNELS + c) * 3 + r) * 3 + s]) if inside else 0.0
                            total = rounded(total + product)
                out.append(total)
    return out


def convolutions(place):
    """Lanes along filters and rows along pixels, in what is cut at borders, too."""
    source = random.Random(6)
    x, w = floats(CHANNELS * SIDE * SIDE, source), floats(FILTERS * CHANNELS * 9, source)
    path = place / "bordered.tk"
    path.write_text(CONVOLUTION)
    expected = bordered(x, w)
    for word in WORDS:
        folder = written("compile", path, place / f"bordered_{word}", "--target", word)
        fit(word, (folder / "bordered.c").read_text(), "a convolution with borders")
        fit(word, (place / f"product_{word}" / "product.c").read_text(), "a product")
        check.that(computed(folder, "bordered", [x, w], len(expected)) == expected, f"bordered {word}: other bits than the sums in order have")


def refused(place):
    for words, expected in [(["--target", "avx3"], "avx3"), (["--target", "avx2", "--targets", "generic,avx2"], "--target")]:
        for command in ("compile", "build"):
            code, out, err = vouch(command, place / "product.tk", "-o", place / "refused", *words)
            check.that(code == 64 and expected in err and not (place / "refused").exists(), f"{command} {words}: exit {code}: {out}{err}")


with tempfile.TemporaryDirectory() as scratch:
    kernels(pathlib.Path(scratch))
    convolutions(pathlib.Path(scratch))
    refused(pathlib.Path(scratch))
print("coqc or the compiled library is not there: certificates are not tried" if not PROVER else "")
check.end()
