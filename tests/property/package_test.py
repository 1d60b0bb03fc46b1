#!/usr/bin/env python3
"""The Debian package on a bare machine: a minimal Debian 12 is made with mmdebstrap in a folder of its own, and there the package is
installed by apt and used: without Coq (everything but certificates), then with it.

package_test.py CMAKE BUILD

Needs root, mmdebstrap, and Debian's packages to be had; says plainly where that is not so, and then checks only what the package holds."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
cmake, build = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", **options)


def expect(what, answer, status, *texts):
    said = answer.stdout + answer.stderr
    for text in texts or ("",):
        if answer.returncode != status or text not in said:
            failures.append(f"{what}: exit {answer.returncode}, expected {status} and '{text}'\n{said[-3000:]}")


def end(text):
    print("\n".join(failures) or text)
    sys.exit(1 if failures else 0)


def contents(package):
    """What a package must hold, and what it must not: paths of the machine that made it."""
    listed = run("dpkg-deb", "-c", package).stdout
    for path in ("usr/bin/vouch", "usr/lib/libvouch.so.0", "usr/include/vouch/vouch.h", "usr/lib/cmake/Vouch/VouchConfig.cmake",
                 "usr/share/vouch/rules/noop.gsl", "usr/share/vouch/rules/dialect/to_onnx.gsl", "usr/lib/vouch/coq/Main.vo",
                 "usr/share/vouch/ci-check", "usr/share/man/man1/vouch.1", "usr/share/bash-completion/completions/vouch"):
        if f"./{path}" not in listed:
            failures.append(f"the package lacks {path}")
    depends = run("dpkg-deb", "-f", package, "Depends").stdout
    for library in ("libz3-4", "libc6", "libfmt9", "libprotobuf"):
        if library not in depends:
            failures.append(f"the package does not depend on {library}: {depends}")
    with tempfile.TemporaryDirectory() as folder:
        run("dpkg-deb", "-x", package, folder)
        for name in ("usr/bin/vouch", "usr/lib/libvouch.so.0.1.0"):
            file = pathlib.Path(folder) / name
            if str(build).encode() in file.read_bytes():
                failures.append(f"{name} names the folder it was built in")


def use(root, package):
    def inside(command):
        return run("chroot", root, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive",
                   "sh", "-c", command, timeout=1500)

    expect("nothing of ours is there", inside("command -v vouch g++ coqc z3"), 127, "")
    expect("that a machine has /proc", run("mount", "-t", "proc", "proc", root / "proc"), 0)
    shutil.copy(package, root / "vouch.deb")
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    expect("apt-get install", inside("apt-get update -qq && apt-get install -y -qq --no-install-recommends /vouch.deb"), 0)
    expect("--version", inside("vouch --version"), 0, "vouch 0.1.0", "commit ", "Z3 4.")
    expect("check", inside("vouch check /usr/share/vouch/rules/noop.gsl"), 0, "sound (exact)")
    expect("check, refuted", inside("vouch check /usr/share/vouch/rules/unsound/gsl.gsl --rule bias_add_add_ranks"), 1, "out0[0, 0, 1]")
    mnist = "/usr/share/vouch/models/mnist"
    expect("optimize, by the shipped rules", inside(f"vouch optimize {mnist}/model.onnx -o /small.onnx --io {mnist}/io"), 0, "written")
    expect("run", inside(f"vouch run /small.onnx --io {mnist}/io"), 0)
    expect("equiv", inside(f"vouch equiv {mnist}/model.onnx /small.onnx"), 0, "equal (real)")
    expect("compile", inside("vouch compile /usr/share/vouch/kernels/vector/dot.fun -o /dot"), 0, "dot.c")
    expect("verify, without Coq", inside("vouch verify /dot"), 2, "coqc was not found")
    expect("apt-get install coq", inside("apt-get install -y -qq --no-install-recommends coq python3"), 0)
    expect("verify", inside("vouch verify /dot"), 0, "certified")
    expect("ci-check", inside("cd /tmp && /usr/share/vouch/ci-check /usr/share/vouch/rules/noop.gsl && cat vouch-badge.json"), 0, "brightgreen")
    expect("Python", inside("PYTHONPATH=/usr/lib/vouch/python python3 -c 'import vouch; print(vouch.__version__)'"), 0, "0.1.0")
    expect("remove", inside("apt-get purge -y -qq vouch && test ! -e /usr/bin/vouch && test ! -e /usr/share/vouch"), 0)


made = run(cmake, "--build", build, "--target", "deb")
expect("the target deb", made, 0)
package = next(build.glob("vouch_*_amd64.deb"), None)
if package is None:
    failures.append(f"no package was made\n{made.stdout}{made.stderr}")
    end("")
contents(package)
if shutil.which("mmdebstrap") is None or os.geteuid() != 0:
    print("not run on a bare machine: mmdebstrap is not there (apt-get install mmdebstrap), or this is not root")
    sys.exit(1 if failures else SKIPPED)
with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder) / "root"
    done = run("mmdebstrap", "--mode=root", "--variant=minbase", "bookworm", root, timeout=1500)
    if done.returncode != 0:
        print(f"not run on a bare machine: mmdebstrap could not make one\n{done.stderr[-1000:]}")
        sys.exit(1 if failures else SKIPPED)
    os.chmod(folder, 0o755)
    try:
        use(root, package)
    finally:
        run("umount", root / "proc")
end("the package installs on a bare Debian 12 and does its work there")
