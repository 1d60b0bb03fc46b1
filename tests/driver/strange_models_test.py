"""Strange and hostile models (strange_models.py): every subcommand answers within its exit codes, in time and memory; what is written is
written whole, valid where the model was, and computes the same; a model equals itself; what asks for gigabytes is refused by its node.

    strange_models_test.py VOUCH PROJECT [all]

Without `all` every fifth model, and those that were answered wrongly once."""
import pathlib
import resource
import sys
import tempfile

from command import Checks, Vouch
from onnx_judge import is_valid, judge
from strange_models import FILES, LARGE, MODELS

import onnx

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
MOST_KILOBYTES = 1 << 20
ONCE_WRONG = ("einsum_folded", "untyped_input", "strings_equal", "sequence_input", "type_deep", "if_ranks_differ", "loop_grows", "loop_collects",
              "loop_collects_scalars", "loop_of_its_body_alone", "batch_norm_of_five_results",
              "cast_of_not_a_number", "cast_of_beyond")
ENDLESS = ("einsum_folded",)  # a run takes as long as it takes
RULES = ("--rules", root / "rules")
names = [name for k, name in enumerate(MODELS) if "all" in sys.argv[3:] or k % 5 == 0 or name in ONCE_WRONG]
seen_kilobytes = 0


def answers(name, *arguments, codes=(0, 2, 3)):
    global seen_kilobytes
    code, out, errors = vouch(*arguments)
    what = f"{name}: {arguments[0]}"
    checks.that(code in codes, f"{what}: exit {code}: {errors[:300]}")
    checks.that(code != 3 or errors.strip(), f"{what}: refused without a word")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    checks.that(most <= max(seen_kilobytes, MOST_KILOBYTES), f"{what}: {most} kB")
    seen_kilobytes = max(seen_kilobytes, most)
    return code, errors


def fed(path, most=1000):
    """Ones, for inputs of few elements that ONNX Runtime's judge takes; None where another is to be fed."""
    model = onnx.load(str(path), load_external_data=False)
    feeds = []
    for one in model.graph.input:
        kind = {1: "float32", 7: "int64", 9: "bool"}.get(one.type.tensor_type.elem_type)
        dims = [dim.dim_value or 2 for dim in one.type.tensor_type.shape.dim]
        count = 1
        for dim in dims:
            count *= dim
        if kind is None or not 0 < count <= most:
            return None
        feeds.append((one.name, kind, dims, [1] * count))
    return feeds


def arguments_of(feeds, folder):
    out = []
    for k, (name, kind, dims, data) in enumerate(feeds or []):
        code = {"float32": "<f4", "int64": "<i8", "bool": "|b1"}[kind]
        header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': ({''.join(f'{dim}, ' for dim in dims)}), }}".encode()
        header = header.ljust(-(len(header) + 11) % 64 + len(header)) + b"\n"
        one = {"float32": b"\0\0\x80\x3f", "int64": (1).to_bytes(8, "little"), "bool": b"\1"}[kind]
        path = folder / f"{k}.npy"
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + one * len(data))
        out += ["--input", f"{name}={path}"]
    return out


with tempfile.TemporaryDirectory() as made:
    folder = pathlib.Path(made) / "models"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder.parent / "weights.bin").write_bytes(FILES["weights.bin"])
    (folder / "link.bin").symlink_to("/etc/passwd")
    pairs = []
    for name in names:
        path, written = folder / f"{name}.onnx", folder / f"{name}.out.onnx"
        path.write_bytes(MODELS[name])
        code, _ = answers(name, "optimize", path, *RULES, "-o", written)
        checks.that((code == 0) == written.exists(), f"{name}: exit {code}, written: {written.exists()}")
        readable = code == 0
        feeds = fed(path) if readable else None
        feeding = arguments_of(feeds, folder)
        ran, _ = (None, "") if name in ENDLESS else answers(name, "run", path, *feeding)
        for command in (["equiv", path, path], ["diff", path, path], ["draw", path, "-o", folder / "picture.svg"],
                        ["why-not", "relu_relu", path, *RULES], ["build", path, "-o", folder / f"lib_{name}"]):
            # As it stands a model differs from itself only if it draws random numbers; the file's own sizes may not fit.
            answers(name, *command)
        if readable:
            checks.that(is_valid(written) or not is_valid(path), f"{name}: the written model is not valid")
            again, _ = (None, "") if name in ENDLESS else answers(name, "run", written, *feeding)
            checks.that(again == ran, f"{name}: the written model runs otherwise")
            if feeds is not None and is_valid(path) and name not in ENDLESS:
                pairs.append((name, path, written, feeds))
    for name, answer in (judge(sys.argv[1], root, folder, pairs) or {}).items():
        if answer["a"] is None:
            checks.that(answer["b"] is None and answer["difference"] <= 1e-5, f"{name}: ONNX Runtime: {answer}")
    for name, model in LARGE.items():
        path = folder / f"{name}.onnx"
        path.write_bytes(model.SerializeToString())
        answers(name, "optimize", path, *RULES, "-o", folder / "out.onnx")
        answers(name, "why-not", "relu_relu", path, *RULES)
        code, errors = answers(name, "run", path, "--memory", "256M", *arguments_of(fed(path, 1 << 17), folder))
        told = all(part in errors for part in ("node '", "bytes", "more than 268435456", "--memory")) or "steps" in errors
        checks.that(code == 3 and told, f"{name}: exit {code}, not refused by its node and the limit: {errors[:300]}")
print(f"{len(names)} models, {len(LARGE)} large ones, {len(pairs)} judged")
checks.end()
