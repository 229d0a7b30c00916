"""A Slurm cluster of its own for a test: munged, slurmctld and three slurmd, all on this machine and
as this user, in one folder. The packages are those of the group `cluster` in
tools/setup/debian_packages; nothing of an installed Slurm is configured or used."""

import contextlib
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

NODES = ("n1", "n2", "n3")
DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
PATIENCE = 30  # Seconds until a daemon must answer.


def why_not():
    """Why no cluster can be started here; empty if one can."""
    missing = [name for name in DAEMONS if _program(name) is None]
    if missing:
        return ("Slurm is not installed (" + ", ".join(missing) +
                "); ./kernelmill test installs the group cluster of tools/setup/debian_packages")
    return ""


def _program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def _free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Forbidden(Exception):
    """This machine does not let a user run such daemons."""


class Cluster:
    """Use it as a context. `environment` is for programs that talk to the cluster."""

    def __init__(self, folder, largest_array=1001):
        # munged refuses to trust a folder that others can write to.
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o755)
        self.largest_array = largest_array
        self.daemons = {}  # By the name of the program or the node.
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        try:
            self._configure()
            self._start_munge()
            self._start("slurmctld", "slurmctld", "-D", "-i", "-f", self.folder / "slurm.conf")
            for node in NODES:
                self.start_node(node)
            self._wait(self._all_idle, "the nodes do not become idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            self.command("scancel", "--me", check=False, timeout=10)
            deadline = time.monotonic() + 15
            while (self.command("squeue", "--noheader", check=False, timeout=10)
                   and time.monotonic() < deadline):
                time.sleep(0.1)
        for process in reversed(self.daemons.values()):
            _stop(process)

    def command(self, *words, check=True, timeout=60):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              check=False, env=self.environment, timeout=timeout)
        if check and done.returncode != 0:
            raise AssertionError(f"{words}: {done.stderr}\n{self.logs()}")
        return done.stdout

    def start_node(self, node):
        self._start(node, "slurmd", "-D", "-N", node, "-f", self.folder / "slurm.conf")

    def kill_node(self, node):
        """Kills the daemon of a node and the programs that run on it, as if the machine were
        lost."""
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                variables = path.read_bytes().split(b"\0")
                if (f"SLURMD_NODENAME={node}".encode() in variables
                        and f"SLURM_CONF={self.folder}/slurm.conf".encode() in variables):
                    os.kill(int(path.parent.name), signal.SIGKILL)
        daemon = self.daemons.pop(node)
        daemon.kill()
        daemon.wait()

    def logs(self):
        texts = []
        for path in sorted(self.folder.glob("*.log")):
            texts.append(f"{path.name}:\n" + path.read_text(errors="replace")[-1500:])
        return "\n".join(texts)

    def _start(self, name, program, *words):
        with open(self.folder / f"{name}.log", "ab") as log:
            self.daemons[name] = subprocess.Popen(
                [_program(program), *map(str, words)], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, env=self.environment, start_new_session=True)

    def _start_munge(self):
        key, place = self.folder / "munge.key", self.folder
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self._start("munged", "munged", "--foreground", "--force", f"--key-file={key}",
                    f"--socket={place}/munge.socket", f"--pid-file={place}/munge.pid",
                    f"--seed-file={place}/munge.seed", f"--log-file={place}/munge_own.log")
        self._wait((place / "munge.socket").exists, "munged does not start")

    def _configure(self):
        user, host = getpass.getuser(), socket.gethostname().partition(".")[0]
        ports = _free_ports(1 + len(NODES))
        lines = [
            "ClusterName=kernelmill", f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmctldPort={ports[0]}", "AuthType=auth/munge", "CredType=cred/munge",
            # A task of a lost node is put back into the queue when its credential has expired.
            f"AuthInfo=socket={self.folder}/munge.socket,cred_expire=5",
            f"SlurmUser={user}", f"SlurmdUser={user}",
            f"StateSaveLocation={self.folder}/state", f"SlurmdSpoolDir={self.folder}/spool.%n",
            f"SlurmctldPidFile={self.folder}/slurmctld.pid",
            f"SlurmdPidFile={self.folder}/slurmd.%n.pid",
            "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core",
            "SwitchType=switch/none", "MpiDefault=none",
            "JobAcctGatherType=jobacct_gather/none",
            "AccountingStorageType=accounting_storage/none",
            "SlurmdTimeout=5", "ReturnToService=2", "KillWait=2",
            "SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1",
            f"MaxArraySize={self.largest_array}"]
        for node, port in zip(NODES, ports[1:]):
            lines.append(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
                         "CPUs=1 RealMemory=1000")
        lines.append(f"PartitionName=cpu Nodes={','.join(NODES)} Default=YES MaxTime=INFINITE "
                     "State=UP")
        (self.folder / "state").mkdir()
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _all_idle(self):
        done = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%T"],
                              capture_output=True, text=True, check=False, env=self.environment,
                              timeout=20)
        return done.stdout.split() == ["idle"] * len(NODES)

    def _wait(self, holds, problem):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            ended = [name for name, process in self.daemons.items() if process.poll() is not None]
            if time.monotonic() > deadline or ended:
                text = self.logs()
                if "Operation not permitted" in text or "Permission denied" in text:
                    raise Forbidden(f"{problem}: this machine forbids it:\n{text}")
                raise AssertionError(f"{problem} (ended: {ended}):\n{text}")
            time.sleep(0.1)


def _stop(process):
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
