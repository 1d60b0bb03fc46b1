"""Each variant after `≈` in kernels/README.md has its theorem in coq/schedule/Variants.v, and the terms that it speaks of are those of
the shipped kernels, as their certificates have them."""
import pathlib
import re
import sys
import tempfile

from command import Checks, Vouch

vouch = Vouch(sys.argv[1])
root = pathlib.Path(sys.argv[2])
checks = Checks()
proofs = (root / "coq" / "schedule" / "Variants.v").read_text()
defined = dict(re.findall(r"Definition (\w+) : exp :=\s*(.*?)\.\n\n", proofs, re.S))
theorems = dict(re.findall(r"Theorem (\w+) (.*?)Proof", proofs, re.S))
pairs = [(folder, plain, variant) for folder, plain, variants in
         re.findall(r"^\| (\w+) \| `(\w+)` \| ≈ ((?:`\w+` ?)+)\|", (root / "kernels" / "README.md").read_text(), re.M)
         for variant in re.findall(r"`(\w+)`", variants)]
checks.that(len(pairs) >= 11, f"the table of kernels: {pairs}")


def words(term):
    """A term as a list of words, without the parentheses around it."""
    out = re.findall(r"[()]|[^\s()]+", term)
    return out[1:-1] if out[:1] == ["("] else out


with tempfile.TemporaryDirectory() as folder:
    names = sorted({(place, name) for place, *both in pairs for name in both} | {("network", "dense"), ("network", "dense_tiled")})
    code, out, err = vouch("compile", *[root / "kernels" / place / f"{name}.fun" for place, name in names], "-o", folder, limited=False)
    checks.that(code == 0, f"the kernels compile: {err}")
    for place, name in names:
        text = (pathlib.Path(folder) / f"{name}.v").read_text()
        shipped = re.search(r"kernel_term :=(.*?)\|\}\.", text, re.S).group(1)
        checks.that(words(shipped) == words("(" + defined.get(name, "") + ")"), f"{name}: Variants.v has another term")
for place, plain, variant in pairs:
    stated = theorems.get(f"{plain}_{variant}", "")
    speaks = re.findall(rf"\b({plain}|{variant})\b \[", stated)
    checks.that(speaks == [plain, variant], f"no theorem relates {plain} and {variant}: {stated}")
    checks.that("value_of" in stated and stated.count(" =") == 1, f"{plain} and {variant} are not said to be equal: {stated}")
checks.end()
