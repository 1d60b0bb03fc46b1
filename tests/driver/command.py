"""Running the command in tests: exit code, output, and limits that a lie in a file would break."""
import contextlib
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

SKIPPED = 77  # CTest's SKIP_RETURN_CODE
MOST_MEMORY = 3 << 30
MOST_SECONDS = 60


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def heed_signals():
    """In a child that is to be ended by them: what runs under nohup, or as a shell's background job, inherits them ignored."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def living(processes, seconds=10):
    """Those of the processes, by number, that still run when the time is over: on a busy machine a killed one takes a moment to end."""
    end = time.monotonic() + seconds
    while True:
        alive = []
        for number in processes:
            try:
                state = pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
            except (FileNotFoundError, ProcessLookupError):
                continue
            alive += [number] if state not in "ZX" else []
        if not alive or time.monotonic() > end:
            return alive
        time.sleep(0.02)


@contextlib.contextmanager
def users_cache():
    """What Coq says of its library takes it several seconds: asked for once, it is kept in the user's cache for all tests."""
    own = os.environ.pop("VOUCH_CACHE", None)
    try:
        yield
    finally:
        if own is not None:
            os.environ["VOUCH_CACHE"] = own


def has_prover(program):
    """Coq's compiler is there, and beside the command the library that it asks."""
    return shutil.which("coqc") is not None and (pathlib.Path(program).resolve().parent / "coq/certify/Certificate.vo").exists()


class Vouch:
    def __init__(self, program):
        self.program = program

    def __call__(self, *arguments, limited=True, seconds=MOST_SECONDS):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, errors="replace",
                              timeout=seconds, preexec_fn=limit if limited else None)
        return done.returncode, done.stdout, done.stderr


def on_terminal(words, terminal, environment=None):
    """The exit code, and what is said on standard error where it is a terminal of this kind."""
    outer, inner = pty.openpty()
    running = subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL, stderr=inner, env=os.environ | (environment or {}) | {"TERM": terminal})
    os.close(inner)
    said = b""
    try:
        while part := os.read(outer, 4096):
            said += part
    except OSError:  # of a terminal that nobody writes to any more
        pass
    os.close(outer)
    return running.wait(), said.decode()


def bars(said, label):
    """How many of how many each bar says; none where they go back, or where a trace of them is left."""
    counts = [tuple(map(int, pair)) for pair in re.findall(rf"{label} \[[= ]*\] (\d+)/(\d+)", said)]
    return counts if counts == sorted(counts) and said.endswith("\r\033[K") else []


class Checks:
    """Counts failures and says what they were; a test that checked nothing fails."""

    def __init__(self):
        self.done = 0
        self.failed = 0

    def that(self, condition, what):
        self.done += 1
        if not condition:
            self.failed += 1
            print("FAILED:", what)

    def end(self):
        print(f"{self.done} checks, {self.failed} failed")
        sys.exit(1 if self.failed or not self.done else 0)
