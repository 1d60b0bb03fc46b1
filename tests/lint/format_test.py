"""format_test.py ROOT: every C++ file is as `.clang-format` says (`clang-format -i FILE` mends it). 77 where clang-format is not there."""
import pathlib
import shutil
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
program = shutil.which("clang-format-14") or shutil.which("clang-format")
if program is None:
    print("not run: clang-format is not there (Debian: clang-format)")
    sys.exit(77)
files = [path for top in ("src", "tests") for path in sorted((root / top).rglob("*")) if path.suffix in (".cpp", ".h")]
assert len(files) > 300, f"only {len(files)} files were found under {root}"
done = subprocess.run([program, "--dry-run", "--Werror", *map(str, files)], capture_output=True, text=True)
print(done.stderr[-4000:])
sys.exit(done.returncode)
