"""ONNX Runtime's word on pairs of models, for tests: where node and its package are not there it is said, and nothing judged."""
import json
import pathlib
import shutil
import subprocess


def judge(program, root, folder, pairs):
    """`pairs`: (name, a, b, feeds), each feed a (name, type, dims, data), and perhaps a dictionary of what else tests/peer/judge.mjs takes.
    A dictionary of its answers by name, or None where ONNX Runtime is not there: tests/peer/packages.sh installs it into the build folder."""
    packages = pathlib.Path(program).resolve().parent / "peer"
    if not (packages / "node_modules" / "onnxruntime-node").is_dir() or shutil.which("node") is None:
        print("not judged by ONNX Runtime: peer/packages installs it, and has not run or could not")
        return None
    listed = pathlib.Path(folder) / "pairs.json"
    listed.write_text(json.dumps([{"name": name, "a": str(a), "b": str(b), "feeds": [
        dict(zip(("name", "type", "dims", "data"), feed)) for feed in feeds], **(more[0] if more else {})} for name, a, b, feeds, *more in pairs]))
    done = subprocess.run(["node", root / "tests" / "peer" / "judge.mjs", packages, listed], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return {answer["name"]: answer for answer in json.loads(done.stdout)}


def is_valid(path):
    """What ONNX's own checker says of the file."""
    import onnx  # those who ask ONNX Runtime alone need it not
    try:
        onnx.checker.check_model(str(path))
    except Exception:  # whatever it is that the checker finds
        return False
    return True
