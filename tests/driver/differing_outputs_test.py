"""`optimize --io` compares what the model computes before and after; where that differs, it writes nothing and exits with 1."""
import pathlib
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
mnist = root / "tests" / "models" / "mnist"
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())


def optimized(name, rule):
    path = folder / f"{name}.gsl"
    path.write_text(rule)
    written = {option: folder / f"{name}{ending}" for option, ending in (("-o", ".onnx"), ("--trace", ".trace"), ("--report", ".html"))}
    options = [part for pair in written.items() for part in pair]
    code, out, errors = vouch("optimize", mnist / "model.onnx", "--rules", path, "--allow-unproven", "--io", mnist / "io", *options)
    return code, out, errors, [file.name for file in written.values() if file.exists()]


code, out, errors, files = optimized("wrong", "rule wrong { let x = *; source Relu(x); target Abs(x); }")
checks.that(code == 1 and "DIFFERS" in out and "nothing is written" in errors, f"exit {code}: {out[-300:]}{errors}")
checks.that(files == [], f"written, though the outputs differ: {files}")
code, out, errors, files = optimized("right", "rule right { let x = *; source Relu(x); target Max((x, x - x)); }")
checks.that(code == 0 and len(files) == 3, f"exit {code}, written {files}: {errors}")

checks.end()
