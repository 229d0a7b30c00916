#!/usr/bin/env python3
"""How many workers one Redis server keeps busy: workers of the queue whose work is to sleep.

    bench/run queued_workers [WORKERS [SECONDS]]     default 1000, 60

Half of the workers are those of each pool. Each is a thread (bench/queue_loops.cc) with the code that
`kernelmill worker` talks to the server with: it takes a message, renews its lease in a thread of its own,
sleeps for 1 to 10 seconds, and hands the message on or removes it. A worker is busy while it sleeps. All of
them and the server run on this machine, so the figure is one of the server and the protocol together with
what the clients cost.
"""

import pathlib
import resource
import sys
import tempfile

from loops import BUILD, ROOT, Goals, run
from processor_time import seconds_of

sys.path.insert(0, str(ROOT / "tests/cluster"))
import redis  # noqa: E402

LEAST_BUSY = 0.9


def main():
    workers = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    # Two connections each.
    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * workers + 100,) * 2)
    with tempfile.TemporaryDirectory() as folder, redis.Server(
            pathlib.Path(folder) / "redis", "--maxclients", str(3 * workers)) as server:
        found = run(BUILD / "bench/queue_loops", server.url, workers, seconds)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        of_server = seconds_of(server.process.pid)
    done = found["done"]
    print(f"{workers} workers, {done} messages of {found['mean_seconds']:.1f} s on average in "
          f"{seconds:.0f} s")
    print(f"processor time a message: {1e3 * of_server / done:.2f} ms of the server, "
          f"{1e3 * (usage.ru_utime + usage.ru_stime) / done:.2f} ms of the workers")
    goals = Goals()
    goals.at_least("share of the time that the workers are busy", found["busy"], LEAST_BUSY)
    sys.exit(1 if goals.failed else 0)


if __name__ == "__main__":
    main()
