#!/usr/bin/env python3
"""The same answers through `verify`, the queue and `serve`: the verdicts must be equal, byte for byte.

    bench/run equal_verdicts [ANSWERS [SEED]]     default 500, 1

Half of the answers are drawn from the cases that were written against the judge, honest ones among them
(tests/stages/verify), and half are answers to generated tasks, for both platforms, with and without a bug in them, of a
dataset that is built for it. Each way has a verdict store of its own with the same secret, so
that every verdict is computed three times. Answers that ask for the same platform and contract are
judged in one run.
"""

import collections
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

import dataset_records
from loops import ROOT

sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests/cluster"))
import program  # noqa: E402
import redis  # noqa: E402
import verify_run  # noqa: E402
from serve_client import Service, verdict_bytes  # noqa: E402

CASES = ("attack_cases/cheats", "attack_cases/wrong", "attack_cases/honest", "cheats",
         "native_cheats", "wrong_answers", "specialised")
CANDIDATES_OF_A_TASK = 8
DEADLINE_SECONDS = 3600


def cases():
    """[(reference, code, backend, contract)] of the cases of the tests."""
    found = []
    for kind in CASES:
        folder = verify_run.FILES / kind
        tasks = folder.parent / "tasks" if "/" in kind else verify_run.FILES / "tasks"
        for path in sorted(folder.glob("*.py")):
            text = path.read_text(encoding="utf-8")
            head = dict(re.findall(r"^# (\w+): (.*)$", text, re.MULTILINE))
            reference = tasks / f"{head.get('task', '')}.py"
            if reference.is_file():
                found.append((reference.read_text(encoding="utf-8"), text,
                              head.get("backend", "cuda"), head.get("contract", "")))
    return found


def generated(folder, count, seed):
    """The same of answers and mutants to generated tasks."""
    path, dataset = folder / "generated.yaml", folder / "generated"
    path.write_text(json.dumps({
        "seed": seed, "sources": [],
        "generate": {"count": -(-count // CANDIDATES_OF_A_TASK), "levels": [1, 2]},
        "answer": {"sanitize": False, "profile": False}}))
    done = program.run("sft", path, "--output", dataset, "--quiet", timeout=None)
    if done.returncode != program.DONE:
        sys.exit(done.stderr)
    tasks = {record["content_id"]: record["payload"]
             for record in dataset_records.records(dataset, "task")}
    return [(tasks[candidate["task"]]["code"], candidate["code"], candidate["backend"],
             "any_shape,any_layout")
            for candidate in (record["payload"]
                              for record in dataset_records.records(dataset, "candidate"))]


def groups_of(answers):
    """{(backend, contract): [(reference, code)]}."""
    groups = collections.defaultdict(list)
    for reference, code, backend, contract in answers:
        groups[backend, contract].append((reference, code))
    return groups


def lay_out(folder, answers):
    """A checkout of KernelBench with the references, and a run of it with the codes."""
    level, samples, problems = folder / "checkout/KernelBench/level1", folder / "run", []
    level.mkdir(parents=True)
    samples.mkdir()
    for number, (reference, code) in enumerate(answers):
        if reference not in problems:
            problems.append(reference)
            (level / f"{len(problems)}_task.py").write_text(reference, encoding="utf-8")
        key = f"level_1_problem_{problems.index(reference) + 1}_sample_{number}"
        (samples / f"{key}_kernel.py").write_text(code, encoding="utf-8")
    return folder / "checkout", samples


def root_of(folder, secret_of=None):
    """The environment of a way, with the secret of another one."""
    folder.mkdir()
    environment = verify_run.own_root(folder)
    if secret_of:
        store = pathlib.Path(environment["KERNELMILL_ROOT"], ".cache/verdicts")
        store.mkdir()
        shutil.copy2(pathlib.Path(secret_of["KERNELMILL_ROOT"], ".cache/verdicts/secret"), store)
    return environment


def by_number(samples):
    """The bytes of the verdicts, by the number of the answer."""
    found = {}
    for line in (samples / "verdicts.jsonl").read_bytes().splitlines():
        found[int(json.loads(line)["key"].rpartition("_")[2])] = verdict_bytes(line)
    return found


def judged(folder, groups, environment, *options):
    """{(group, number): bytes} by the command `verify`."""
    verdicts = {}
    for place, (group, answers) in enumerate(groups.items()):
        checkout, samples = lay_out(folder / str(place), answers)
        done = program.run("verify", "--kernelbench", checkout, "--run", samples, "--backend",
                           group[0], "--contract", group[1], *options, environment=environment,
                           timeout=None)
        if done.returncode != program.DONE:
            sys.exit(done.stderr)
        verdicts |= {(group, number): one for number, one in by_number(samples).items()}
    return verdicts


def queued(folder, groups, environment):
    with redis.Server(folder / "redis") as server:
        workers = [program.start("worker", pool, "--queue", server.url, "--quiet",
                                 env={**os.environ, **environment})
                   for pool in ("compile", "execute")]
        try:
            return judged(folder / "queue", groups, environment, "--queue", server.url)
        finally:
            for worker in workers:
                program.kill_group(worker)


def served(groups, environment):
    verdicts = {}
    with Service("--jobs", 1, "--deadline", DEADLINE_SECONDS, environment=environment) as service:
        for (backend, contract), answers in groups.items():
            for number, (reference, code) in enumerate(answers):
                request = {"reference": reference, "code": code, "backend": backend,
                           "contract": contract}
                verdicts[(backend, contract), number] = verdict_bytes(
                    service.verify(request, timeout=DEADLINE_SECONDS))
    return verdicts


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        answers = generated(folder, count // 2, seed)
        answers = chance.sample(answers, min(len(answers), count // 2))
        written = cases()
        answers += chance.sample(written, min(len(written), count - len(answers)))
        groups = groups_of(answers)
        alone = root_of(folder / "a")
        by_verify = judged(folder / "alone", groups, alone)
        ways = {"queue": queued(folder, groups, root_of(folder / "b", alone)),
                "serve": served(groups, root_of(folder / "c", alone))}
    statuses = collections.Counter(json.loads(one)["status"] for one in by_verify.values())
    print(f"{len(by_verify)} answers: "
          + ", ".join(f"{status} {number}" for status, number in statuses.most_common()))
    failed = len(by_verify) != len(answers)
    for way, verdicts in ways.items():
        different = [key for key, one in by_verify.items() if verdicts.get(key) != one]
        failed |= bool(different)
        print(f"verify and {way}: {len(by_verify) - len(different)} verdicts are equal, "
              f"{len(different)} differ")
        for key in different[:10]:
            print(f"  {key}\n    verify: {by_verify[key][:500]}\n    {way}: {verdicts.get(key)[:500]}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
