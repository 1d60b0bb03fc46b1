"""`vouch verify` on a library: every kernel is certified, and whatever else is changed in its folder, by one byte or by a whole file, is
named. What was changed consistently, the source included, is another library. `all` changes four bytes of each file, not one."""
import json
import os
import pathlib
import shutil
import sys
import tempfile

from command import SKIPPED, Checks, Vouch, has_prover, users_cache

vouch, ROOT = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2])
if not has_prover(vouch.program):
    print("not run: coqc or the compiled library is not there")
    sys.exit(SKIPPED)
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")


def verified(folder, status, *texts):
    code, out, err = vouch("verify", folder, limited=False, seconds=600)
    missing = [text for text in texts if text not in out + err]
    checks.that(code == status and not missing, f"{folder.name}: exit {code}, expected {status} and {missing}: {(out + err)[:1500]}")


RULE = """rule relu_relu "twice is once" {
  let x = *;
  source Relu(Relu(x));
  target Relu(x);
}
"""
(place / "rules.gsl").write_text(RULE)
model = place / "small.json"
weights = [((7 * k) % 11) / 8 - 0.5 for k in range(12)]
model.write_text(json.dumps({
    "vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": ["n", 4]}],
    "nodes": [{"name": "w", "kind": "parameter", "type": "float32", "dims": [4, 3], "data": weights},
              {"name": "m", "op": "MatMul", "operands": ["x", "w"]}, {"name": "r", "op": "Relu", "operands": ["m"]},
              {"name": "y", "op": "Relu", "operands": ["r"]}],
    "outputs": [{"name": "y", "value": "y"}]}))
library = place / "library"
code, out, err = vouch("build", model, "-o", library, "--size", "n=2", "--rules", place / "rules.gsl")
checks.that(code == 0 and "1 rule fired, all exact" in out, f"it is built: {out}{err}")
verified(library, 0, "small_0_matmul", "small_1_relu", "2 certified", "library_calls", "small", "proven", "rewrites", "1/1",
         "chain", "1 rewrite")
code, out, err = vouch("verify", library, "--json", "-")
answer = json.loads(out)["library_calls"][0]
checks.that(code == 0 and answer["kept"] and answer["axioms"] == "none" and answer["calls"] == 2, f"what was proven is kept: {answer}")
steps = json.loads(out)["rewrites"]
checks.that(len(steps) == 1 and steps[0]["verdict"] == "proven" and steps[0]["steps"] == steps[0]["proven"] == 1 and steps[0]["kept"]
            and steps[0]["axioms"] == "none" and not steps[0]["solver_only"], f"the rule's step is a theorem of Coq, over any scalars as the rule is exact: {steps}")
chain = json.loads(out)["chains"][0]
checks.that(chain["verdict"] == "proven" and chain["axioms"] == "none" and chain["kept"] and chain["rewrites"] == chain["theorems"] == 1
            and chain["nodes"] == 5 and not chain["passes"] and not chain["bodies"], f"its step leads from the model to what is lowered: {chain}")

with users_cache():
    code, out, err = vouch("verify", library, "--trust", limited=False, seconds=600)
    kept = vouch("verify", "--trust", limited=False, seconds=600)[1]
checks.that(kept.startswith("A kernel's certificate:") and out.endswith(kept), f"what Coq said of its library is kept: {kept}")
for text in ("The library small", "MatMul (1), Relu (1)", "cases of ONNX's suite that the definitions pass, at least: MatMul ", ", Relu ", "relu_relu (1)", "sound (exact)", "theorems of steps       1 of 1", "chain of steps          1 rewrite; verify asks Coq", "numbers folded          none", "functions of C          none",
             "-ffp-contract=off", "Z3", "A kernel's certificate:"):
    checks.that(code == 0 and text in out, f"--trust of a library says '{text}': exit {code}: {out[-3000:]}{err}")


# What C keeps for itself begins no name of a library.
shutil.copy(model, place / "while.json")
code, out, err = vouch("build", place / "while.json", "-o", place / "while", "--size", "n=2", "--rules", place / "rules.gsl")
checks.that(code == 0, f"a model called while is built: {out}{err}")
verified(place / "while", 0, "while_model_0_matmul", "2 certified")
for name in ("while", "a_", "a__b", "_", "int32_t"):
    code, out, err = vouch("build", model, "-o", place / "named", "--size", "n=2", "--name", name)
    checks.that(code == 3 and "expected a name that C has free" in err and "could be used" in err, f"--name {name}: exit {code}: {out}{err}")

# Pools of ReLUs, windows that reach into padding among them, batch norms in convolutions, residual zeros.
if (ROOT / "tests/models/mnist/model.onnx").exists():
    code, out, err = vouch("build", ROOT / "tests/models/mnist/model.onnx", "-o", place / "mnist", limited=False, seconds=300)
    checks.that(code == 0, f"mnist is built: {out}{err}")
    with users_cache():
        code, out, err = vouch("verify", place / "mnist", "--json", "-", limited=False, seconds=600)
    steps = json.loads(out)["rewrites"][0]
    checks.that(code == 0 and steps["verdict"] == "proven" and steps["proven"] == steps["steps"] >= 5, f"each step of mnist is a theorem: {steps}")
    chain = json.loads(out)["chains"][0]
    checks.that(chain["verdict"] == "proven" and chain["rewrites"] == chain["theorems"] == steps["steps"]
                and set(chain["passes"]) == {"fold-parameters"}, f"they lead from mnist to what is lowered, with folds: {chain}")


def tampered(what, change, *texts):
    copy = place / "copy"
    shutil.copytree(library, copy)
    change(copy)
    code, out, err = vouch("verify", copy, limited=False, seconds=600)
    missing = [text for text in texts if text not in out + err]
    checks.that(code in (1, 3) and not missing, f"{what}: exit {code}, expected 1 and {missing}: {(out + err)[:1500]}")
    shutil.rmtree(copy)


def flipped(path, at):
    text = bytearray(path.read_bytes())
    text[at] ^= 1
    path.write_bytes(bytes(text))


for number, path in enumerate(sorted(p for p in library.rglob("*") if p.is_file())):
    name = str(path.relative_to(library))
    size = path.stat().st_size
    places = [0, size // 3, size // 2, size - 1]
    for at in sorted(set(places)) if "all" in sys.argv[3:] else [places[number % 4]]:
        tampered(f"byte {at} of {name}", lambda copy: flipped(copy / name, at))
    if name != "manifest.json" and not name.startswith("source/"):
        tampered(f"without {name}", lambda copy: (copy / name).unlink(), name, "the file is missing")
tampered("a stranger", lambda copy: (copy / "kernels/more.c").write_text("int x;\n"), "kernels/more.c", "no certificate covers this")
tampered("a link", lambda copy: ((copy / "small.h").unlink(), (copy / "small.h").symlink_to(library / "small.h")), "small.h", "found a link")


def recipe(**members):
    def change(copy):
        manifest = json.loads((copy / "manifest.json").read_text())
        manifest["recipe"].update(members)
        (copy / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    return change


# What `build` would not have been given is no recipe, whatever the files are.
for member, lies in {"name": ["../x", "/tmp/x", "", 7, "while", "a__b", "a_", "int32_t", "a\x1b[2J", "a" * 100_000], "model": ["../../small.json", "/dev/zero", ".", "rules.gsl", None],
                     "sizes": [{"n": "2"}, {"n": -2}, {"n": 0}, {"n": 1e300}, {"n": 2.5}, {"n": [2]}, {"n": [2, 1]}, {"n": list(range(1, 100))}, 2], "target": ["avx999", 3],
                     "targets": [["avx2", "avx2"], [], "avx2"], "trust": [True], "fma": ["yes", 1], "rules": [["a"]]}.items():
    for lie in lies:
        tampered(f"a recipe with {member} = {str(lie)[:40]!r}", recipe(**{member: lie}), "manifest.json", "with its recipe")
for what, text in {"a size besides": recipe(sizes={"n": 2, "q": 3}), "no size": recipe(sizes={}), "another size": recipe(sizes={"n": 10 ** 12}),
                   "another name": recipe(name="digits"), "lanes": recipe(lanes=True), "threads": recipe(threads=True), "no_alloc": recipe(no_alloc=True)}.items():
    tampered(f"a recipe with {what}", text)


def other_weight(copy):
    source = copy / "source/model.json"
    source.write_text(source.read_text().replace(str(weights[1]), "0.3125", 1))


tampered("another model", other_weight, "did not begin with this model")


def lying_rule(copy):
    rules = copy / "source/rules.gsl"
    rules.write_text(rules.read_text().replace("target Relu(x)", "target x"))


tampered("a rule that is wrong", lying_rule)
shutil.rmtree(place)
checks.end()
