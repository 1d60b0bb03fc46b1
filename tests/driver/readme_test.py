"""The README's first example is what the command prints, line by line; its repaired form is proven."""
import pathlib
import re
import shlex
import sys

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
shown = re.findall(r"^    \$ build/release/vouch (check .*)\n((?:    .+\n)*)", (root / "README.md").read_text(), re.M)
checks.that(len(shown) == 2, f"the README has {len(shown)} examples of check")


def run(words):
    command, rules, *rest = shlex.split(words)
    return vouch(command, root / rules, *rest)


def spaced(line):
    return " ".join(line.split())


(refuted, lines), (proven, _) = shown
code, out, errors = run(refuted)
printed = [spaced(re.sub(r"\d+ ms", "", line)) for line in out.splitlines()]
checks.that(code == 1, f"exit {code}: {errors}")
for line in lines.splitlines():
    if line.strip() != "…":
        checks.that(spaced(line) in printed, f"not printed: {line.strip()}")
code, out, errors = run(proven)
checks.that(code == 0 and "sound (" in out, f"exit {code}: {out}{errors}")
checks.end()
