"""`vouch optimize --prove-result` on the shared models: what was written is equal to what was read, by a proof that `verify` goes through
again; a replay of the trace writes the same bytes, and `vouch equiv` says the same of them. Three judges of one result: they must agree.

    equiv_results_test.py VOUCH ROOT        those that take seconds together
    equiv_results_test.py VOUCH ROOT all"""
import json
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
models = root.parent / "shared" / "data" / "models"
if not models.is_dir():
    print(f"not run: the models are not there, expected in {models}")
    sys.exit(SKIPPED)
SLOW = {"inception_v1_light", "ppocr_cls", "shufflenet", "tinyvit"}
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())


def verdict_in(text):
    return next((line for line in text.splitlines() if line.startswith(("equal (", "different", "open"))), "none")


def judged(path):
    name, folder = path.parent.name, place / path.parent.name
    folder.mkdir()
    trace, first, second = folder / "trace.json", folder / "optimised.onnx", folder / "replayed.onnx"
    code, out, errors = vouch("optimize", path, "--rules", root / "rules", "--trace", trace, "-o", first, "--prove-result", limited=False, seconds=600)
    proven = verdict_in(out)
    fired = sum("rule" in step for step in json.loads(trace.read_text())["steps"])
    checks.that(code == 0 and proven.startswith("equal ("), f"{name}: --prove-result: {code} {proven} {errors[-500:]}")
    code, out, errors = vouch("optimize", path, "--rules", root / "rules", "--replay", trace, "-o", second, limited=False, seconds=600)
    checks.that(code == 0 and first.read_bytes() == second.read_bytes(), f"{name}: the replay writes other bytes: {code} {errors[-500:]}")
    (folder / "original.onnx").write_bytes(path.read_bytes())
    code, out, errors = vouch("equiv", folder / "original.onnx", second, "--trace", folder / "proof.equalities.json", limited=False, seconds=600)
    checks.that(code == 0 and verdict_in(out) == proven, f"{name}: equiv says {verdict_in(out)}, --prove-result said {proven}: {errors[-500:]}")
    first.unlink()  # `verify` asks for the proof of every file
    trace.unlink()
    code, out, errors = vouch("verify", folder, limited=False, seconds=600)
    checks.that(code == 0, f"{name}: verify: {code} {out[-500:]}{errors[-500:]}")
    print(f"{name}: {fired} rewrites, {proven}", flush=True)
    return fired


chosen = [path for path in sorted(models.glob("*/model.onnx")) if "all" in sys.argv[3:] or path.parent.name not in SLOW]
print(f"{len(chosen)} models" + ("" if "all" in sys.argv[3:] else f"; left to the long run: {', '.join(sorted(SLOW))}"))
checks.that(len(chosen) >= 8 and sum(judged(path) for path in chosen) >= 10, "models in which rules fire")
checks.end()
