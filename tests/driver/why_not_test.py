"""What `why-not` says: it starts from the operator of the rule's first output, of the graph that `optimize` leaves, with the numbers that
are there, or it names the operator that the model has none of."""
import json
import pathlib
import sys
import tempfile

from command import Checks, Vouch
from model_pairs import model, node, tensor, value

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
weights = tensor("w", [1.0] * 12, [3, 4])
MODELS = {
    "scaled": model([node("Mul", "x two")], constants=[tensor("two", [2.0], [])]),
    "plain": model([node("Relu", "x")]),
    "product": model([node("MatMul", "x w", "a"), node("Relu", "a", "b"), node("Add", "b c")], outputs=[value("y", (2, 4))],
                     constants=[weights, tensor("c", [1.0] * 4)]),
    "twice": model([node("Relu", "x", "a"), node("Relu", "a", "b"), node("Neg", "b")]),
    "turned": model([node("Transpose", "x", "a", perm=[1, 0, 2]), node("Relu", "a")], [value("x", (2, 3, 4))], [value("y", (3, 2, 4))]),
    "strange": model([node("Frobnicate", "x", "a", domain="com.acme"), node("Relu", "a", "b"), node("Relu", "b")]),
    "convolved": model([node("Conv", "x w", pads=[1, 1, 1, 1])], [value("x", (1, 1, 4, 4))], [value("y", (1, 1, 4, 4))],
                       constants=[tensor("w", [1.0] * 9, [1, 1, 3, 3])]),
    "doubled": model([node("Sub", "x zero", "a"), node("Mul", "a two")], constants=[tensor("two", [2.0], []), tensor("zero", [0.0], [])]),
}

COMPETING = """
rule sub_as_add "a difference with a constant" {
  let x = *;
  let c = const {value = any};
  source Sub(x, c);
  target Add(x, Neg(c));
  expect sound;
}
"""


def says(rule, name, *parts, json_has=(), more=()):
    asked = ("why-not", rule, folder / f"{name}.onnx", "--rules", root / "rules", *more)
    code, out, errors = vouch(*asked)
    checks.that(code == 0 and all(part in out for part in parts), f"{rule} in {name}: exit {code}, expected {parts} in: {out}{errors}")
    answer = json.loads(vouch(*asked, "--json", "-")[1])
    for keys, expected in json_has:
        found = answer
        for key in keys.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        checks.that(found == expected, f"{rule} in {name}: {keys} is {found}, expected {expected}")


with tempfile.TemporaryDirectory() as made:
    folder = pathlib.Path(made)
    for name, content in MODELS.items():
        (folder / f"{name}.onnx").write_bytes(content.SerializeToString())
    # The number that is there, and its place in the rule's text.
    says("mul_one", "scaled", "at 'two': expected value = 1, found 2.0", "elementwise.gsl:",
         json_has=[("failure.node", "two"), ("failure.found", "2.0"), ("patterns.matched", 2), ("fired", 0)])
    says("transpose_identity", "turned", "found (1, 0, 2)", json_has=[("failure.found", "(1, 0, 2)")])
    # Calls that are there, but that nothing is known of: what they read comes from a call of another domain.
    says("relu_relu", "strange", "2 calls of Relu in this model are left alone", json_has=[("missing", "Relu"), ("left_alone", 2)])
    code, out, errors = vouch("optimize", folder / "strange.onnx")
    checks.that(code == 0 and "no rule matches" in out and "verdict" not in out, f"a table of nothing: {out}{errors}")
    # Of an operator that the model has none of nothing is matched, whatever else is alike.
    says("conv_batch_norm", "plain", "no BatchNormalization in this model", json_has=[("missing", "BatchNormalization"), ("matches", False)])
    # From the sum, though the product alone would match more.
    says("matmul_add_gemm", "product", "at 'y'", "expected a call of MatMul, found a call of Relu",
         json_has=[("node", "y"), ("failure.node", "b")])
    # Of the graph that optimize leaves: one Relu is left where it fired, and a node that it takes away is said to go.
    says("relu_relu", "twice", "relu_relu fires 1 time, first at 'b'; in what is left of the model then:",
         "expected a call of Relu, found an input of the model", json_has=[("fired", 1), ("matches", False)])
    says("mul_one", "doubled", "optimize rewrites this node; in the model as it is read:", more=["--node", "a"])
    says("sub_zero", "doubled", "sub_zero matches at 'a'\n", more=["--node", "a"])
    # A match that nothing refuses and that is not fired: what came of trying it, or what fires in its place.
    not_kept = "the rules of phase enter led to nothing that costs less"
    says("conv_as_conv2d", "convolved", f"matches at 'y', but optimize does not fire it there: {not_kept}",
         json_has=[("not_tried", not_kept), ("refused", ""), ("fired", 0)], more=[root / "rules/dialect"])
    (folder / "competing.gsl").write_text(COMPETING)
    says("sub_as_add", "doubled", "sub_as_add matches at 'a', but optimize does not fire it there: sub_zero fires there",
         json_has=[("not_tried", "sub_zero fires there"), ("fired", 0)], more=[folder / "competing.gsl", "--node", "a"])
    code, _, errors = vouch("why-not", "mul_one", folder / "scaled.onnx", "--rules", root / "rules", "--node", "nowhere")
    checks.that(code == 3 and "nowhere: error: the model has no node of this name" in errors, f"exit {code}: {errors}")
checks.end()
