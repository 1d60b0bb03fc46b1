"""Models in and out as paths, bytes and ModelProto; numpy in and out of run; pickles; notebooks; verdicts as conditions; commands; stubs.

    interchange_test.py ROOT"""
import ast
import inspect
import pathlib
import pickle
import re
import sys
import tempfile
import unittest

import vouch
from vouch import Subst, Workload, op, pat

ROOT = pathlib.Path(sys.argv[1])
MNIST = ROOT / "tests" / "models" / "mnist" / "model.onnx"
RULE = Subst(op.Relu(op.Relu(x := pat.Wildcard())), op.Relu(x), name="relu_relu")


def optional(name):
    try:
        return __import__(name)
    except ImportError:
        return None


class Interchange(unittest.TestCase):
    def test_paths_bytes_and_back(self):
        by_path = Workload(MNIST)
        for given in (str(MNIST), MNIST.read_bytes(), bytearray(MNIST.read_bytes())):
            self.assertEqual(Workload(given).to_json(), by_path.to_json())
        again = Workload(by_path.to_bytes())
        self.assertEqual((again.operators, again.inputs, again.outputs), (by_path.operators, by_path.inputs, by_path.outputs))
        with self.assertRaises(TypeError):
            Workload(17)
        with self.assertRaises(vouch.Error):
            Workload(b"no model")

    def test_model_proto(self):
        onnx = optional("onnx")
        if onnx is None:
            self.skipTest("the package onnx is not there")
        workload = Workload(onnx.load(str(MNIST)))
        self.assertEqual(workload.operators, Workload(MNIST).operators)
        onnx.checker.check_model(workload.to_onnx())

    def test_numpy_in_and_out(self):
        numpy = optional("numpy")
        if numpy is None:
            self.skipTest("numpy is not there")
        workload = Workload(MNIST)
        (name, _, shape), = workload.inputs
        out, = workload.run({name: numpy.zeros(shape, dtype=numpy.float32)}).values()
        self.assertIsInstance(out, numpy.ndarray)
        self.assertEqual((out.dtype, out.shape), (numpy.float32, tuple(workload.outputs[0][2])))
        strided = numpy.zeros((*shape, 2), dtype=numpy.float32)[..., 0]
        self.assertTrue((workload.run({name: strided})[workload.outputs[0][0]] == out).all())

    def test_pickles(self):
        self.assertEqual(pickle.loads(pickle.dumps(RULE)), RULE)
        workload = Workload(MNIST)
        again = pickle.loads(pickle.dumps(workload))
        self.assertEqual((again.to_json(), repr(again)), (workload.to_json(), repr(workload)))

    def test_says_what_is_wrong(self):
        with self.assertRaisesRegex(vouch.Error, "^the model's bytes: error: expected an ONNX"):
            Workload(b"no model")
        workload = Workload(MNIST)
        (name, _, _), = workload.inputs
        with self.assertRaisesRegex(vouch.Error, f"^x: the model has no input of this name; its inputs: {name}$"):
            workload.run({"x": bytearray(4)})
        with self.assertRaisesRegex(vouch.Error, f"^{name}: this input of the model is not given$"):
            workload.run({})

    def test_a_verdict_is_false_unless_sound(self):
        self.assertTrue(RULE.check())
        x = pat.Wildcard()
        self.assertFalse(Subst(op.Relu(op.Neg(x)), op.Neg(op.Relu(x))).check())
        for word in ("unsound", "ill-typed", "vacuous", "unknown"):
            self.assertFalse(vouch.Verdict(word, "", "", "", 1))

    def test_notebooks(self):
        try:
            pages = RULE._repr_html_(), Workload(MNIST)._repr_html_(), RULE._repr_svg_()
        except vouch.Error as error:
            self.skipTest(str(error))
        for page in pages:
            self.assertIn("<svg", page)
        self.assertNotIn("<?xml", pages[0])

    def test_commands(self):
        with tempfile.TemporaryDirectory() as folder:
            out = vouch.compile(ROOT / "kernels" / "index" / "conv_sizes.tk", pathlib.Path(folder, "c"))
            self.assertTrue((out / "conv_sizes.c").exists() and (out / "conv_sizes.v").exists())
            text = vouch.grad(ROOT / "kernels" / "index" / "conv_sizes.tk", pathlib.Path(folder, "g"))
            self.assertIn("dA", text)
            with self.assertRaisesRegex(vouch.Error, "nowhere.fun"):
                vouch.compile(pathlib.Path(folder, "nowhere.fun"), folder)

    def test_version_and_stubs(self):
        project = (ROOT / "pyproject.toml").read_text()
        self.assertEqual(vouch.__version__, re.search(r'^version = "(.*)"', project, re.M).group(1))
        folder = pathlib.Path(vouch.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        stub = ast.parse((folder / "__init__.pyi").read_text())
        said = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        for name in vouch.__all__:
            thing = getattr(vouch, name)
            if inspect.ismodule(thing) or name in ("Error", "Tensor"):
                continue
            self.assertIn(name, said)
            if inspect.isclass(thing):
                members = {m.name for m in said[name].body if isinstance(m, ast.FunctionDef)}
                members |= {m.target.id for m in said[name].body if isinstance(m, ast.AnnAssign)}
                ours = {m for m in vars(thing) if not m.startswith("_")}
                self.assertFalse(ours - members, name)
                self.assertFalse({m for m in members if not hasattr(thing, m)}, name)
            else:
                given = [a.arg for a in said[name].args.args + said[name].args.kwonlyargs + ([said[name].args.vararg] if said[name].args.vararg else [])]
                self.assertEqual({p for p in inspect.signature(thing).parameters} - set(given), set(), name)
            self.assertTrue(thing.__doc__, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
