"""The build backend of `pip install .` (PEP 517): builds the package with CMake in build/release and zips it into a wheel."""
import base64
import hashlib
import pathlib
import subprocess
import sysconfig
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"


def _entry(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    python = sysconfig.get_config_var("py_version_nodot")
    tag = f"cp{python}-cp{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "vouch_python"], cwd=ROOT, check=True)
    package = BUILD / "python"
    files = {str(path.relative_to(package)): path.read_bytes()
             for path in sorted((package / "vouch").rglob("*")) if path.is_file() and "__pycache__" not in path.parts}
    about = f"{project['name']}-{project['version']}.dist-info"
    files[f"{about}/METADATA"] = (f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
                                  f"Summary: {project['description']}\nRequires-Python: {project['requires-python']}\n").encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: vouch\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{about}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = [_entry(name, data) for name, data in files.items()] + [f"{about}/RECORD,,"]
    files[f"{about}/RECORD"] = ("\n".join(record) + "\n").encode()
    name = f"{project['name']}-{project['version']}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name
