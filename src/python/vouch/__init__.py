"""Vouch: graph substitutions that are proven before they fire.

    from vouch import pat, op, Subst, Workload

    x = pat.Wildcard()
    twice = Subst(op.Relu(op.Relu(x)), op.Relu(x))
    print(twice)                  # the rule as text
    print(twice.check())          # sound (exact), for all shapes and values
    smaller = twice(Workload("model.onnx"))

Patterns are made by `pat` and `op`, attribute expressions by accesses (`x.shape[0]`) and by `attr`; `Subst` makes a rule of
them, `Workload` is a model. What cannot be understood raises `Error`, with the text that the command `vouch` prints; places
are those of the Python program.
"""
from vouch import attr, op, pat
from vouch.command import build, compile, grad, verify
from vouch._vouch import Error, Tensor
from vouch.equivalence import Equivalence, equiv
from vouch.subst import Subst, UnprovenWarning, Verdict, load_rules, parse_rules
from vouch.workload import Workload

__version__ = "0.1.0"
__all__ = ["Equivalence", "Error", "Subst", "Tensor", "UnprovenWarning", "Verdict", "Workload", "attr", "build", "compile", "equiv",
           "grad", "load_rules", "op", "parse_rules", "pat", "verify"]
