"""ONNX's conformance models, optimised and optimised once more: each is read, the second run fires nothing and writes the same bytes, and the
versions that a model names stay.

    twice_test.py VOUCH PROJECT [all]

Without `all` every twelfth model, and all that were written in another way by a second run once."""
import json
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import onnx
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)
DATA = pathlib.Path("/usr/share/libonnx-testdata/data")
if not DATA.is_dir():
    print("not run: libonnx-testdata is not installed")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
OLDEST_OPSET, OLDEST_IR = 7, 4  # that are written
ONCE_WRONG = ("test_dropout_default_mask", "test_gru_defaults", "test_gru_seq_length", "test_if", "test_loop11", "test_lstm_batchwise", "test_lstm_defaults",
              "test_scan9_sum", "test_softmax_example_expanded", "test_range_int32_type_negative_delta_expanded", "test_simple_rnn_defaults",
              "test_resize_upsample_scales_linear", "test_upsample_nearest", "test_adam", "test_momentum_multiple", "test_sequence_map_identity_2_sequences_expanded",
              "test_sequence_map_identity_1_sequence_1_tensor_expanded")
models = sorted(DATA.glob("*/*/model.onnx"))
if "all" not in sys.argv[3:]:
    models = [path for k, path in enumerate(models) if k % 12 == 0 or path.parent.name in ONCE_WRONG]


def optimize(path, written):
    code, out, errors = vouch("optimize", path, "--rules", root / "rules", "-o", written, "--json", "-")
    checks.that(code == 0, f"{path}: exit {code}: {errors[:300]}")
    return json.loads(out) if code == 0 else None


def versions(path):
    model = onnx.load(str(path), load_external_data=False)
    return model.ir_version, {used.domain: used.version for used in model.opset_import}


def keeps_versions(path, written):
    (old_ir, old), (new_ir, new) = versions(path), versions(written)
    raised = {domain: max(version, OLDEST_OPSET) if domain == "" else version for domain, version in old.items()}
    checks.that(new == raised and new_ir == max(old_ir, OLDEST_IR), f"{path}: versions {old_ir} {old} became {new_ir} {new}")


with tempfile.TemporaryDirectory() as folder:
    first, second = pathlib.Path(folder) / "first.onnx", pathlib.Path(folder) / "second.onnx"
    for path in models:
        if optimize(path, first) is None:
            continue
        again = optimize(first, second)
        fired = again and {**{rule["name"]: rule["fired"] for rule in again["rules"] if rule["fired"]},
                           **{key: again[key] for key in ("folded", "merged") if again[key]}}
        checks.that(not fired, f"{path}: a second run does more: {fired}")
        checks.that(again is None or first.read_bytes() == second.read_bytes(), f"{path}: a second run writes other bytes")
        keeps_versions(path, first)
print(f"{len(models)} models")
checks.end()
