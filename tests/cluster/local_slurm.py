"""A Slurm cluster of two nodes on this machine, in a folder of its own: munged, slurmctld, and a slurmd for each node, as root.

Debian: slurmctld slurmd slurm-client munge. Ports are loopback's; everything ends with `close`."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sinfo")

CONFIGURATION = """ClusterName=local
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/run/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/run/ctld.pid
SlurmdPidFile={folder}/run/slurmd.%n.pid
SlurmctldPort={ports[0]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
SlurmdTimeout=6
MessageTimeout=5
InactiveLimit=10
JobRequeue=0
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,defer
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 RealMemory=4000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1 RealMemory=4000
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Why there can be no cluster here; empty if there can."""
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    return f"{', '.join(absent)} not there" if absent else "" if os.geteuid() == 0 else "this is not root"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.processes = {}
        for name in ("state", "log", "run", "key", "spool.n1", "spool.n2"):
            (self.folder / name).mkdir(parents=True)
        os.chmod(self.folder, 0o755)
        key = self.folder / "key" / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        key.parent.chmod(0o700)
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(host=socket.gethostname(), folder=self.folder, ports=free_ports(3)))
        self.environment = os.environ | {"SLURM_CONF": str(self.folder / "slurm.conf")}
        run = self.folder / "run"
        self.start("munged", "--force", "--foreground", f"--key-file={key}", f"--socket={run}/munge.socket", f"--pid-file={run}/munged.pid",
                   f"--log-file={self.folder}/log/munged.log", f"--seed-file={run}/seed")
        self.wait(lambda: (run / "munge.socket").exists(), "munged")
        self.start("slurmctld", "-D")
        for node in ("n1", "n2"):
            self.start("slurmd", "-D", "-N", node, called=node)
        self.wait(lambda: self.idle() == 2, "two idle nodes")

    def start(self, *words, called=None):
        name = called or words[0]
        log = open(self.folder / "log" / f"{name}.out", "wb")
        self.processes[name] = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, env=self.environment, start_new_session=True)

    def wait(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                logs = "".join(f"--- {log.name}\n{log.read_text(errors='replace')[-800:]}" for log in sorted((self.folder / "log").iterdir()))
                self.close()
                raise TimeoutError(f"{what}: not within {seconds} s\n{logs}")
            time.sleep(0.2)

    def states(self):
        said = subprocess.run(["sinfo", "-h", "-N", "-o", "%N %T"], env=self.environment, capture_output=True, text=True).stdout
        return dict(line.split() for line in said.splitlines() if len(line.split()) == 2)

    def idle(self):
        return sum(state == "idle" for state in self.states().values())

    def kill_node(self, name):
        """As if its power was cut: the daemon and all that it started, at once."""
        below = self.children(self.processes[name].pid)
        for process in (self.processes[name].pid, *below):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.processes.pop(name).wait()

    def children(self, process):
        """All below it, also those that left its session: a node's steps name the node on their command lines."""
        parents = {}
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parents.setdefault(int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]), []).append(int(entry.name))
                except (OSError, ValueError):
                    pass
        found, left = [], [process]
        while left:
            for child in parents.get(left.pop(), []):
                found.append(child)
                left.append(child)
        return found

    def close(self):
        for process in reversed(list(self.processes.values())):
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
        self.processes = {}
