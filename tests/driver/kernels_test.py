#!/usr/bin/env python3
"""`vouch compile` on what is wrong, and where it is interrupted: the reason and the place, an exit code, and never a C file
without its certificate."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from command import Checks, Vouch

GOOD = "kernel good(sizes n; xs: num[n]) -> ys: num[n] = map par x in xs { 2 * x }\n"

# What is wrong, the text, the place, a part of the message.
WRONG = [
    ("no text", "", "1:1", "kernel"),
    ("an unknown name", "kernel k(sizes n; xs: num[n]) -> y: num[n] = xz", "1:46", "did you mean 'xs'?"),
    ("lengths that differ", "kernel k(sizes n, m; xs: num[n], ys: num[m]) -> y: (num, num)[n] =\n  zip(xs, ys)", "2:3",
     "zip needs two arrays of the same length, not num[n] and num[m]"),
    ("an output of another size", "kernel k(sizes n; xs: num[n]) -> y: num[n + 1] =\n  map x in xs { x }", "2:3",
     "the kernel gives num[n], its output is num[n + 1]"),
    ("a number for an array", "kernel k(x: num) -> y: num =\n  reduce a in x with s = 0 { s + a }", "2:15", "needs an array, not num"),
    ("a step of another type", "kernel k(sizes n; xs: num[n]) -> y: num =\n  reduce x in xs with s = 0 { xs }", "2:", "num[n]"),
    ("a split that does not fit", "kernel k(sizes n, m; xs: num[n]) -> y: num[m, 4] =\n  xs.split(4, m)", "2:", "split(4, m) takes 4 * m elements"),
    ("an index that may be outside", "kernel k(sizes n; xs: num[n]) -> y: num = xs[n]", "1:4", "cannot be proven to be in 0 <= … < n"),
    ("a size below zero", "kernel k(sizes n; xs: num[n - 1]) -> y: num = 0", "1:", ""),
    ("a name that C has taken", "kernel k(sizes n; double: num[n]) -> y: num = 0", "1:19", "double"),
    ("a constant that no float is", "kernel k() -> y: num = 1e99", "1:24", ""),
    ("an operation that is none", "kernel k(x: num) -> y: num = sqrtt(x)", "1:30", "did you mean 'sqrt'?"),
    ("a strategy that is none", "kernel k(sizes n; xs: num[n]) -> y: num[n] = map parallel x in xs { x }", "1:", ""),
    ("text behind the kernel", GOOD + "nonsense", "2:1", ""),
    ("bytes that are no text", "kernel \x00\x01", "1:", ""),
    ("brackets without end", "kernel k(x: num) -> y: num = " + "(" * 100_000, "1:", ""),
]


class Test(Checks):
    def __init__(self, vouch, root):
        super().__init__()
        self.vouch = vouch
        self.root = pathlib.Path(root)
        self.made = 0

    def folder(self):
        self.made += 1
        folder = self.root / str(self.made)
        folder.mkdir()
        return folder

    def file(self, text, name="k.fun"):
        path = self.folder() / name
        path.write_text(text)
        return path

    def complete(self, folder, what):
        """Every C file has its certificate, which speaks of this very text, and stands in the manifest."""
        manifest = folder / "manifest.json"
        known = json.loads(manifest.read_text())["kernels"] if manifest.exists() else {}
        for c in folder.glob("*.c"):
            certificate = c.with_suffix(".v")
            text = c.read_text().replace('"', '""')
            said = certificate.read_text().replace('"%text ++ the_text\n"', "") if certificate.exists() else ""  # a long text is of parts
            self.that(text in said, f"{what}: {c.name} has a certificate of its text")
            self.that(c.stem in known, f"{what}: {c.name} stands in the manifest")


def wrong_kernels(test):
    for what, text, place, words in WRONG:
        path = test.file(text)
        out = test.folder()
        code, _, said = test.vouch("compile", path, "-o", out)
        test.that(code == 3, f"{what}: exit {code}, not 3")
        test.that(f"{path}:{place}" in said and "error: " in said and words in said, f"{what}: {said[:300]}")
        test.that(not list(out.iterdir()), f"{what}: nothing is written")


def numbers_beyond_64_bits(test):
    """A number of 2^63 or more would be none of C's; just below it there is a certificate."""
    for what, text, words in [
        ("a constant of 19 digits", "kernel k(xs: num[9223372036854775808]) -> y: num = 0", "at most 18 digits"),
        ("an output of 2^64 cells", "kernel k(x: num) -> ys: num[4294967296, 4294967296] = generate i < 4294967296 { generate j < 4294967296 { x } }", "stop before 2^63"),
        ("rows of 2^63 cells", "kernel k(sizes n; xs: num[n, 2147483648, 4294967296]) -> y: num = 0", "stop before 2^63"),
    ]:
        out = test.folder()
        code, _, said = test.vouch("compile", test.file(text), "-o", out)
        test.that(code == 3 and words in said and "k.fun" in said, f"{what}: exit {code}, {said}")
        test.that(not list(out.iterdir()), f"{what}: nothing is written")
    out = test.folder()
    code, _, said = test.vouch("compile", test.file("kernel k(sizes n; xs: num[n, 2147483648, 4294967295]) -> y: num = 0"), "-o", out)
    test.that(code == 0 and (out / "k.c").exists(), f"2^63 - 2^31 cells: exit {code}, {said}")


def wrong_files(test):
    good = test.file(GOOD, "good.fun")
    for what, arguments, exit_code, words in [
        ("a file that is not there", [test.root / "none.fun", "-o", test.folder()], 3, "none.fun"),
        ("a folder without kernels", [test.folder(), "-o", test.folder()], 3, "there are no .fun or .tk files here"),
        ("an output folder that is a file", [good, "-o", good], 64, "good.fun' is the name of a file, and a folder is expected here"),
        ("a manifest that is none", [good, "-o", test.file("{", "manifest.json").parent], 3, "this is no manifest of kernels"),
    ]:
        code, _, said = test.vouch("compile", *arguments)
        test.that(code == exit_code and words in said, f"{what}: exit {code}, {said}")
    twice = test.folder()
    for name in ("a.fun", "b.fun"):
        (twice / name).write_text(GOOD)
    out = test.folder()
    code, _, said = test.vouch("compile", twice, "-o", out)
    test.that(code == 3 and "b.fun" in said and "has the kernel 'good' too" in said, f"one name twice: {said}")
    test.complete(out, "one name twice")
    for arguments in (["compile"], ["compile", good], ["compile", good, "-o", out, "--derivatoin"]):
        code, _, _ = test.vouch(*arguments)
        test.that(code == 64, f"{arguments}: exit {code}, not 64")


def files_that_may_be_one(test):
    """To some disks `Norm.c` is `norm.c`; and what one kernel writes besides may be called as another's certificate."""
    good, tiny = test.file(GOOD), test.file("kernel Good;\nA<4>[i] = B<4>[i];\n", "tiny.tk")
    besides = test.file("kernel good_derivation;\nA<4>[i] = B<4>[i];\n", "besides.tk")
    for what, first, then, words in [
        ("large and small letters", [good], [tiny], ("'Good.c' of kernel 'Good'", "'good.c' of kernel 'good'")),
        ("a derivation, and a certificate", [good, "--derivation"], [besides], ("'good_derivation.v' of kernel 'good'", "of kernel 'good_derivation'")),
        ("a certificate, and a derivation", [besides], [good, "--derivation"], ("'good_derivation.v' of kernel 'good'", "of kernel 'good_derivation'")),
    ]:
        out, together = test.folder(), test.folder()
        test.that(test.vouch("compile", *first, "-o", out)[0] == 0, what)
        before = {file: file.read_bytes() for file in out.iterdir()}
        for arguments in ([*then, "-o", out], [first[0], then[0], *first[1:], *then[1:], "-o", together]):
            code, _, said = test.vouch("compile", *arguments)
            test.that(code == 3 and "may be one file" in said and all(word in said for word in words), f"{what}: exit {code}, {said}")
        test.that({file: file.read_bytes() for file in out.iterdir()} == before and not list(together.iterdir()), f"{what}: something was written")
    out = test.folder()
    test.that(test.vouch("compile", besides, good, "-o", out)[0] == 0 and (out / "good_derivation.v").exists(), "no derivation, no clash")
    test.that(test.vouch("compile", good, "-o", out)[0] == 0 and (out / "good_derivation.v").exists(), "what is another's is not removed")
    test.complete(out, "no derivation")


def unwritable_folders(test):
    good = test.file(GOOD, "good.fun")
    out = test.folder()
    (out / "good.c").mkdir()
    (out / "good.c" / "x").write_text("")
    code, _, said = test.vouch("compile", good, "-o", out)
    test.that(code == 3 and "good.c" in said, f"a folder in the way: exit {code}, {said}")
    if os.geteuid() == 0:
        print("not run: a folder without permission, since root may write everywhere")
        return
    locked = test.folder()
    locked.chmod(0o500)
    code, _, said = test.vouch("compile", good, "-o", locked)
    test.that(code == 3 and "cannot be written" in said, f"a folder without permission: exit {code}, {said}")


def one_bad_among_good(test):
    """Good kernels are compiled; the bad one keeps what it had."""
    kernels = test.folder()
    (kernels / "good.fun").write_text(GOOD)
    (kernels / "other.fun").write_text(GOOD.replace("good", "other"))
    out = test.folder()
    test.that(test.vouch("compile", kernels, "-o", out)[0] == 0, "two good kernels")
    before = (out / "other.c").read_text()
    (kernels / "good.fun").write_text(GOOD.replace("2 *", "3 *"))
    (kernels / "other.fun").write_text("kernel other() -> y: num = oops")
    code, _, said = test.vouch("compile", kernels, "-o", out)
    test.that(code == 3 and "other.fun:1:" in said, f"a bad kernel among good ones: {said}")
    test.that("3.0f" in (out / "good.c").read_text() and (out / "other.c").read_text() == before, "only the good one is new")
    test.complete(out, "one bad among good")


def killed(test, kernels):
    """Killed at any moment, over an older version of everything."""
    chance = random.Random(5)
    out = test.folder()
    begin = time.monotonic()
    test.that(test.vouch("compile", kernels, "-o", out)[0] == 0, "all shipped kernels compile")
    whole = time.monotonic() - begin
    changed = test.folder()
    for file in kernels.rglob("*.fun"):
        (changed / file.name).write_text(file.read_text().replace(" + ", " - "))
    for _ in range(20):
        process = subprocess.Popen([test.vouch.program, "compile", changed if chance.random() < 0.5 else kernels, "-o", out],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * whole)
        process.send_signal(signal.SIGKILL)
        process.wait()
        test.complete(out, "killed")


def main():
    kernels = pathlib.Path(sys.argv[2]) / "kernels"
    with tempfile.TemporaryDirectory() as root:
        test = Test(Vouch(sys.argv[1]), root)
        wrong_kernels(test)
        numbers_beyond_64_bits(test)
        wrong_files(test)
        files_that_may_be_one(test)
        unwritable_folders(test)
        one_bad_among_good(test)
        killed(test, kernels)
    test.end()


main()
