#!/usr/bin/env python3
"""Schedules as text: what `vouch schedule` prints, beside the kernel, gives the same C text and certificate; schedules that are drawn at random
compute the sums in order, to the bit, and Coq certifies them; what does not fit a kernel is refused with its place and the reason; texts with
a number or a word changed are taken or refused, and nothing else; folders whose schedule was changed are refused."""
import ctypes
import json
import pathlib
import random
import re
import shutil
import struct
import sys
import tempfile

from certified import Certified
from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
check = Checks()
ROWS, COLUMNS, TERMS = 12, 20, 18
PRODUCT = f"""kernel {{0}};
in A, B;
out C;
C<{ROWS}, {COLUMNS}>[i, j] = A<{ROWS}, {TERMS}>[i, k] * B<{TERMS}, {COLUMNS}>[k, j];
"""
FINISHED = f"""kernel {{0}};
in A, B;
out D;
C<{ROWS}, {COLUMNS}>[i, j] = A<{ROWS}, {TERMS}>[i, k] * B<{TERMS}, {COLUMNS}>[k, j];
D<{ROWS}, {COLUMNS}>[i, j] = max(C[i, j] - 1/2, 0);
"""
SHIPPED = [("matrix_product.tk", []), ("conv_tiled.tk", []), ("refold.tk", []), ("matmul.fun", ["--size", "m=512", "--size", "n=512", "--size", "p=1024"])]
BY_HAND = """# lanes of a copy, rows in blocks, the sum in two
schedule hand
copy B as block 1 of 10, axis 0, lane 1 of 10 {
  each 2
  blocks 3 of 6
  parallel each 3
  move 1
  each 10
  tile
}
move 1
parallel tiles 2 of 10
split 8 + 4 {
  tiles 2 of 4 inside 1
  then 6 + 12 {
    tile
  } {
    cut 3 of 4
    tile unrolled 1
  }
} {
  over 0 to 5
  under 2
  tile
}
"""
# after `schedule product`: line and column, and what is said
REFUSED = [
    ("", 1, 10, "end without a 'tile'"),
    ("spread 3\ntile", 2, 1, "expected a step, found 'spread'"),
    ("each 13\ntile", 2, 1, "the first axis has 12 positions, not 13"),
    ("parallel each 12\nparallel each 20\ntile", 3, 1, "parallel already"),
    ("parallel split 6 + 6 {", 2, 10, "'each' or 'tiles'"),
    ("each 12\neach 20\neach 1\ntile", 4, 1, "no axis is left"),
    ("blocks 5 of 2\ntile", 2, 1, "12 positions, and 5 times 2 are 10"),
    ("tiles 12 of 0\ntile", 2, 1, "12 positions, and 12 times 0 are 0"),
    ("merge 12 of 19\ntile", 2, 1, "12 and 20 positions, not 12 and 19"),
    ("merge 20 of 12\ntile", 2, 1, "12 and 20 positions, not 20 and 12"),
    ("merge 12 of 0\ntile", 2, 1, "not 12 and 0"),
    ("each 12\nmerge 20 of 1\ntile", 3, 1, "two axes are merged, and one is left"),
    ("cut 3 of 6\nmerge 12 of 20\ntile", 3, 1, "the sum is cut already"),
    ("split 6 + 7 {\ntile\n} {\ntile\n}", 2, 1, "12 positions, and 6 + 7 are 13"),
    ("split 6 + 6\ntile", 2, 1, "expected '{' at the end of this line"),
    ("split 6 + 6 {\ntile\n}", 4, 1, "expected '} {'"),
    ("each 12 {\ntile\n}", 2, 1, "only 'split' and 'then'"),
    ("tiles 2 of 6 inside 1\ntile", 2, 1, "cannot have 1 further inside"),
    ("move 2\ntile", 2, 1, "no axis comes after 2 others"),
    ("over 0 to 11\ntile", 2, 1, "12 positions, more than 11"),
    ("each 12\neach 20\nunder 2\ntile", 4, 1, "no axis is left"),
    ("cut 3 of 6\nunder 2\ntile", 3, 1, "the sum is cut already"),
    ("under\ntile", 2, 6, "expected a number"),
    ("cut 3 of 5\ntile", 2, 1, "18 terms, and 3 times 5 are 15"),
    ("then 9 + 8 {\ntile\n} {\ntile\n}", 2, 1, "18 terms, and 9 + 8 are 17"),
    ("cut 3 of 6\nblocks 2 of 6\ntile", 3, 1, "the sum is cut already"),
    ("copy B over 0\ntile", 2, 1, "moves with variable 1"),
    ("copy B over 0 3\ntile", 2, 1, "no variable 3"),
    ("copy D over 0 1\ntile", 2, 1, "no input 'D'"),
    ("tiles 2 of 6\ncopy B over 0 1\ntile", 3, 1, "outside of tiles"),
    ("then 9 + 9 {\ntile\n} {\ncopy B over 0 1\ntile\n}", 5, 1, "has to be made before it"),
    ("copy A over 0 2\ncopy B over 0 1\ntile", 3, 1, "tensors have numbers"),
    ("copy A over 0 2\ncopy tensor 7 over 0 1\ntile", 3, 1, "not read here"),
    ("finish\ntile", 2, 1, "does more than finish"),
    ("each 12\nfinish\ntile", 3, 1, "the first step of a plan"),
    ("copy B as axis 0\ntile", 2, 1, "axis 1 of the input is not in the copy"),
    ("copy B as axis 0, block 1 of 4\ntile", 2, 1, "come together"),
    ("copy B as axis 0, axis 1, axis 2\ntile", 2, 1, "no axis 2"),
    ("copy B as axis 0, block 1 of 0, lane 1 of 0\ntile", 2, 1, "at least one position"),
    ("copy B as block 1 of 10, axis 0, lane 1 of 10 {\nmove 2\neach 2\ntile\n}\ntile", 4, 1, "the first axis has 10 positions, not 2"),
    ("copy B as axis 0, axis 1 {\ncut 3 of 6\ntile\n}\ntile", 3, 1, "only one sum alone can be cut"),
    ("copy B as axis 0, axis 1 {\n}\ntile", 3, 1, "end without a 'tile'"),
    ("copy B as axis 0, axis 1 {\ntile\ntile", 4, 1, "expected '}'"),
    ("copy B as axis 0, axis 1 {\nfinish\ntile\n}\ntile", 3, 1, "the first step of a plan"),
    ("move 1234567890123\ntile", 2, 6, "a number of at most 12 digits"),
    ("tile unrolled 2", 2, 1, "a sum has 1 loop here, not 2"),
    ("tile unrolled all", 2, 15, "expected a number"),
    ("tile rolled 1", 2, 6, "expected the end of the line"),
    ("tile\neach 2", 3, 1, "expected 'schedule'"),
    ("plain\nschedule product\nplain", 3, 10, "has a schedule above already"),
    ("plain\nschedule prodct\nplain", 3, 10, "no kernel 'prodct'"),
]


def write(place, name, text, schedule=None):
    path = place / f"{name}.tk"
    path.write_text(text.format(name))
    beside = place / f"{name}.sched"
    beside.unlink(missing_ok=True)
    if schedule is not None:
        beside.write_text(schedule)
    return path


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def product(a, b, finished):
    """Rounded after each product and after each sum, term by term."""
    out = []
    for i in range(ROWS):
        for j in range(COLUMNS):
            total = 0.0
            for k in range(TERMS):
                total = single(total + single(a[i * TERMS + k] * b[k * COLUMNS + j]))
            out.append(max(single(total - 0.5), 0.0) if finished else total)
    return out


def computes(certified, place, name, finished):
    library = certified.built("gcc", place / name / f"{name}.c", place)
    if not library:
        return
    draw = random.Random(name)
    a, b = ([single(draw.uniform(-9, 9)) for _ in range(n * TERMS)] for n in (ROWS, COLUMNS))
    out = (ctypes.c_float * (ROWS * COLUMNS))()
    code = getattr(ctypes.CDLL(library), f"{name}_checked")((ctypes.c_float * len(a))(*a), (ctypes.c_float * len(b))(*b), out)
    check.that(code == 0 and list(out) == product(a, b, finished), f"{name}: other bits than the sums in order")


def compiled(place, name, text, schedule, words=()):
    path = write(place, name, text, schedule)
    code, _, err = vouch("compile", path, *words, "-o", place / name)
    check.that(code == 0, f"compile {name}: exit {code}, {err[:400]}\n{schedule}")
    return code == 0


class Drawn:
    """A schedule that fits a product, drawn step by step from what is left."""

    def __init__(self, seed, finished):
        self.draw = random.Random(seed)
        self.lines = []
        self.kinds = set()
        if self.draw.random() < 0.5:
            self.lines.append("copy B as block 1 of 10, axis 0, lane 1 of 10 {")
            self.steps([2, TERMS, 10], 0, whole=True, lanes=0, simple=True, ends=True, shared=False, copied=True, left=6)
            self.lines.append("}")
        copied = bool(self.lines)
        self.lines += ["finish"] if finished else []
        self.steps([ROWS, COLUMNS], TERMS, whole=True, lanes=0, simple=True, ends=finished, shared=False, copied=copied, left=9)

    def factors(self, n):
        width = self.draw.randint(1, 4) if n == 0 else self.draw.choice([w for w in range(1, n + 1) if n % w == 0])
        return n // width, width

    def parts(self, line, first, second):
        self.lines.append(line + " {")
        first()
        self.lines.append("} {")
        second()
        self.lines.append("}")

    def steps(self, axes, terms, whole, lanes, simple, ends, shared, copied, left):
        here = dict(whole=whole, lanes=lanes, simple=simple, ends=ends, shared=shared, copied=copied, left=left - 1)
        kinds = ["tile"] if left == 0 else ["each", "tiles", "split", "blocks", "merge", "move", "over", "under", "cut", "then", "copy", "tile"]
        kind = self.draw.choice(kinds)
        fits = {"each": axes, "tiles": whole and axes, "split": whole and axes and left > 4, "blocks": whole and axes, "merge": whole and len(axes) > 1, "move": whole and axes,
                "over": whole and axes, "under": whole and axes, "cut": not ends, "then": terms > 1, "copy": simple and lanes == 0 and not copied, "tile": left < 6}
        if not fits[kind]:
            return self.steps(axes, terms, whole, lanes, simple, ends, shared, copied, left if any(fits.values()) else 0)
        self.kinds.add(kind)
        parallel = kind in ("each", "tiles") and not shared and self.draw.random() < 0.3
        word = "parallel " if parallel else ""
        here["shared"] = shared or parallel
        if kind == "tile":
            return self.lines.append(self.draw.choice(["tile", "tile unrolled 1"]) if terms > 0 else "tile")
        if kind == "each":
            self.lines.append(f"{word}each {axes[0]}")
            return self.steps(axes[1:], terms, **{**here, "simple": True})
        if kind == "tiles":
            count, width = self.factors(axes[0])
            self.lines.append(f"{word}tiles {count} of {width} inside {self.draw.randint(0, lanes)}")
            return self.steps(axes[1:], terms, **{**here, "lanes": lanes + 1})
        if kind == "split":
            first = self.draw.randint(0, axes[0])
            return self.parts(f"split {first} + {axes[0] - first}", lambda: self.steps([first, *axes[1:]], terms, **here),
                              lambda: self.steps([axes[0] - first, *axes[1:]], terms, **here))
        if kind == "blocks":
            count, width = self.factors(axes[0])
            self.lines.append(f"blocks {count} of {width}")
            return self.steps([count, width, *axes[1:]], terms, **here)
        if kind == "merge":
            self.lines.append(f"merge {axes[0]} of {axes[1]}")
            return self.steps([axes[0] * axes[1], *axes[2:]], terms, **here)
        if kind in ("move", "over"):
            at = self.draw.randrange(len(axes))
            if kind == "move":
                self.lines.append(f"move {at}")
                return self.steps([axes[at], *axes[:at], *axes[at + 1:]], terms, **here)
            width = axes[at] + self.draw.randint(0, 5)
            self.lines.append(f"over {at} to {width}")
            return self.steps([*axes[:at], width, *axes[at + 1:]], terms, **here)
        if kind == "under":
            more = self.draw.randint(0, 5)
            self.lines.append(f"under {more}")
            return self.steps([axes[0] + more, *axes[1:]], terms, **here)
        if kind == "copy":
            over = list(range(1 + len(axes)))
            self.draw.shuffle(over)
            self.lines.append(f"copy B over {' '.join(map(str, over))}")
            return self.steps(axes, terms, **{**here, "copied": True})
        if kind == "cut":
            count, width = self.factors(terms)
            self.lines.append(f"cut {count} of {width}")
            return self.steps(axes, width, **{**here, "whole": False, "simple": True, "ends": False})
        first = self.draw.randint(1, terms - 1)
        return self.parts(f"then {first} + {terms - first}",
                          lambda: self.steps(axes, first, **{**here, "whole": False, "simple": whole or simple, "ends": False}),
                          lambda: self.steps(axes, terms - first, **{**here, "whole": False, "simple": False}))


def read_back(place):
    for shipped, words in SHIPPED:
        source = next((root / "kernels").rglob(shipped))
        path = place / shipped
        shutil.copy(source, path)
        plan = ["--plan"] if words else []
        check.that(vouch("compile", path, *plan, *words, "-o", place / "planner")[0] == 0, f"{shipped}: by the planner")
        code, out, err = vouch("schedule", path, *words)
        check.that(code == 0 and out.startswith(f"schedule {path.stem}\n"), f"schedule {shipped}: exit {code}, {err[:300]}")
        path.with_suffix(".sched").write_text(out)
        check.that(vouch("schedule", path, *words)[1] == out, f"{shipped}: another schedule than lies beside it")
        path.with_suffix(".sched").write_text(f"schedule {path.stem}\nplain\n")
        check.that("\ntile" not in vouch("schedule", path, *words)[1], f"{shipped}: not what lies beside it")
        check.that(vouch("schedule", path, *words, "--planner")[1] == out, f"{shipped}: not the planner's")
        path.with_suffix(".sched").write_text(out)
        check.that(vouch("compile", path, *plan, *words, "-o", place / "read")[0] == 0, f"{shipped}: by its schedule")
        for ending in (".c", ".v", ".h"):
            file = path.stem + ending
            check.that((place / "planner" / file).read_bytes() == (place / "read" / file).read_bytes(), f"{file} differs by its own schedule")


def explained(place):
    """The last program is what C is made of."""
    check.that(compiled(place, "hand", PRODUCT, BY_HAND), "the schedule by hand")
    code, out, err = vouch("schedule", place / "hand.tk", "--explain")
    programs = re.split(r"^# .*\n", out, flags=re.MULTILINE)[1:]
    check.that(code == 0 and len(programs) == 12, f"--explain: exit {code}, {len(programs)} programs, {err[:300]}")
    check.that(programs[-1] == (place / "hand" / "hand.fun").read_text(), "--explain ends with another program")
    check.that(len({p.strip() for p in programs}) >= 8, "--explain: steps that do nothing")


def other_target(certified, place):
    """Tiles for smaller registers, and the same bits."""
    rows, terms, columns = 61, 47, 70
    path = write(place, "target", f"kernel {{0}}; in A, B; out C; C<{rows}, {columns}>[i, j] = A<{rows}, {terms}>[i, k] * B<{terms}, {columns}>[k, j];")
    outs = []
    for target, tile in (("avx512", "elements 6 x 64,"), ("avx2", "elements 4 x 16,")):
        path.with_suffix(".sched").unlink(missing_ok=True)
        code, text, err = vouch("schedule", path, "--target", target)
        check.that(code == 0 and tile in text, f"--target {target}: exit {code}, no tile of {tile} {err[:300]}{text}")
        path.with_suffix(".sched").write_text(text)
        check.that(vouch("compile", path, "-o", place / target)[0] == 0, f"--target {target} is not compiled")
        library = certified.built("gcc", place / target / "target.c", place / target)
        a, b = ((ctypes.c_float * n)(*(single(k * k % 97 / 31) for k in range(n))) for n in (rows * terms, terms * columns))
        outs.append((ctypes.c_float * (rows * columns))())
        check.that(ctypes.CDLL(library).target_checked(a, b, outs[-1]) == 0, f"--target {target}: a code other than 0")
    check.that(bytes(outs[0]) == bytes(outs[1]) and any(outs[0]), "targets differ in bits")
    check.that(vouch("schedule", path, "--target", "avx3")[0] == 64, "a target that is none")


def fused(place):
    """The schedule of `compile --fma`: seven rows of 64 where 28 then leave no low tile; what that refuses has none."""
    path = write(place, "rows", "kernel {0}; in A, B; out C; C<28, 64>[i, j] = A<28, 60>[i, k] * B<60, 64>[k, j];")
    check.that("elements 6 x 64," in vouch("schedule", path, "--target", "avx512")[1], "28 rows: not six in a tile")
    code, text, err = vouch("schedule", path, "--fma", "--target", "avx512")
    check.that(code == 0 and "elements 7 x 64," in text and "6 x 64" not in text, f"--fma: exit {code}, {err[:300]}{text}")
    check.that(vouch("compile", path, "--fma", "--target", "avx512", "-o", place / "by_planner")[0] == 0, "--fma by the planner")
    path.with_suffix(".sched").write_text(text)
    check.that(vouch("compile", path, "--fma", "-o", place / "by_schedule")[0] == 0, "--fma by its schedule")
    for file in ("rows.c", "rows.v", "rows.h"):
        check.that((place / "by_planner" / file).read_bytes() == (place / "by_schedule" / file).read_bytes(), f"{file}: differs by its own schedule")
    whole = write(place, "whole", "kernel {0}; in A, B; out C; type int; C<8>[i] = A<8, 9>[i, k] * B<9>[k];")
    for refused, words in ((whole, "computed in integers"), (next((root / "kernels").rglob("dot.fun")), "a functional program")):
        code, out, err = vouch("schedule", refused, "--fma")
        check.that(code == 3 and not out and words in err, f"--fma of {refused.name}: exit {code}, {err[:300]}")


def refusals(place):
    for steps, line, column, words in REFUSED:
        path = write(place, "product", PRODUCT, f"schedule product\n{steps}\n")
        code, _, err = vouch("compile", path, "-o", place / "refused")
        said = f"product.sched:{line}:{column}: error: " in err and words in err
        check.that(code == 3 and said and not (place / "refused").exists(), f"'{steps}': exit {code}, {err[:300]}")
    path.with_suffix(".sched").write_bytes(b"schedule product # \xff\nplain\n")
    code, _, err = vouch("compile", path, "-o", place / "refused")
    check.that(code == 3 and "UTF-8" in err, f"bytes: exit {code}, {err[:300]}")
    named = write(place, "named", PRODUCT.replace(f"{ROWS}", "n"), "schedule named\nblocks 3 of 4\ntile\n")
    code, _, err = vouch("compile", named, "-o", place / "refused")
    check.that(code == 3 and "--size" in err, f"a size with a name: exit {code}, {err[:300]}")
    named.with_suffix(".sched").write_text("schedule named\nparallel each n\neach 20\ntile\n")
    check.that(vouch("compile", named, "-o", place / "named")[0] == 0, "an axis with a name, position by position")
    named.with_suffix(".sched").write_text("schedule named\nmerge n of 20\nparallel each n * 20\ntile\n")
    code, _, err = vouch("compile", named, "-o", place / "named_both")
    check.that(code == 0, f"two axes as one, the first with a name: exit {code}, {err[:300]}")


def mutated(place):
    draw = random.Random(20)
    taken = 0
    for _ in range(40):
        words = re.split(r"(\s+)", BY_HAND)
        at = draw.randrange(2, len(words) - 2)
        words[at] = draw.choice([str(draw.randrange(25)), draw.choice(words), "", "\n"])
        path = write(place, "hand", PRODUCT, "".join(words))
        code, _, err = vouch("compile", path, "-o", place / "mutated")
        taken += code == 0
        check.that(code == 0 or (code == 3 and re.search(r"^\S+\.sched(:\d+:\d+)?: error: ", err)), f"exit {code}, {err[:300]}\n{''.join(words)}")
    check.that(0 < taken < 40, f"{taken} of 40 texts are taken")


def lies(place):
    for what, file, change in [
        ("another schedule", "hand.sched", lambda text: text.replace("cut 3 of 4", "cut 4 of 3")),
        ("another order of a copy", "hand.sched", lambda text: text.replace("blocks 3 of 6", "blocks 6 of 3").replace("parallel each 3", "parallel each 6")),
        ("a copy's plan with other blocks", "hand.v", lambda text: text.replace("(PBlocks (SConst 3) 6", "(PBlocks (SConst 6) 3")),
        ("a plan that begins later", "hand.v", lambda text: text.replace("PUnder 2", "PUnder 1")),
        ("a recipe of another schedule", "manifest.json", lambda text: text.replace("cut 3 of 4", "cut 4 of 3")),
        ("a recipe of a schedule that fits nothing", "manifest.json", lambda text: text.replace("cut 3 of 4", "cut 3 of 5")),
        ("a recipe whose schedule is a number", "manifest.json", lambda text: re.sub(r'"schedule": "[^"]*"', '"schedule": 3', text)),
        ("a recipe without a schedule", "manifest.json", lambda text: re.sub(r',\s*"schedule": "[^"]*"', "", text)),
    ]:
        copy = place / "lie"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(place / "hand", copy)
        honest = (copy / file).read_text()
        check.that(change(honest) != honest, f"no place for the lie '{what}'")
        (copy / file).write_text(change(honest))
        code, out, err = vouch("verify", copy, limited=False)
        check.that(code in (1, 3), f"the lie '{what}': exit {code}, {(out + err)[:300]}")


def main():
    place = pathlib.Path(tempfile.mkdtemp())
    certified = Certified(vouch, check)
    read_back(place)
    explained(place)
    other_target(certified, place)
    computes(certified, place, "hand", False)
    check.that(json.loads((place / "hand" / "manifest.json").read_text())["kernels"]["hand"]["recipe"]["schedule"] == BY_HAND, "the recipe")
    fused(place)
    refusals(place)
    mutated(place)
    compiled(place, "hand", PRODUCT, BY_HAND)
    kinds, names = set(), []
    for seed in range(int(sys.argv[3]) if len(sys.argv) > 3 else 12):
        drawn = Drawn(seed, seed % 4 == 3)
        kinds |= drawn.kinds
        name = f"drawn{seed}"
        if compiled(place, name, FINISHED if seed % 4 == 3 else PRODUCT, f"schedule {name}\n" + "\n".join(drawn.lines) + "\n"):
            names.append(name)
            computes(certified, place, name, seed % 4 == 3)
    check.that(len(kinds) == 12, f"only {kinds} are drawn")
    if certified.coq:
        lies(place)
        certified.verified(place / "hand", *[place / name for name in (names if len(sys.argv) > 3 else names[:3])])
    shutil.rmtree(place)
    check.end()


main()
