#!/usr/bin/env python3
"""What `kernelmill serve` can take: the rate of known verdicts, and its memory under a long load.

    bench/run serve [SECONDS]     default 180

First, 8 clients ask for known verdicts as fast as they can, for 10 seconds. Then 200 clients ask
for SECONDS: 95 % of the requests are for known verdicts, or a few times for new ones, and 5 % are
hostile (tests/e2e/hostile_requests.py). Every verdict must be, byte for byte, the one that `verify`
writes, and every refused request must be answered. Memory is compared between a tenth of the time
and the end, of a service that has judged before. The clients run on the same processors as the service, and need more of them.
"""

import http.client
import json
import multiprocessing
import os
import pathlib
import random
import sys
import tempfile
import threading
import time

from loops import ROOT
from processor_time import seconds_of

sys.path.insert(0, str(ROOT / "tests/e2e"))
import program  # noqa: E402
import verify_run  # noqa: E402
from hostile_requests import HOSTILE, status_of  # noqa: E402
from serve_client import Service, verdict_bytes  # noqa: E402

CLIENTS, PROCESSES, HOSTILE_SHARE, NEW_SHARE, MOST_GROWTH = 200, 4, 0.05, 0.0005, 1.25
ANSWERS = ("honest/relu.md", "cheats/torch_function.py", "native_cheats/does_not_compile.py",
           "native_cheats/empty_kernel.py")


def known_verdicts(folder):
    """[(body of a request, bytes of the verdict)], as `verify` judges a run folder."""
    checkout, samples = verify_run.lay_out(folder, ANSWERS)
    done = program.run("verify", "--kernelbench", checkout, "--run", samples, "--policy", "strict")
    if done.returncode != 0:
        sys.exit(done.stderr)
    lines = (samples / "verdicts.jsonl").read_bytes().splitlines()
    known = []
    for name, line in zip(ANSWERS, lines):
        task, code = verify_run.read_answer(name)
        reference = (ROOT / f"tests/stages/verify/tasks/{task}.py").read_text()
        known.append(({"reference": reference, "code": code}, verdict_bytes(line)))
    return known


def renewed(body):
    """The same request with a text that has no verdict yet."""
    return {**body, "code": f"{body['code']}\n# {os.getpid()} {time.time_ns()}\n"}


class Client:
    """Asks over one connection, which it keeps."""

    def __init__(self, port):
        self._port, self._connection = port, None

    def verify(self, body):
        """(status, bytes) of the response."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=300)
        self._connection.request("POST", "/v1/verify", body, {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        text = response.read()
        if response.will_close:
            self._connection.close()
            self._connection = None
        return response.status, text


def ask_fast(port, known, seconds, counts):
    client, number = Client(port), 0
    bodies = [(json.dumps(body), verdict) for body, verdict in known]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        body, verdict = bodies[number % len(bodies)]
        status, text = client.verify(body)
        if status != 200 or verdict_bytes(text) != verdict:
            raise SystemExit(f"a wrong verdict: {status} {text[:200]}")
        number += 1
    counts.put(number)


def load(service, port, known, seconds, seed, counts):
    """The work of a client under load."""
    chance, client = random.Random(seed), Client(port)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(chance.uniform(0, 2))
        if chance.random() < HOSTILE_SHARE:
            data, status = HOSTILE[chance.choice(list(HOSTILE))]
            try:
                got = status_of(Service.send(service, data, waits=status is not None))
            except OSError:
                got = None
            counts["hostile" if got == status else "hostile, not answered"] += 1
            continue
        body, verdict = chance.choice(known)
        is_new = chance.random() < NEW_SHARE
        if is_new:
            body = renewed(body)
        status, text = client.verify(json.dumps(body))
        if status == 200 and (is_new or verdict_bytes(text) == verdict):
            counts["judged" if is_new else "known"] += 1
        else:
            counts["refused, 429 or 503" if status in (429, 503) else "wrong"] += 1


class Port:
    """What Service.send() needs of a service, in another process."""

    def __init__(self, port):
        self.port = port


def load_process(port, known, seconds, seed, results):
    counts = {name: 0 for name in ("known", "judged", "refused, 429 or 503", "wrong", "hostile",
                                   "hostile, not answered", "failed")}

    def run(number):
        try:
            load(Port(port), port, known, seconds, seed * 1000 + number, counts)
        except (OSError, http.client.HTTPException):
            counts["failed"] += 1

    threads = [threading.Thread(target=run, args=(number,)) for number in range(CLIENTS // PROCESSES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put(counts)


def in_processes(target, arguments, count):
    """What `count` processes put into the queue that is their last argument."""
    results = multiprocessing.Queue()
    processes = [multiprocessing.Process(target=target, args=(*arguments(number), results))
                 for number in range(count)]
    for process in processes:
        process.start()
    found = [results.get() for _ in processes]
    for process in processes:
        process.join()
    return found


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 180
    with tempfile.TemporaryDirectory() as folder:
        known = known_verdicts(pathlib.Path(folder))
    with Service("--jobs", 1, "--connections", 400, "--client-time", 5, "--body", 1) as service:
        for body, verdict in known:
            if verdict_bytes(service.verify(body)) != verdict:
                sys.exit("serve and verify differ")
        # A service that has judged, so that what a lane needs is there before memory is measured.
        for body, _ in known:
            service.verify(renewed(body))
        before, begun = seconds_of(service.process.pid), time.monotonic()
        asked = sum(in_processes(ask_fast, arguments=lambda _: (service.port, known, 10), count=8))
        passed = time.monotonic() - begun
        used = seconds_of(service.process.pid) - before
        print(f"known verdicts: {asked / passed:.0f} a second with clients on the same "
              f"{os.cpu_count()} processors; {1000 * used / asked:.2f} ms of processor time each")
        memory = []

        def watch():
            memory.append(service.metric("process_resident_memory_bytes"))

        for tenth in (0.1, 0.5):
            threading.Timer(seconds * tenth, watch).start()
        found = in_processes(load_process, count=PROCESSES,
                             arguments=lambda number: (service.port, known, seconds, number))
        counts = {name: sum(one[name] for one in found) for name in found[0]}
        watch()
    growth = memory[-1] / memory[0]
    print(f"{CLIENTS} clients for {seconds:.0f} s: "
          + ", ".join(f"{name} {count}" for name, count in counts.items()))
    print("memory after a tenth, half and all of the time: "
          + ", ".join(f"{one / 2**20:.0f} MiB" for one in memory)
          + f"; growth {growth:.2f}, goal at most {MOST_GROWTH}")
    bad = counts["wrong"] + counts["failed"] + counts["hostile, not answered"]
    sys.exit(1 if bad or growth > MOST_GROWTH else 0)


if __name__ == "__main__":
    main()
