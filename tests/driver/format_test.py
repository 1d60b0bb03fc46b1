"""The formatter: on every file that is there and on any text it sets blanks at the ends of lines and empty lines, nothing else; what it has
formatted it leaves alone. Neither language has a text that goes over several lines, so that a program stays the program it was."""
import pathlib
import random
import subprocess
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()


def lines(text):
    return [line.strip(" \t\r") for line in text.split("\n") if line.strip(" \t\r")]


with tempfile.TemporaryDirectory() as folder:
    files = [path for room in ("rules", "kernels", "tests", "docs") for ending in ("gsl", "fun", "tk") for path in sorted((root / room).rglob(f"*.{ending}"))]
    checks.that(len(files) > 150, f"{len(files)} files")
    code, out, errors = vouch("fmt", "--check", *(path for path in files if path.suffix == ".gsl" and path.is_relative_to(root / "rules")))
    checks.that(code == 0, f"shipped rules are formatted: {out}{errors}")
    copies = [pathlib.Path(folder) / f"{at}_{path.name}" for at, path in enumerate(files)]
    for path, copy in zip(files, copies):
        copy.write_text(path.read_text())
    code, _, errors = vouch("fmt", *copies)
    once = [copy.read_text() for copy in copies]
    checks.that(code == 0, f"fmt: {errors}")
    for path, text in zip(files, once):
        checks.that(lines(text) == lines(path.read_text()), f"fmt {path.name} changes lines")
    vouch("fmt", *copies)
    for path, copy, text in zip(files, copies, once):
        checks.that(copy.read_text() == text, f"fmt {path.name} twice")
    code, out, _ = vouch("fmt", "--check", *copies)
    checks.that(code == 0, f"fmt --check of what is formatted: {out}")
    messy = pathlib.Path(folder) / "messy.gsl"
    messy.write_text("\n\nrule r {\nlet x = *;\t\n\n\n\n  source Relu(Relu(x));\n      target Relu(x);\n}\n\n")
    checks.that(vouch("fmt", "--check", messy)[0] == 1, "fmt --check of a messy file")
    vouch("fmt", messy)
    checks.that(messy.read_text() == "rule r {\n  let x = *;\n\n  source Relu(Relu(x));\n  target Relu(x);\n}\n", f"{messy.read_text()!r}")
    # Comments are alike in the three languages: a bracket in one opens nothing.
    for name, text in (("c.gsl", "# {\nrule r {  # {\n  let x = *;\n  source Relu(Relu(x));\n  target Relu(x);\n}\n"), ("c.tk", "# {\nY<2>[i] = A<2>[i];  # {\n"),
                       ("c.fun", "# {\nkernel c(x: num[4]) -> y: num[4] = map a in x { -a }  # {\n")):
        path = pathlib.Path(folder) / name
        path.write_text(text)
        code, _, errors = vouch("fmt", "--check", path)
        checks.that(code == 0, f"{name}: comments move nothing: {code} {errors}")
        code, out, errors = vouch("check", path) if name.endswith("gsl") else vouch("compile", path, "-o", pathlib.Path(folder) / "c")
        checks.that(code == 0, f"{name}: {code} {out} {errors}")
    # A bracket or a comment's sign within quotes is neither, and a quote behind a backslash ends nothing; one behind two does.
    for text in ('rule a "{ ( [" {\n  let x = *;\n}\n', 'rule a "\\\\" {  # {\n  let x = *;\n}\n', 'rule a "\\" {" {\n  let x = *;\n}\n', 'rule a "# }" {\n  let x = *;\n}\n',
                 'rule a "\\\\\\"{\\\\" {\n  let x = *;\n}\n', 'rule a "// " {\n  let x = *;\n}\n'):
        done = subprocess.run([sys.argv[1], "fmt", "-"], input=text, capture_output=True, text=True)
        checks.that(done.returncode == 0 and done.stdout == text, f"{text!r} becomes {done.stdout!r}")

    # Any layout of a file is formatted as the file is; any lines at all stay what they are, in order, and a second time changes nothing.
    draw = random.Random(11)
    texts = [path.read_text() for path in files]
    odd = ["}", "{", ")", "((", 'rule "', '\\"', "#", "// x", "/", "é𝄞\u200b", "\x00\x01", "]};", '"\\', "=", "x" * 300]

    def formatted(text, ending):
        path = pathlib.Path(folder) / f"any{ending}"
        path.write_bytes(text.encode())
        code, _, errors = vouch("fmt", path)
        checks.that(code == 0, f"{errors}")
        return path.read_bytes().decode()

    def laid_out(text):
        return "".join(draw.choice(["", " ", "\t", "      "]) + line.strip(" \t\r") + draw.choice(["", " ", "\t ", "\r"]) + "\n" for line in text.split("\n"))

    for path, text in draw.sample(list(zip(files, texts)), 20):
        checks.that(formatted(laid_out(text), path.suffix) == formatted(text, path.suffix), f"another layout of {path.name}")
    pool = [line for text in texts for line in text.split("\n")] + odd * 200
    for _ in range(50):
        ending = draw.choice([".gsl", ".tk", ".fun"])
        text = laid_out("\n".join(draw.choice(pool) for _ in range(draw.randint(0, 40))))
        once = formatted(text, ending)
        checks.that(lines(once) == lines(text) and formatted(once, ending) == once, f"{ending}: {text!r}")

    # And what it means is the same: the C text of kernels, the verdicts of rules.
    for path in (root / "kernels" / "index" / "conv_tiled.tk", root / "kernels" / "matrix" / "matmul_tiled.fun"):
        folders = []
        for name, text in (("as_is", path.read_text()), ("again", formatted(laid_out(path.read_text()), path.suffix))):
            folders.append(pathlib.Path(folder) / name)
            folders[-1].mkdir(exist_ok=True)
            (folders[-1] / path.name).write_text(text)
            code, _, errors = vouch("compile", folders[-1] / path.name, "-o", folders[-1], limited=False)
            checks.that(code == 0, f"{path.name}: {errors}")
        checks.that((folders[0] / f"{path.stem}.c").read_text() == (folders[1] / f"{path.stem}.c").read_text(), f"{path.name}: another C text")
checks.end()
