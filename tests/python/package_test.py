"""The Python package: rules as text and back, every construct, verdicts, warnings, errors at their place in the program.

    package_test.py ROOT"""
import array
import inspect
import json
import pathlib
import sys
import tempfile
import unittest
import warnings

import vouch
from vouch import Subst, Workload, attr, op, pat

ROOT = pathlib.Path(sys.argv[1])


def reads_back(rule):
    """The printed text is a rule that means the same."""
    again, = vouch.parse_rules(str(rule))
    return again.same_as(rule)


def line_of(text):
    """The line and column of this file where `text` stands, for messages."""
    lines = pathlib.Path(__file__).read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if text in line and "line_of" not in line)
    return number, lines[number - 1].index(text) + 1


class Rules(unittest.TestCase):
    def test_text_reads_back(self):
        x = pat.Wildcard()
        rule = Subst(op.Relu(op.Relu(x)), op.Relu(x), name="relu_relu", doc="once is enough")
        self.assertIn("source Relu(Relu(x));", str(rule))
        self.assertTrue(reads_back(rule))
        self.assertEqual((rule.name, rule.doc), ("relu_relu", "once is enough"))

    def test_patterns_show_what_they_are(self):
        x = pat.Wildcard()
        self.assertEqual(repr(op.Relu(-x) * 2), "Mul(Relu(Neg(Wildcard())), 2)")
        self.assertEqual(repr(op.Abs(op.Abs(op.Abs(op.Abs(x))))), "Abs(Abs(Abs(Abs(…))))")
        many = x
        for _ in range(200):
            many = many + many
        self.assertLess(len(repr(many)), 100)

    def test_arithmetic_is_calls(self):
        x, y = pat.Wildcard(), pat.Wildcard()
        rule = Subst(x + x - (-y), x * 2 + y, name="r")
        self.assertIn("(x * const {value = 2, dtype as x}) + y", str(rule))
        self.assertTrue(reads_back(rule))
        self.assertEqual(rule.check().verdict, "sound (real)")

    def test_every_construct_reads_back(self):
        x, w = pat.Wildcard(rank=2), pat.Variable(shape=(None, 3), dtype="float32")
        c = pat.Const(value=2.0)
        product = op.MatMul(x, w)
        first = pat.First(op.Relu(product), op.Neg(product))
        sides = [
            (op.Add(product, c), op.Add(product, c), {"where": [(x.shape[0] > 1) | (x.shape[1] % 2 == 0), ~(x.rank == 3)]}),
            (op.Exp(first), op.Exp(first), {}),
            (op.Abs(product), pat.IfElse(product.shape[0] == 1, op.Exp(product), op.Neg(product)), {}),
            (op.Concat(pat.Tuple(x, x), axis=0), op.Concat(pat.Tuple(x, x), axis=0), {"ranks": {x: (2, 3)}}),
            (op.Transpose(x, perm=(1, 0)), op.Transpose(x, perm=attr.permute((0, 1), (1, 0))), {}),
            (op.Softmax(x, axis=attr.minimum(1, attr.maximum(0, x.rank - 1))), op.Softmax(x, axis=x.rank - 1), {}),
            (op.Add(x, x), op.Add(x, x), {"where": [attr.divides(2, x.shape[0]), attr.length_of(x.shape) == 2]}),
        ]
        for source, target, more in sides:
            with self.subTest(source=source):
                self.assertTrue(reads_back(Subst(source, target, **more)))

    def test_operator_variables(self):
        f = op.variable("f", "elementwise")
        x, y = pat.Wildcard(), pat.Wildcard()
        call = f(x)
        rule = Subst([call, f(x, attributes_as=call)], [call, call])
        self.assertIn("operator f elementwise;", str(rule))
        self.assertTrue(reads_back(rule))
        del y

    def test_variadic_with_conditions(self):
        x = pat.Wildcard()
        part = op.Relu(x)
        items = pat.Variadic(part, templates=[part, x], where=[x.rank == 2])
        j = attr.Symbol()
        inner = items(x, j)
        rule = Subst(op.Concat(items, axis=0), op.Relu(op.Concat(pat.Variadic(inner, [inner], index=j, length=items.length), axis=0)))
        self.assertTrue(reads_back(rule))

    def test_deep_rules_need_no_stack(self):
        x = pat.Wildcard()
        deep = x
        for _ in range(10_000):
            deep = op.Relu(deep)
        rule = Subst(deep, op.Relu(x))
        self.assertEqual(str(rule).count("Relu"), 10_001)

    def test_the_library_reads_back(self):
        rules = vouch.load_rules(ROOT / "rules" / "gsl")
        self.assertEqual(len({rule.name for rule in rules}), len(rules))
        for rule in rules:
            with self.subTest(rule=rule.name):
                self.assertTrue(reads_back(rule))

    def test_verdicts(self):
        x, y = pat.Wildcard(), pat.Wildcard()
        self.assertEqual(Subst(op.Neg(op.Neg(x)), x).check().verdict, "sound (exact)")
        wrong = Subst(x - y, y - x).check(max_rank=1)
        self.assertEqual(wrong.verdict, "unsound")
        self.assertIn("in the source", wrong.counterexample)
        self.assertIn("unsound", str(wrong))

    def test_pictures(self):
        x = pat.Wildcard()
        self.assertIn("<svg", Subst(op.Neg(op.Neg(x)), x).visualize())


class Errors(unittest.TestCase):
    def test_all_errors_at_their_places(self):
        x = pat.Wildcard()
        with self.assertRaises(vouch.Error) as caught:
            two = op.Relu(x, x)
            Subst(op.Softmax(two, axes=1), two)
        text = str(caught.exception)
        for written, message in [("op.Relu(x, x)", "Relu takes 1 operand, found 2"), ("op.Softmax(two, axes=1)", "Softmax has no attribute 'axes'")]:
            line, column = line_of(written)
            self.assertIn(f"package_test.py:{line}:{column}: error: {message}", text)
        self.assertIn("^^^^", text)
        self.assertIn("did you mean 'axis'?", text)

    def test_unknown_operator(self):
        with self.assertRaises(AttributeError) as caught:
            op.Rellu
        self.assertIn("did you mean 'Relu'?", str(caught.exception))

    def test_conditions_have_no_truth_value(self):
        with self.assertRaises(TypeError):
            bool(pat.Wildcard().rank == 2)

    def test_files(self):
        with self.assertRaises(vouch.Error) as caught:
            Workload("/nowhere/model.onnx")
        self.assertIn("/nowhere/model.onnx", str(caught.exception))
        with self.assertRaises(vouch.Error) as caught:
            vouch.parse_rules("rule r { source }", "mine.gsl")
        self.assertIn("mine.gsl:1", str(caught.exception))

    def test_wrong_element_type(self):
        with self.assertRaises(vouch.Error) as caught:
            doubled().run({"x": array.array("d", [1, 2])})
        with self.assertRaisesRegex(TypeError, "x: expected an object with a buffer.*found list"):
            doubled().run({"x": [1.0, 2.0]})
        self.assertIn("expected elements of type float32", str(caught.exception))


def doubled():
    """max(0, max(0, x)) of two numbers."""
    return Workload.from_json(json.dumps({
        "vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [2]}],
        "nodes": [{"name": "a", "op": "Relu", "operands": ["x"]}, {"name": "y", "op": "Relu", "operands": ["a"]}],
        "outputs": [{"name": "y", "value": "y"}]}))


class Workloads(unittest.TestCase):
    def test_runs_and_rewrites(self):
        wl = doubled()
        x = pat.Wildcard()
        new = Subst(op.Relu(op.Relu(x)), op.Relu(x), name="once")(wl)
        self.assertEqual((wl.operators, new.operators, new.fired), ({"Relu": 2}, {"Relu": 1}, {"once": 1}))
        for workload in (wl, new):
            result = workload.run({"x": array.array("f", [-1.5, 2.5])})["y"]
            self.assertEqual((result.tolist(), result.shape, result.dtype), ([0.0, 2.5], (2,), "float32"))
        self.assertEqual(wl.inputs, [("x", "float32", (2,))])

    def test_unproven_rules_warn_and_do_not_fire(self):
        x = pat.Wildcard()
        wrong = Subst(op.Relu(op.Relu(x)), op.Neg(x), name="wrong")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertEqual(wrong(doubled()).fired, {"wrong": 0})
        self.assertTrue(any(issubclass(w.category, vouch.UnprovenWarning) and "wrong" in str(w.message) for w in caught))
        self.assertEqual(wrong(doubled(), allow_unproven=True).fired, {"wrong": 1})

    def test_why_not(self):
        x = pat.Wildcard()
        text = doubled().why_not(Subst(op.Relu(op.Neg(x)), op.Relu(x), name="r"), "y")
        self.assertIn("expected a call of Neg, found a call of Relu", text)

    def test_json_and_files(self):
        wl = doubled()
        self.assertEqual(Workload.from_json(wl.to_json()).to_json(), wl.to_json())
        with tempfile.TemporaryDirectory() as folder:
            wl.save(pathlib.Path(folder) / "m.onnx")
            self.assertEqual(Workload.from_onnx(pathlib.Path(folder) / "m.onnx").operators, wl.operators)
            wl.visualize(pathlib.Path(folder) / "m.svg")
            self.assertIn("<svg", (pathlib.Path(folder) / "m.svg").read_text())

    def test_a_loop_is_an_error(self):
        x, y = pat.Wildcard(), pat.Wildcard()
        graph = {"vouch": 1, "inputs": [{"name": n, "type": "float32", "dims": [2]} for n in "xy"],
                 "nodes": [{"name": "z", "op": "Sub", "operands": ["x", "y"]}], "outputs": [{"name": "z", "value": "z"}]}
        turn = Subst(x - y, -(y - x), name="turn")
        with self.assertRaises(vouch.Error) as caught:
            turn(Workload.from_json(json.dumps(graph)), allow_unproven=True)
        self.assertIn("turn", str(caught.exception))


class Documentation(unittest.TestCase):
    def test_all_that_is_public_is_documented(self):
        for module in (vouch, pat, attr, op):
            self.assertTrue(module.__doc__)
            for name, value in vars(module).items():
                if not name.startswith("_") and inspect.isclass(value) or inspect.isfunction(value):
                    if value.__module__.startswith("vouch") and not value.__name__.startswith("_"):
                        self.assertTrue(value.__doc__, f"{module.__name__}.{name}")

    def test_operators_are_documented(self):
        self.assertIn("w: required operand", op.Conv.__doc__)
        self.assertIn("group", inspect.signature(op.Conv).parameters)
        self.assertIn("Conv", dir(op))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
