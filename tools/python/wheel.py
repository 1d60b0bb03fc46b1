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
    # Tests are not part of a wheel; where a build is there, what it has built is taken.
    fresh = [] if (BUILD / "CMakeCache.txt").exists() else ["-DVOUCH_TESTS=OFF"]
    subprocess.run(["cmake", "--preset", "release", *fresh], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "vouch_python", "vouch"], cwd=ROOT, check=True)
    package = BUILD / "python"
    files = {str(path.relative_to(package)): path.read_bytes()
             for path in sorted((package / "vouch").rglob("*")) if path.is_file() and "__pycache__" not in path.parts}
    files[f"{project['name']}-{project['version']}.data/scripts/vouch"] = (BUILD / "vouch").read_bytes()
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
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))  # the same bytes give the same wheel
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".data/scripts/" in path else 0o644) << 16
            wheel.writestr(entry, data)
    return name
