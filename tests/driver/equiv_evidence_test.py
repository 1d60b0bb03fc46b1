"""What `vouch equiv` gives besides a verdict: regions as rules, theorems, a page, a second solver's word, a store, lists of pairs."""
import hashlib
import hmac
import json
import os
import pathlib
import shutil
import stat
import sys
import tempfile
import xml.dom.minidom

from command import SKIPPED, Checks, Vouch

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
pairs = root.parent / "shared" / "data" / "pairs" / "equal"
os.environ["VOUCH_KEY"] = str(place / "key")


def node(op, inputs, outputs="y", **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def write(path, nodes, constants, shape=("n", 4), out=("n", 4)):
    value = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    graph = helper.make_graph(nodes, "g", [value("x", shape)], [value("y", out)],
                              [helper.make_tensor(name, TensorProto.FLOAT, dims, values) for name, (dims, values) in constants.items()])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 8
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(made.SerializeToString())
    return path


W = [0.5, -1.5, 2.0, 0.25, 1.0, 3.0, -0.75, 0.5, 1.25, -2.0, 0.5, 4.0, -1.0, 0.125, 2.5, -3.0]
S = [1.5, 0.75, -2.25, 3.1]
SCALED = [w * S[k % 4] for k, w in enumerate(W)]
scale = lambda values: {"w": ([4, 4], W), "s": ([4], values)}
split = write(place / "fused" / "original.onnx", [node("MatMul", "x w", "<b>t</b>"), node("Add", "<b>t</b> s")], scale(S))
fused = write(place / "fused" / "optimised.onnx", [node("Gemm", "x w s")], scale(S))
two_steps = write(place / "folded" / "original.onnx", [node("MatMul", "x w", "t"), node("Mul", "t s")], scale(S))
one_step = lambda name, change: write(place / name / "optimised.onnx", [node("MatMul", "x w")],
                                      {"w": ([4, 4], [SCALED[0] * (1 + change)] + SCALED[1:])})
folded = one_step("folded", 0)


def equiv(*arguments, code=0, **more):
    status, out, errors = vouch("equiv", *arguments, seconds=200, **more)
    checks.that(status == code, f"equiv {' '.join(map(str, arguments))}: exit code {status}, expected {code}: {out}{errors}")
    return out, errors


def entries(store):
    return sorted(store.glob("*.region"))


def rules():
    equiv(split, fused, "--rules", place / "rules")
    text = (place / "rules" / "proven.gsl").read_text()
    checks.that(text.count("rule region_") == 1 and "expect sound" in text and "Gemm" in text, text)
    status, out, _ = vouch("check", place / "rules" / "proven.gsl")
    checks.that(status == 0 and "1 sound" in out, f"the regions are rules that hold: {out}")
    (place / "rules" / "wrong.gsl").write_text(text.replace("beta = 1.0", "beta = 2.0"))
    checks.that(vouch("check", place / "rules" / "wrong.gsl")[0] == 1, "a region that is changed is no rule")
    equiv(two_steps, folded, "--rules", place / "folds")
    proven, parted = ((place / "folds" / f"{name}.gsl").read_text() for name in ("proven", "folded"))
    checks.that("region_" not in proven and "region_1 (y) has no form as a rule: x3 is read by the target alone" in parted,
                f"what rests on values of parameters is no rule for others: {proven}{parted}")
    # Equal wherever it is run, and beyond the prover: open, and a rule that check reads.
    gelu = lambda name, **how: write(place / name / "m.onnx", [node("Sin", "x", "t"), node("Sin", "t", "u")] +
                                     ([node("Mul", "u c", "v"), node("Sinh", "v", "y")] if how else
                                      [node("Mul", "c u", "w"), node("Exp", "w", "e"), node("Neg", "w", "m"), node("Exp", "m", "f"),
                                       node("Sub", "e f", "d"), node("Div", "d two")]), {"c": ([], [0.5]), "two": ([], [2.0])})
    out, _ = equiv(gelu("sinh", op=1), gelu("exponentials"), "--rules", place / "open", code=2)
    text = (place / "open" / "open.gsl").read_text()
    status, out, errors = vouch("check", place / "open" / "open.gsl", "--no-repair")
    checks.that("rule region_1" in text and "expect" not in text and status in (0, 1, 2) and not errors, f"{status} {out}{errors}{text}")


def shared_rules():
    if not pairs.is_dir():
        print(f"skipped: the shared pairs are not there ({pairs})")
        return
    for name in ("mnist.basic", "transformer.extended", "t5_encoder.extended", "tinyvit.extended"):
        out, _ = equiv(pairs / name / "original.onnx", pairs / name / "optimised.onnx", "--rules", place / name)
        count = (place / name / "proven.gsl").read_text().count("rule region_")
        status, said, _ = vouch("check", place / name / "proven.gsl")
        checks.that(status == 0 and count >= 3 and f"{count} rules:" in said, f"{name}: {count} regions: {said}")


def theorems():
    out, _ = equiv(split, fused, "--coq", place / "coq")
    checks.that("coq: 1 regions have theorems" in out, out)
    status, said, errors = vouch("verify", place / "coq", limited=False, seconds=600)
    if "Coq" in errors and status == 3:
        print("not run: Coq or its library is not there")
    else:
        checks.that(status == 0 and "1 proven" in said, f"{status} {said}{errors}")
    out, _ = equiv(two_steps, folded, "--coq", place / "coq-folded")
    checks.that("0 regions have theorems" in out and "without theorem: region_1" in out, f"what has none is named: {out}")


def page():
    equiv(split, fused, "--report", place / "equal.html")
    equal = (place / "equal.html").read_text()
    checks.that("equal (real)" in equal and "<svg" in equal and "a proof over the reals" in equal, "the page has verdict, picture, evidence")
    checks.that("<b>t</b>" not in equal and "http" not in equal.replace("http://www.w3.org", "").replace("https://www.w3.org", ""),
                "names are texts, and nothing is asked of others")
    other = write(place / "other.onnx", [node("Gemm", "x w s", alpha=2.0)], scale(S))
    equiv(split, other, "--report", place / "different.html", code=1)
    different = (place / "different.html").read_text()
    checks.that("class=different" in different and "#ffe08a" in different.split("<svg")[1], "where the models part is marked")
    equiv(split, write(place / "narrow.onnx", [node("Relu", "x")], {}, (2, 3), (2, 3)), "--report", place / "mismatch.html", code=1)
    checks.that("the interfaces do not match" in (place / "mismatch.html").read_text(), "interfaces")


def second_solver():
    if not pairs.is_dir() or not shutil.which("cvc5"):
        print("skipped: a second solver (cvc5), or the shared pairs, are not there")
    else:
        pair = (pairs / "tinyvit.extended" / "original.onnx", pairs / "tinyvit.extended" / "optimised.onnx")
        out, _ = equiv(*pair, "--recheck", "cvc5", "--store", place / "asked")
        agreed = int(out.split("cvc5: ")[1].split()[0])
        checks.that(agreed >= 1 and "0 regions open" in out, out)
        again, _ = equiv(*pair, "--recheck", "cvc5", "--store", place / "asked")
        checks.that(again == out, "queries are asked though the store knows the regions")
        liar = place / "liar"
        liar.write_text("#!/bin/sh\necho sat\n")
        liar.chmod(liar.stat().st_mode | stat.S_IXUSR)
        out, _ = equiv(*pair, "--recheck", liar, code=2)
        checks.that(out.startswith("open") or "0 queries agreed" in out, f"a solver that does not agree: {out}")
    _, errors = equiv(split, fused, "--recheck", "no-such-solver", code=3)
    checks.that("no-such-solver" in errors, errors)


def resealed(path, old, new):
    seal, body = path.read_bytes().split(b"\n", 1)
    key = pathlib.Path(os.environ["VOUCH_KEY"]).read_bytes()
    digest = lambda text: hmac.new(key, text, hashlib.sha256).hexdigest().encode()
    checks.that(digest(body) in seal and old in body, "the seal is an HMAC of the entry")
    path.write_bytes(seal.replace(digest(body), digest(body.replace(old, new))) + b"\n" + body.replace(old, new))


def store():
    kept = place / "store"
    first, _ = equiv(split, fused, "--store", kept)
    checks.that(len(entries(kept)) == 1, f"a proven region is kept: {entries(kept)}")
    entry = entries(kept)[0]
    honest, time = entry.read_bytes(), entry.stat().st_mtime_ns
    again, _ = equiv(split, fused, "--store", kept)
    checks.that(again == first and entry.stat().st_mtime_ns == time, "what is known is not proven again")
    proven, _ = equiv(split, fused, "--store", kept, "--again")
    checks.that(proven == first and entry.stat().st_mtime_ns != time, "--again proves")
    # Edited without the key: as good as none. `exact` would be believed, were it believed.
    entry.write_bytes(honest.replace(b'"real"', b'"exact"'))
    edited, _ = equiv(split, fused, "--store", kept)
    checks.that(edited == first and entry.read_bytes() == honest, "an edited entry is not believed, and is made anew")
    # With the key it is: that is what the key is for, and what --again finds.
    resealed(entry, b'"real"', b'"exact"')
    believed, _ = equiv(split, fused, "--store", kept)
    checks.that(believed.startswith("equal (exact)"), f"a sealed entry is believed: {believed}")
    _, errors = equiv(split, fused, "--store", kept, "--again", code=3)
    checks.that("kept as exact is not proven so" in errors, errors)
    os.environ["VOUCH_KEY"] = str(place / "another-key")
    other, _ = equiv(split, fused, "--store", kept)
    os.environ["VOUCH_KEY"] = str(place / "key")
    checks.that(other == first and len(entries(kept)) == 2, "another user's entries are others")
    # What rests on values of parameters is not kept, nor what was not proven.
    equiv(two_steps, folded, "--store", place / "folds-kept")
    checks.that(not entries(place / "folds-kept"), "folds are each their own")
    equiv(split, fused, "--again", code=64)
    equiv(split, fused, "--store", split, code=3)


def tolerance():
    near = one_step("near", 1e-5)
    out, _ = equiv(two_steps, near, "--fold-tolerance", "1e-3")
    bound = float(out.split("within ")[1].split()[0])
    checks.that(1e-5 * 0.9 < bound < 1.2e-5, f"the bound is what was changed: {out}")
    for narrower in ("1e-6", "0"):
        status, out, _ = vouch("equiv", two_steps, near, "--fold-tolerance", narrower)
        checks.that(status in (1, 2), f"beyond the tolerance {narrower}: {out}")
    for wrong in ("-1", "nan", "2"):
        _, errors = equiv(two_steps, near, f"--fold-tolerance={wrong}", code=3)
        checks.that("--fold-tolerance" in errors, errors)


def lists():
    listed = place / "listed"
    for name, second in (("b_same", fused), ("a_folded", folded), ("c_other", place / "other.onnx")):
        (listed / name).mkdir(parents=True)
        shutil.copy(two_steps if name == "a_folded" else split, listed / name / "original.onnx")
        shutil.copy(second, listed / name / "a_changed.onnx")
    one, _ = equiv("--list", listed, "--junit", place / "one.xml", code=1)
    names = [pathlib.Path(line.split()[0]).parent.name for line in one.splitlines()]
    checks.that(names == ["a_folded", "b_same", "c_other"], f"in the order of names, the original first: {one}")
    four, _ = equiv("--list", listed, "--junit", place / "four.xml", "-j", 4, code=1)
    checks.that(one == four and one.count("equal") == 2 and one.count("different") == 1, f"four at a time: {four}")
    suite = xml.dom.minidom.parse(str(place / "four.xml")).documentElement
    checks.that((suite.getAttribute("tests"), suite.getAttribute("failures")) == ("3", "1"), "JUnit")
    failure = suite.getElementsByTagName("failure")
    checks.that(len(failure) == 1 and "c_other" in failure[0].parentNode.getAttribute("name"), "JUnit names the pair that failed")
    (listed / "d_three").mkdir()
    for name in ("a", "b", "c"):
        shutil.copy(split, listed / "d_three" / f"{name}.onnx")
    _, errors = equiv("--list", listed, code=3)
    checks.that("d_three" in errors and "found 3" in errors, errors)
    (place / "none").mkdir()
    equiv("--list", place / "none", code=3)
    equiv("--list", listed, "--report", place / "r.html", code=64)


rules()
shared_rules()
theorems()
page()
second_solver()
store()
tolerance()
lists()
checks.end()
