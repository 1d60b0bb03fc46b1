#!/usr/bin/env python3
"""index_certificates_test.py VOUCH ROOT [--all]: certificates of kernels in index notation, of their gradients and of their
tangents, checked by `vouch verify`; certificates that speak of another kernel, and changed C texts, are refused.

`--all` does every shipped kernel and the ten cases of the original project, and makes every change; else two kernels that hold most of
the language, and a change of each class."""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FEW = ["window_mean", "conv_sizes"]
OTHER = {"CLe": "CEq", "CEq": "CLe", "BOp2 Mul": "BOp2 Add"}
failures = []


def run(vouch, *words):
    return subprocess.run([str(vouch), *map(str, words)], capture_output=True, text=True)


def expect(what, done, status, text=""):
    if done.returncode != status or text not in done.stdout + done.stderr:
        failures.append(f"{what}: exit {done.returncode}, expected {status} and '{text}'\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == status


def written(vouch, kernels, place):
    """The folders of each kernel, its gradient and its tangent; each must be there with nothing left uncovered."""
    folders = []
    for path in kernels:
        for what, words in [("compile", ["compile"]), ("gradient", ["grad"]), ("tangent", ["grad", "--forward"])]:
            folder = place / f"{path.stem}-{what}"
            done = run(vouch, *words, path, "-o", folder)
            expect(f"{path.name}, {what}", done, 0)
            if "certificate" in done.stderr:
                failures.append(f"{path.name}, {what}, is not covered: {done.stderr}")
            folders.append(folder)
    return folders


def with_summands(vouch, place):
    """Sums beside summands that have no loops: one tile holds all of them."""
    folders = []
    product, row = "A<20, 300>[i, k] * B<300, 75>[k, j]", "D<75>[j]"
    for n, element in enumerate([f"{product} + {row}", f"{row} + {product}", f"{product} + select(i < j, {row}, 0)"]):
        path = place / f"summands{n}.tk"
        path.write_text(f"kernel summands{n}; in A, B, D; out C; C<20, 75>[i, j] = {element};")
        expect(path.name, run(vouch, "compile", path, "-o", place / path.stem), 0)
        if "PMove" not in (place / path.stem / f"{path.stem}.v").read_text():
            failures.append(f"{path.name} has no tiles")
        folders.append(place / path.stem)
    return folders


def with_panels(vouch, place):
    """A product large enough for copies in the middle of its plan."""
    path = place / "panels.tk"
    path.write_text("kernel panels; in A, B; out C; C<26, 1100>[i, j] = A<26, 900>[i, k] * B<900, 1100>[k, j];")
    expect(path.name, run(vouch, "compile", path, "-o", place / path.stem), 0)
    if "PTab" not in (place / path.stem / f"{path.stem}.v").read_text():
        failures.append(f"{path.name} has no copies in its plan")
    return [place / path.stem]


def with_endings(vouch, place):
    """Sums that are finished in their tiles, whole and in blocks: no memory is taken for them."""
    folders = []
    for name, terms, ends in [("finished", 300, "max(S<20, 75>[i, j] + D<75>[j], 0)"),
                              ("finished_parts", 2101, "select(i < j, S<20, 75>[i, j] / 9, D<75>[j])")]:
        path = place / f"{name}.tk"
        path.write_text(f"kernel {name}; in A, B, D; out C; S<20, 75>[i, j] = A<20, {terms}>[i, k] * B<{terms}, 75>[k, j]; "
                        f"C<20, 75>[i, j] = {ends};")
        expect(path.name, run(vouch, "compile", path, "--target", "avx512", "-o", place / name), 0)
        if "PFinish" not in (place / name / f"{name}.v").read_text() or "new_floats(1500" in (place / name / f"{name}.c").read_text():
            failures.append(f"{path.name} is not finished in tiles")
        folders.append(place / name)
    if "PThen" not in (place / "finished_parts" / "finished_parts.v").read_text():
        failures.append("finished_parts.tk has no parts")
    return folders


def check_all(vouch, folders, place):
    table = place / "table.json"
    expect("verify", run(vouch, "verify", *folders, "-j", "2", "--json", table), 0)
    rows = json.loads(table.read_text())["kernels"]
    for row in rows:
        if not row["certified"] or row["axioms"] != "none":
            failures.append(str(row))
    for folder in folders:
        texts = {p.name for p in folder.glob("*.c")}
        if not texts or any(not (folder / name).with_suffix(".v").exists() for name in texts):
            failures.append(f"{folder}: a C text without certificate among {texts}")
    return rows


def tamper(vouch, folder, ending, change):
    """The folder's one kernel with one file changed, and the manifest's hash of it too; a changed certificate, which `verify` gives
    to nobody, Coq alone must reject."""
    manifest = folder / "manifest.json"
    known = json.loads(manifest.read_text())
    name = sorted(known["kernels"])[0]
    path = folder / (name + ending)
    good, kept = path.read_text(), manifest.read_text()
    bad = change(good)
    if bad == good:
        failures.append(f"nothing to change in {path.name}")
    path.write_text(bad)
    known["kernels"][name]["files"][path.name] = hashlib.sha256(bad.encode()).hexdigest()
    manifest.write_text(json.dumps(known))
    expect(f"a changed {path.name}", run(vouch, "verify", folder), 1, "FAILED")
    if ending == ".v":
        library = pathlib.Path(vouch).resolve().parent / "coq"
        expect(f"a changed {path.name}, by Coq alone", run("coqc", "-q", "-w", "none", "-Q", library, "Vouch", path), 1, "Error")
        for file in folder.glob(f"{name}.*o*"):
            if file.suffix in (".glob", ".vo", ".vok", ".vos"):
                file.unlink()
    path.write_text(good)
    manifest.write_text(kept)


def tampered(vouch, folder, everything=True):
    tamper(vouch, folder, ".c", lambda text: re.sub(r" < (\d+)", lambda m: f" < {int(m[1]) - 1}", text, count=1))
    # The kernel in index notation is another one: a bound, a shift, an operation.
    def in_index_kernel(old, new):
        def change(text):
            at = text.index("Definition index_kernel")
            return text[:at] + re.sub(old, new, text[at:], count=1)
        return change
    tamper(vouch, folder, ".v", in_index_kernel(r"CLe|CEq|BOp2 Mul", lambda m: OTHER[m[0]]))
    if not everything:
        return
    tamper(vouch, folder, ".v", in_index_kernel(r"st_extents := \[\(SConst (\d+)\)", lambda m: f"st_extents := [(SConst {int(m[1]) + 1})"))
    tamper(vouch, folder, ".v", in_index_kernel(r"\(IVar 0\)", "(IVar 1)"))


def tampered_sizes(vouch, folder):
    """A C text, a kernel and facts that are right for other sizes alone."""
    tamper(vouch, folder, ".c", lambda text: re.sub(r"\bR(\)*);", r"(R + 1)\1;", text, count=1))
    def in_index_kernel(old, new):
        def change(text):
            at = text.index("Definition index_kernel")
            return text[:at] + text[at:].replace(old, new, 1)
        return change
    tamper(vouch, folder, ".v", in_index_kernel("su_loops := [(SVar 1)", "su_loops := [(SVar 0)"))
    tamper(vouch, folder, ".v", in_index_kernel("((SVar 1), (SVar 0))", "((SVar 0), (SVar 1))"))


def tampered_tiles(vouch, folder):
    """Tiles and a copy of an input that are other ones than those of the text."""
    tampered(vouch, folder)
    tamper(vouch, folder, ".v", lambda text: re.sub(r"PTiles (\w+) (\d+) (\d+)", r"PTiles \1 \3 \2", text, count=1))
    tamper(vouch, folder, ".v", lambda text: re.sub(r"Whole 0 0", "Whole 1 0", text, count=1))


def tampered_blocks(vouch, folder):
    """Blocks, parts and an order of the axes that are other ones than those of the text."""
    for old, new in [(r"PBlocks \(SConst (\d+)\) (\d+)", r"PBlocks (SConst \2) \1"), (r"PThen (\d+) (\d+)", r"PThen \2 \1"), (r"PMove 1", "PMove 0"),
                     (r"POver (\d+) \(SConst \d+\)", r"POver \1 (SConst 64)"), (r"PCut 1 (\d+)", r"PCut \1 1"), (r"Lane 64", "Lane 63")]:
        tamper(vouch, folder, ".v", lambda text: re.sub(old, new, text, count=1))


def tampered_panels(vouch, folder, everything):
    """Copies in the middle of a plan: of another tensor, in another order, over other variables, or none at all."""
    changes = [(r"PTab 1 ", "PTab 0 "), (r"PTab 1 \[(\d); (\d)", r"PTab 1 [\2; \1"), (r"PTab 1 \[\d; ", "PTab 1 ["),
                     (r"PTab 1 \[\d", "PTab 1 [7"), (r"PTab 1 \[[^]]*\]", "PMove 0"), (r"PThen 450 450", "PThen 449 451")]
    for old, new in changes if everything else changes[:1]:
        tamper(vouch, folder, ".v", lambda text: re.sub(old, new, text, count=1))


def tampered_endings(vouch, folder, parts, everything):
    """What is done to complete sums: something else, to another element, in another tensor, twice, too early or never."""
    def in_output(old, new):
        def change(text):
            at = text.index("ik_output :=")
            return text[:at] + re.sub(old, new, text[at:], count=1)
        return change
    changes = [("BOp2 Max", "BOp2 Min"), (r"BRead 0 \[\(\(IVar 1\)", "BRead 0 [((IVar 0)"), (r"BRead 3 ", "BRead 1 ")]
    for old, new in changes if everything else changes[:1]:
        tamper(vouch, folder, ".v", in_output(old, new))
    changes = [("PFinish", "PEach Par (SConst 20)"), ("PFinish", "PFinish (PFinish"), (r"PFinish\n.*", "PLeaf 0."), ("PLeaf 0", "PLeaf 1")]
    for old, new in changes if everything else changes[:1]:
        tamper(vouch, folder, ".v", lambda text: re.sub(old, new, text, count=1))
    tamper(vouch, folder, ".c", lambda text: re.sub(r" \+ D\[", " - D[", text, count=1))
    tamper(vouch, parts, ".v", lambda text: re.sub(r"PThen (\d+) (\d+)", r"PThen \2 \1", text, count=1))


def main():
    vouch, root = sys.argv[1], pathlib.Path(sys.argv[2])
    everything = "--all" in sys.argv[3:]
    kernels = sorted((root / "kernels" / "index").glob("*.tk"))
    data = root.parent / "shared" / "data" / "autograd"
    if not everything:
        kernels = [path for path in kernels if path.stem in FEW]
    elif data.is_dir():
        kernels += [data / f"case{n}.json" for n in range(1, 11)]
    else:
        print(f"not run: the cases of {data}, which is not there")
    if not kernels:
        sys.exit("no kernels")
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        folders = written(vouch, kernels, place) + with_summands(vouch, place)[: None if everything else 1] + with_panels(vouch, place) + with_endings(vouch, place)
        rows = [] if failures else check_all(vouch, folders, place)
        if not failures:
            tampered(vouch, place / "window_mean-gradient", everything)
            tampered_sizes(vouch, place / "conv_sizes-gradient")
            tampered_panels(vouch, place / "panels", everything)
            tampered_endings(vouch, place / "finished", place / "finished_parts", everything)
            if everything:
                tampered_tiles(vouch, place / "conv_tiled-gradient")
                tampered_blocks(vouch, place / "matrix_product-compile")
    slowest = max(rows, key=lambda row: row["time_ms"], default=None)
    print("\n".join(failures) or f"figures: {len(kernels)} kernels, {len(rows)} certificates hold, without axioms; the slowest took "
          f"{slowest['time_ms'] / 1000:.1f} s ({slowest['kernel']})")
    return 1 if failures else 0


sys.exit(main())
