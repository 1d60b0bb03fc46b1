"""The thesis' sample program (its figure of the rule that merges parallel convolutions), unchanged but for the import line, on a
model read from ONNX: a small one made here, and the real Inception with its nine sites where it is there.

    sample_test.py ROOT"""
import json
import pathlib
import random
import struct
import sys
import tempfile

from vouch import pat, attr, op, Subst
from vouch import Workload


def merge(wl):
    # 输入
    x = pat.Wildcard()
    w1 = pat.Variable()
    w = pat.Variable(shape=(None, None, w1.shape[2], w1.shape[3]))

    # 源模式
    conv1 = op.Conv2D(x, w1, groups=1)
    conv_attrs = ['strides', 'padding', 'dilation', 'groups']
    conv = op.Conv2D(x, w, **pat.same_attr(conv1, conv_attrs))
    src = pat.Variadic(conv, templates=[conv, w], first=[conv1, w1], min_len=2)

    # 目标模式
    i = attr.Symbol()
    w_inst = src(w, i)
    concat = op.Concatenate(pat.Variadic(w_inst, templates=[w_inst], index=i, length=src.length), axis=0)
    conv = op.Conv2D(x, concat, **pat.same_attr(conv1, conv_attrs))
    split = op.Split(conv, axis=1, indices_or_sections=attr.Variadic(lambda j: attr.ReduceIndexed(attr.BinaryOp.ADD, lambda k: src(w, k).shape[0], j + 1), length=src.length - 1))
    i = attr.Symbol()
    item = split[i]
    tgt = pat.Variadic(item, templates=[item], index=i)

    # 创建替换规则
    subst = Subst(src, tgt)

    # 将替换作用于工作负载
    new_wl = subst(wl)
    return subst, new_wl


def small_model(folder):
    """Three convolutions of one image, two of them with a 3x3 kernel and one with 1x1, as an ONNX file."""
    draw = random.Random(7)
    nodes, outputs = [], []
    for name, channels, size in [("a", 2, 3), ("b", 3, 3), ("c", 4, 1)]:
        values = [draw.randint(-8, 8) / 8 for _ in range(channels * 2 * size * size)]
        nodes.append({"name": f"w{name}", "kind": "parameter", "type": "float32", "dims": [channels, 2, size, size], "data": values})
        nodes.append({"name": name, "op": "Conv", "operands": ["x", f"w{name}"], "attributes": {"pads": [size // 2] * 4}})
        outputs.append({"name": name, "value": name})
    graph = {"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [1, 2, 5, 4]}], "nodes": nodes, "outputs": outputs}
    Workload.from_json(json.dumps(graph)).save(folder / "small.onnx")
    return folder / "small.onnx"


def same_outputs(before, after, inputs):
    a, b = before.run(inputs), after.run(inputs)
    assert a.keys() == b.keys()
    for name in a:
        x, y = a[name], b[name]
        assert x.shape == y.shape and x.dtype == y.dtype, name
        flat_x, flat_y = memoryview(x).cast("B").cast("f"), memoryview(y).cast("B").cast("f")
        most = max(map(abs, flat_x), default=0)
        assert all(abs(u - v) <= 1e-4 * most for u, v in zip(flat_x, flat_y)), name


def float_input(shape, draw):
    count = 1
    for size in shape:
        count *= size
    return memoryview(struct.pack(f"<{count}f", *(draw.random() for _ in range(count)))).cast("f", shape)


def main():
    root = pathlib.Path(sys.argv[1])
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        wl = Workload.from_onnx(small_model(pathlib.Path(folder)))
        subst, new_wl = merge(wl)
        assert new_wl.fired == {"subst": 1}, new_wl.fired
        assert wl.operators == {"Conv": 3}, wl.operators
        assert new_wl.operators["Conv"] == 2 and new_wl.operators["Split"] == 1, new_wl.operators
        same_outputs(wl, new_wl, {"x": float_input((1, 2, 5, 4), draw)})
        new_wl.save(pathlib.Path(folder) / "merged.onnx")
        same_outputs(wl, Workload(pathlib.Path(folder) / "merged.onnx"), {"x": float_input((1, 2, 5, 4), draw)})

    model = root / ".." / "shared" / "data" / "models" / "inception_v1_light" / "model.onnx"
    if not model.exists():
        print(f"without the real model: {model} is not there")
        return
    wl = Workload.from_onnx(model)
    _, new_wl = merge(wl)
    assert new_wl.fired == {"subst": 9}, new_wl.fired
    assert (wl.operators["Conv"], new_wl.operators["Conv"]) == (57, 57 - 9 * 2), new_wl.operators
    (name, _, shape), = wl.inputs
    same_outputs(wl, new_wl, {name: float_input(shape, draw)})


main()
