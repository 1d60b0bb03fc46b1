"""The build backend of `pip install .` (PEP 517): builds the package with CMake in build/release and zips it into a wheel. Where
$VOUCH_PREFIX names an installed tree of the same version, that is packed and nothing is built."""
import base64
import hashlib
import os
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


def _installed(prefix, version):
    """The package and the command of an installed tree."""
    said = subprocess.run([prefix / "bin/vouch", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    if said != f"vouch {version}":
        raise SystemExit(f"$VOUCH_PREFIX: {prefix} holds '{said}', and this is vouch {version}")
    return prefix / "lib/vouch/python", prefix / "bin/vouch"


def _built():
    # Tests are not part of a wheel; where a build is there, what it has built is taken.
    fresh = [] if (BUILD / "CMakeCache.txt").exists() else ["-DVOUCH_TESTS=OFF", "-DVOUCH_UNITY=ON"]
    subprocess.run(["cmake", "--preset", "release", *fresh], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "vouch_python", "vouch"], cwd=ROOT, check=True)
    return BUILD / "python", BUILD / "vouch"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    python = sysconfig.get_config_var("py_version_nodot")
    tag = f"cp{python}-cp{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    prefix = os.environ.get("VOUCH_PREFIX")
    package, command = _installed(pathlib.Path(prefix), project["version"]) if prefix else _built()
    files = {str(path.relative_to(package)): path.read_bytes()
             for path in sorted((package / "vouch").rglob("*")) if path.is_file() and "__pycache__" not in path.parts}
    files[f"{project['name']}-{project['version']}.data/scripts/vouch"] = command.read_bytes()
    for path in sorted((ROOT / "rules").rglob("*.gsl")):  # where the command looks for the shipped ones
        files[f"{project['name']}-{project['version']}.data/data/share/vouch/{path.relative_to(ROOT)}"] = path.read_bytes()
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
            entry.external_attr = (0o100755 if ".data/scripts/" in path else 0o100644) << 16  # a regular file: pip asks
            wheel.writestr(entry, data)
    return name
