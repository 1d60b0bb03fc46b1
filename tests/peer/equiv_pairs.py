"""`vouch equiv` on the shared models and what optimisers make of them: ONNX Runtime's basic and extended levels (in FOLDER, as
pairs.mjs writes them) and `vouch optimize`. At least 95 % of the pairs are proven equal, the rest is open at named regions, and
none is different: what ONNX Runtime rounds elsewhere is the same function.

    equiv_pairs.py VOUCH ROOT FOLDER [NAME...]

Without the two levels in FOLDER, the pairs that `vouch optimize` makes are judged alone."""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

vouch, root, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
models = root / ".." / "shared" / "data" / "models"
if not models.is_dir():
    print(f"not run: the models are not there, expected in {models}")
    sys.exit(77)
scratch = pathlib.Path(tempfile.mkdtemp())


def pairs():
    for model in sorted(models.glob("*/model.onnx")):
        name = model.parent.name
        if sys.argv[4:] and name not in sys.argv[4:]:
            continue
        for level in ("basic", "extended"):
            other = folder / f"{name}.{level}.onnx"
            if other.exists():
                yield f"{name}.{level}", model, other
        other = scratch / f"{name}.vouch.onnx"
        subprocess.run([vouch, "optimize", model, "--rules", root / "rules", "-o", other], check=True, capture_output=True)
        yield f"{name}.vouch", model, other


def judge(model, other):
    report = scratch / "report.json"
    report.unlink(missing_ok=True)
    start = time.monotonic()
    done = subprocess.run([vouch, "equiv", model, other, "--json", report], capture_output=True, text=True, timeout=600)
    seconds = time.monotonic() - start
    found = json.loads(report.read_text()) if report.exists() else {"verdict": f"exit {done.returncode}: {done.stderr[-300:]}"}
    return found, seconds


equal = total = failed = 0
beyond = []
for name, model, other in pairs():
    found, seconds = judge(model, other)
    verdict = found["verdict"]
    total += 1
    beyond.append(seconds - found.get("simulation_seconds", 0))
    print(f"{name:32} {verdict:60} {seconds:6.1f} s, {beyond[-1]:5.1f} s of it beyond running the models")
    if verdict.startswith("equal"):
        equal += 1
    elif verdict == "open" and found["open"]:
        for region in found["open"][:8]:
            print(f"    open: {region['second']} | {region['first']}: {region['reason'][:150]}")
    else:
        failed += 1
        print(f"    WRONG: {json.dumps(found.get('difference', ''))} {found.get('first_differing')}")
print(f"{total} pairs: {equal} equal, {total - equal - failed} open, {failed} wrong; beyond running the models: "
      f"median {statistics.median(beyond):.2f} s, largest {max(beyond):.1f} s")
sys.exit(1 if failed or equal < 0.95 * total else 0)
