"""Faults of twenty kinds planted in the twelve shared models, each in a random place: none is called equal, each is `different` with an
input on which the models do differ, and the first tensor is named.

What is planted may be no fault (an axis of size 1 that is kept or not, a shift that the normalisation after it takes away). It is left out
where the models are proven equal *and* are so when run on their own inputs and on random ones, by that alone, and counted: bit for bit
if they are called exact, else but for rounding. One that is called
equal and shows fails, and so does one that stays open. The input that a verdict comes with is judged by ONNX Runtime where it is
there, else by `vouch run`; which of the two is said.

    equiv_faults_test.py VOUCH ROOT        one fault in each model
    equiv_faults_test.py VOUCH ROOT all    200 faults, with times"""
import collections
import json
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import time

from command import SKIPPED, Checks, Vouch

try:
    import numpy
    import onnx
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)

from onnx_judge import judge
from planted_faults import places, planted
from planting import Model, told

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
models = root.parent / "shared" / "data" / "models"
if not models.is_dir():
    print(f"not run: the models are not there, expected in {models}")
    sys.exit(SKIPPED)
IN_ALL = "all" in sys.argv[3:]
SEED = 20
WANTED, MOST_DRAWN = (200, 330) if IN_ALL else (12, 36)
RANDOM_INPUTS = 3
ROUNDING = 1e-6  # of float32, relative to the largest element
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())


def draws():
    """(model, kind, where, plant), one of each model in turn; kinds that were drawn least come first."""
    choice = random.Random(SEED)
    found = {}
    for path in sorted(models.glob("*/model.onnx")):
        proto = onnx.load(str(path))
        found[path.parent] = proto, places(Model(proto))
    drawn = collections.Counter()
    for _ in range(MOST_DRAWN // len(found) + 1):
        for path, (proto, kinds) in found.items():
            kind = min(kinds, key=lambda k: (drawn[path, k], drawn[k], choice.random()))
            drawn[path, kind] += 1
            drawn[kind] += 1
            where, plant = choice.choice(kinds[kind])
            yield path, proto, kind, where, plant


def tensors(place, prefix):
    """(name, array) of each, as `vouch run` reads and writes them."""
    for about in sorted(place.glob(f"{prefix}*.json")):
        told = json.loads(about.read_text())
        yield told["name"], told["type"], numpy.fromfile(about.parent / f"{about.stem}.{told['type']}.bin", told["type"]).reshape(told["dims"])


def outputs_of(model, given, side):
    """By `vouch run`, those of a model by name; None if it gives none."""
    out = folder / f"outputs.{side}"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    code, _, errors = vouch("run", model, "--io", given, "--out", out, limited=False, seconds=300)
    return {name: array for name, _, array in tensors(out, "")} if code == 0 else None


def fed(place, spread=0.0):
    """A folder with the inputs alone; floats of that spread, if it is not 0."""
    given = folder / "given"
    shutil.rmtree(given, ignore_errors=True)
    given.mkdir()
    for file in place.glob("in_*"):
        (given / file.name).write_bytes(file.read_bytes())
    draw = numpy.random.default_rng(SEED)
    for file in sorted(given.glob("*.float32.bin")) if spread else ():
        draw.normal(0, spread, file.stat().st_size // 4).astype("float32").tofile(file)
    return given


def is_no_fault(found):
    """Do the models give the same on their own inputs and on random ones: bit for bit, or over the reals but for rounding?"""
    for k in range(RANDOM_INPUTS + 1):
        given = fed(found["io"], k and 10.0 ** (k - 2))
        outputs = [outputs_of(found[side], given, side) for side in "ab"]
        if None in outputs or off(*outputs, found["exact"]) > ROUNDING:
            return False
    return True


def off(first, second, bits=False):
    """How far outputs are apart, relative to the largest element: infinite if they are not of one form, or if bits count and differ."""
    worst = 0.0 if first.keys() == second.keys() else float("inf")
    for name, x in first.items():
        y = second.get(name)
        if y is None or x.shape != y.shape or (bits and x.tobytes() != y.tobytes()):
            return float("inf")
        x, y = x.astype(float), y.astype(float)
        apart = numpy.abs(x - y)
        apart[(x == y) | (numpy.isnan(x) & numpy.isnan(y))] = 0
        worst = max(worst, numpy.nan_to_num(apart, nan=float("inf")).max(initial=0) / max(numpy.abs(x[numpy.isfinite(x)]).max(initial=0), 1e-30))
    return worst


def apart(a, b, place):
    """How far the outputs of two models are apart, relative to the largest: by `vouch run`. Infinite if the second gives none."""
    given = fed(place)
    outputs = [outputs_of(model, given, side) for side, model in (("a", a), ("b", b))]
    if None in outputs:
        return float("inf") if outputs[0] is not None else 0.0
    return off(*outputs)


def ask(path, proto, kind, where, plant, number):
    base, changed, first = planted(proto, plant)
    place = folder / f"{number}"
    (place / "input").mkdir(parents=True)
    a, b = place / "a.onnx", place / "b.onnx"
    a.write_bytes(base.SerializeToString())
    b.write_bytes(changed.SerializeToString())
    start = time.monotonic()
    code, out, errors = vouch("equiv", a, b, "--io", path / "io", "--json", place / "report.json", "--repro", place / "input", limited=False, seconds=600)
    seconds = time.monotonic() - start
    if not (place / "report.json").exists():
        return {"verdict": f"refused ({code}): {errors.strip().splitlines()[0][:100] if errors.strip() else ''}", "code": code}
    report = json.loads((place / "report.json").read_text())
    users = set().union(*(told(n) for n in changed.graph.node if first & set(n.input)))
    return report | {"code": code, "a": a, "b": b, "input": place / "input", "first": first | users if kind == "activation_left_out" else first,
                     "io": path / "io", "seconds": seconds, "model": path.name}


def refused_elsewhere(found):
    """Does ONNX Runtime run the first model on its own inputs, and the second not at all? None of these is a pair."""
    feeds = [(n, t, list(x.shape), x.reshape(-1).tolist()) for n, t, x in tensors(found["io"], "in_")]
    answer = (judge(sys.argv[1], root, folder, [("pair", found["a"], found["b"], feeds)]) or {}).get("pair")
    return answer is not None and answer["a"] is None and answer["b"]


def verdicts():
    asked, refused, none, kinds = [], 0, 0, collections.Counter()
    for number, (path, proto, kind, where, plant) in enumerate(draws()):
        if len(asked) >= WANTED:
            break
        found = ask(path, proto, kind, where, plant, number)
        name = f"{path.name}: {kind}: {where}"
        if found["verdict"].startswith("refused") or found["verdict"].startswith("different: the interfaces"):
            refused += 1
            print(f"no pair: {name}: {found['verdict']}")
            continue
        if found["verdict"] == "open" and (why := refused_elsewhere(found)):
            refused += 1
            print(f"no pair: {name}: ONNX Runtime: {why[:100]}")
            continue
        if found["verdict"].startswith("equal") and is_no_fault(found):
            none += 1
            print(f"no fault, {found['verdict']} and the same when run: {name}")
            continue
        kinds[kind] += 1
        asked.append((name, found))
        named = {found.get("first_differing"), found.get("first_differing_namesake")} & found["first"]
        print(f"{found['verdict']}{' named' if named else ''}: {name} ({found['seconds']:.1f} s; {found.get('first_differing')}, "
              f"{found.get('first_differing_namesake')}; planted {sorted(found['first'])[:3]})", flush=True)
    print(f"{len(asked)} faults of {len(kinds)} kinds; {refused} gave no pair of one interface, {none} are none: {dict(kinds)}")
    return asked, kinds


def judged(asked):
    """How far ONNX Runtime has the models apart on the input of each verdict; `vouch run` where it is not there."""
    pairs = [(name, found["a"], found["b"], [(n, t, list(x.shape), x.reshape(-1).tolist()) for n, t, x in tensors(found["input"], "in_")])
             for name, found in asked if found["verdict"] == "different"]
    answers = judge(sys.argv[1], root, folder, pairs)
    out = {}
    for name, found in asked:
        answer = (answers or {}).get(name)
        if found["verdict"] != "different":
            continue
        if answer is None or answer["a"] is not None:
            out[name] = "vouch run", apart(found["a"], found["b"], found["input"])
        else:
            told = answer["difference"]
            out[name] = "ONNX Runtime", float("inf") if told in (None, "infinite") else told
    print(f"judged: {dict(collections.Counter(by for by, _ in out.values()))}")
    return out


asked, kinds = verdicts()
answers = judged(asked)
named = 0
for name, found in asked:
    checks.that(found["verdict"] == "different" and found["code"] == 1, f"{name}: {found['verdict']}")
    if name in answers:
        by, off = answers[name]
        checks.that(off > 1e-6, f"{name}: {by} has the models {off} apart on the input that is said to tell them apart")
        named += bool({found.get("first_differing"), found.get("first_differing_namesake")} & found["first"])
checks.that(len(asked) >= WANTED, f"{len(asked)} faults")
checks.that(len(kinds) >= (20 if IN_ALL else 10), f"{len(kinds)} kinds")
checks.that(named >= 0.9 * len(asked), f"the first tensor is named for {named} of {len(asked)}")
beyond = [found["seconds"] - found["simulation_seconds"] for _, found in asked]
print(f"named: {named} of {len(asked)}; seconds in all: median {statistics.median(f['seconds'] for _, f in asked):.2f}, beyond running the "
      f"models: median {statistics.median(beyond):.2f}, most {max(beyond):.2f}")
checks.end()
