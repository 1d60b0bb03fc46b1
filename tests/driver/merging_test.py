"""Merging what runs in parallel: the variadic rules against a plain rule for two, applied again and again.

Inception has nine sites with three convolutions of one input each. Both ways must leave the same convolutions and the same
outputs; the variadic rule needs one rewrite a site, the other one a merge on top of a merge. How many passes a rewriter that
sees only what stood there at the beginning of a pass would need is the longest chain of steps that use each other's nodes.

The transformer was exported with its queries, keys and values as one product; the test takes it apart and has it merged again.
"""
import json
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
models = root / ".." / "shared" / "data" / "models"
if not models.is_dir():
    print(f"not run: the models are not there, expected in {models}")
    sys.exit(SKIPPED)
try:
    import onnx
    from onnx import helper, numpy_helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)

PAIRWISE = """
rule merge_two_conv_bias "two convolutions of one input, equal but for their weights, become one" {
  let x = *;
  let w1 = *;
  let b1 = *;
  let w2 = * {shape = (any,) ++ tuple[d < w1.rank - 1](w1.shape[d + 1])};
  let b2 = *;
  let c1 = Conv(x, w1, b1) {group = 1};
  let c2 = Conv(x, w2, b2) {strides, pads, dilations, group, auto_pad as c1};
  source c1, c2;
  let merged = Conv(x, Concat((w1, w2)) {axis = 0}, Concat((b1, b2)) {axis = 0})
               {strides, pads, dilations, group, auto_pad, kernel_shape as c1};
  let parts = Split(merged, const {value = (w1.shape[0], w2.shape[0])}) {axis = 1};
  target parts[0], parts[1];
}
"""
checks = Checks()


def passes(trace):
    """The longest chain of steps, each of which matches a node that the one before has made."""
    depth_of_node, deepest = {}, 0
    for step in trace["steps"]:
        if "rule" not in step:
            continue
        matched = [node for _, node in step["match"]]
        matched += [node for instance in step.get("instances", []) for node in instance["templates"] if node is not None]
        depth = 1 + max((depth_of_node.get(node, 0) for node in matched), default=0)
        depth_of_node.update({new[0]: depth for new in step["new"]})
        deepest = max(deepest, depth)
    return deepest


def optimized(model, rules, folder, io):
    written, trace = folder / "written.onnx", folder / "trace.json"
    code, out, errors = vouch("optimize", model, "--rules", rules, "--allow-unproven", "--json", "-", "-o", written, "--trace", trace)
    checks.that(code == 0, f"{model}: exit {code}: {errors}")
    summary = json.loads(out)
    code, out, errors = vouch("run", written, "--io", io, seconds=600)
    checks.that(code == 0, f"{model} with {rules}: {out}{errors}")
    fired = {rule["name"]: rule["fired"] for rule in summary["rules"] if rule["fired"]}
    return summary, fired, passes(json.loads(trace.read_text())), onnx.load(str(written))


def inception(folder):
    model = models / "inception_v1_light" / "model.onnx"
    pairwise = folder / "pairwise.gsl"
    pairwise.write_text(PAIRWISE)
    variadic = folder / "variadic.gsl"
    text = (root / "rules" / "convolution.gsl").read_text()
    start = text.index("rule merge_parallel_conv_bias")
    # Without its phase, as the rule for two has none.
    variadic.write_text(text[start:text.index("\n}\n", start) + 3].replace("  phase late;\n", ""))
    rows = {}
    for rules in (pairwise, variadic):
        summary, fired, depth, written = optimized(model, rules, folder, model.parent / "io")
        convolutions = sum(node.op_type == "Conv" for node in written.graph.node)
        rows[rules.stem] = (convolutions, summary["rewrites"], depth, summary["sweeps"])
        print(f"inception, {rules.stem:9}: {convolutions} convolutions left, {summary['rewrites']} rewrites, "
              f"{depth} passes, {summary['sweeps']} sweeps of ours")
    two, many = rows["pairwise"], rows["variadic"]
    # 57 convolutions, nine times three of them become nine.
    checks.that(many[0] == two[0] == 57 - 9 * 2, f"{two[0]} and {many[0]} convolutions left, expected 39")
    checks.that(many[1] == 9, f"{many[1]} merges for nine sites")
    checks.that(many[1] < two[1] and many[2] == 1 < two[2] and many[3] <= two[3], f"not fewer passes: {rows}")


def take_apart(model):
    """Each x·W + b that is split into equal parts becomes one product and one addition for each part; how many there were."""
    graph = model.graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    made_by = {name: node for node in graph.node for name in node.output}
    nodes, gone = [], []
    for node in graph.node:
        total = made_by.get(node.input[0]) if node.op_type == "Split" else None
        weights_name = next((n for n in total.input if n in values), None) if total is not None and total.op_type == "Add" else None
        product = made_by.get(next((n for n in total.input if n not in values), "")) if weights_name else None
        if product is None or product.op_type != "MatMul" or product.input[1] not in values:
            nodes.append(node)
            continue
        weights, bias = values[product.input[1]], values[weights_name]
        width = weights.shape[1] // len(node.output)
        for k, output in enumerate(node.output):
            w, b, y = f"{output}.w", f"{output}.b", f"{output}.product"
            columns = slice(k * width, (k + 1) * width)
            graph.initializer.extend([numpy_helper.from_array(weights[:, columns].copy(), w), numpy_helper.from_array(bias[columns].copy(), b)])
            nodes += [helper.make_node("MatMul", [product.input[0], w], [y]), helper.make_node("Add", [y, b], [output])]
        gone += [total.output[0], product.output[0]]
    nodes = [node for node in nodes if node.output[0] not in gone]
    del graph.node[:]
    graph.node.extend(nodes)
    return len(gone) // 2


def transformer(folder):
    model = onnx.load(str(models / "transformer" / "model.onnx"))
    layers = take_apart(model)
    checks.that(layers == 2, f"{layers} layers taken apart, expected 2")
    path = folder / "apart.onnx"
    onnx.save(model, str(path))
    io = models / "transformer" / "io"
    code, out, errors = vouch("run", path, "--io", io)
    checks.that(code == 0, f"taken apart: {out}{errors}")
    before = sum(node.op_type == "MatMul" for node in model.graph.node)
    _, fired, _, written = optimized(path, root / "rules", folder, io)
    after = sum(node.op_type == "MatMul" for node in written.graph.node)
    print(f"transformer taken apart: {before} products, {after} after {fired.get('merge_parallel_matmul', 0)} merges")
    checks.that(fired.get("merge_parallel_matmul", 0) == layers, f"merged {fired}")
    checks.that(after == before - 2 * layers, f"{before} products became {after}")


with tempfile.TemporaryDirectory() as name:
    inception(pathlib.Path(name))
    transformer(pathlib.Path(name))
checks.end()
