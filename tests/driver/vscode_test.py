"""The extension for Visual Studio Code without the editor: its client against the real server, and what `npm pack` packs.

    vscode_test.py VOUCH ROOT"""
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

from command import SKIPPED, Checks

vouch, extension = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve() / "editors/vscode"
checks = Checks()
if not shutil.which("node"):
    print("not run: Node is not there (Debian: nodejs)")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as folder:
    spoken = subprocess.run(["node", extension / "test.js", vouch], capture_output=True, text=True, timeout=120, cwd=folder)
    checks.that(spoken.returncode == 0, f"{spoken.stdout}{spoken.stderr}")
    if shutil.which("npm"):
        packed = subprocess.run(["npm", "pack", "--silent", "--offline", "--pack-destination", folder, extension], capture_output=True, text=True,
                                timeout=120, cwd=folder)
        archives = list(pathlib.Path(folder).glob("*.tgz"))
        checks.that(packed.returncode == 0 and len(archives) == 1, f"npm pack: {packed.stdout}{packed.stderr}")
        names = set(tarfile.open(archives[0]).getnames()) if archives else set()
        expected = {f"package/{name}" for name in ("package.json", "extension.js", "client.js", "README.md", "language-configuration.json",
                                                   "syntaxes/gsl.tmLanguage.json", "syntaxes/tk.tmLanguage.json", "syntaxes/fun.tmLanguage.json")}
        checks.that(names == expected, f"packed: {names ^ expected}")
    else:
        print("not run: npm pack: npm is not there")
checks.end()
