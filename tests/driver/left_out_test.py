"""A list that a model leaves out (strides, dilations, pads) is in conditions what the operator table says it means, and what is copied
from there: rules fire where it is left out as where it is given, and not where something else is."""
import os
import pathlib
import sys
import tempfile

from command import Checks, Vouch
from rule_site import RuleSite

vouch = Vouch(sys.argv[1])
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(folder / "cache")
os.environ["XDG_STATE_HOME"] = str(folder / "state")

POOL = "let x = * {rank = 4, dtype = float32}; let m = MaxPool(x); "
CONV = "let x = * {rank = 4, dtype = float32}; let w = * {rank = 4}; let m = Conv(x, w); "
RULES = {
    "one_item": POOL + "where m.dilations[0] == 1 and m.dilations[1] == 1; source Identity(m); target MaxPool(x) {* as m, dilations = (1, 1)};",
    "whole_list": CONV + "where m.strides == (1, 1); source Identity(m); target Conv(x, w) {* as m, strides = (1, 1)};",
    "pattern": "let x = * {rank = 4, dtype = float32}; let m = MaxPool(x) {strides = (1, 1)}; source Identity(m);"
               " target MaxPool(x) {* as m, strides = _};",
    "other_name": POOL + "where m.strides == m.dilations; source Identity(m); target MaxPool(x) {* as m, dilations = m.strides};",
    "no_pads": POOL + 'where m.auto_pad == "NOTSET" and m.pads == (0, 0, 0, 0); source Identity(m); target MaxPool(x) {* as m, pads = _};',
    "strided": POOL + "where m.strides[0] == 2; source Identity(m); target MaxPool(x) {* as m, auto_pad as m};",
    "forgets": POOL + "where m.dilations[0] == 1; source Identity(m); target MaxPool(x) {* as m, strides = _};",
}
SITES = [  # rule, attributes that the model gives, whether it fires
    ("one_item", {}, True),
    ("one_item", {"dilations": [1, 1]}, True),
    ("one_item", {"dilations": [1, 2]}, False),
    ("whole_list", {}, True),
    ("whole_list", {"strides": [1, 1]}, True),
    ("whole_list", {"strides": [1, 2]}, False),
    ("pattern", {}, True),
    ("pattern", {"strides": [2, 1]}, False),
    ("other_name", {}, True),
    ("other_name", {"dilations": [2, 2]}, False),
    ("other_name", {"strides": [2, 2]}, False),
    ("other_name", {"strides": [2, 2], "dilations": [2, 2]}, True),
    ("no_pads", {}, True),
    ("no_pads", {"pads": [0, 0, 1, 0]}, False),
    ("no_pads", {"auto_pad": "SAME_UPPER"}, False),
    ("strided", {}, False),
    ("strided", {"strides": [2, 1]}, True),
    ("forgets", {}, False),
    ("forgets", {"strides": [2, 2]}, False),
]
TYPE = {"type": "float32"}


def model(rule, given):
    conv = "Conv" in RULES[rule]
    operands, more = (["x", "w"], {}) if conv else (["x"], {"kernel_shape": [2, 2]})
    inputs = [{"name": "x", "dims": [1, 2, 8, 9], **TYPE}] + ([{"name": "w", "dims": [3, 2, 2, 2], **TYPE}] if conv else [])
    nodes = [{"name": "m", "op": "Conv" if conv else "MaxPool", "operands": operands, "attributes": {**more, **given}},
             {"name": "y", "op": "Identity", "operands": ["m"]}]
    return {"vouch": 1, "inputs": inputs, "nodes": nodes, "outputs": [{"name": "y", "value": "y"}]}


for rule, given, fires in SITES:
    site = RuleSite(vouch, checks, folder, rule, RULES[rule], model(rule, given))
    if site.reasons is not None:
        checks.that((site.fired > 0) == fires, f"{rule} {given}: fired {site.fired} times: {site.reasons}")
checks.end()
