#!/usr/bin/env python3
"""Builds an RFT dataset from samples that are made of our own answers, and audits it.

    bench/run sampled_dataset FOLDER [SAMPLES [JOBS]]      default 2,000 samples, 2 jobs

The same command goes on with what an interrupted one has left in FOLDER.

Drawn tasks of levels 1 to 3 have eight or more answers of different strategies, each also in other
words (bench/fingerprint_loops.cc). A share of the samples is spoiled: for every other task one in
six, for the others four in five. What is spoiled is drawn too: a barrier or a guard is left out, an
index is off by one, torch computes, the message is cut off, or has no code.
"""

import collections
import json
import pathlib
import random
import subprocess
import sys

from loops import BUILD, Goals

BINARY = BUILD / "kernelmill"
LOOPS = BUILD / "bench/fingerprint_loops"
DRAWN_TASKS, SEED, COPIES, MOST_OF_A_TASK = 250, 7, 5, 50
SPOILED = (1 / 6, 4 / 5)


def drawn_answers():
    """Lists of answers, one list for each task."""
    done = subprocess.run([LOOPS, "answers", str(DRAWN_TASKS), str(SEED), str(COPIES)],
                          capture_output=True, text=True, check=True)
    tasks = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        tasks[answer["task"]].append(answer)
    return list(tasks.values())


def without_barrier(code):
    return code.replace("__syncthreads();", "", 1)


def without_guard(code):
    return code.replace("if (i < ", "if (i <= ", 1)


def off_by_one(code):
    return code.replace("threadIdx.x", "(threadIdx.x + 1)", 1)


def by_torch(code):
    name = code.rfind("\n    def forward(")
    end = code.find("\n", name + 1)
    return f"{code[:end]}\n        return torch.relu(self.weight){code[end:]}"


def spoiled(code, draw):
    """A message that must not be trained, and why it ended."""
    ways = [way for way in (without_barrier, without_guard, off_by_one, by_torch)
            if way(code) != code]
    way = draw.choice([*ways, "cut", "no code"])
    if way == "cut":
        return f"Here is the kernel.\n\n```python\n{code}```\n", "length"
    if way == "no code":
        return "I would begin with the sizes, and then write a kernel for each row.", "stop"
    return f"Here is the kernel.\n\n```python\n{way(code)}```\n", "stop"


def write_files(folder, count):
    """Writes tasks.jsonl, samples.jsonl and rft.yaml; the strategies by sample."""
    draw = random.Random(SEED)
    strategies = {}
    with (folder / "tasks.jsonl").open("w") as tasks, (folder / "samples.jsonl").open("w") as file:
        for number, answers in enumerate(drawn_answers()):
            if len(strategies) >= count:
                break
            task = answers[0]["task"]
            tasks.write(json.dumps({"name": task, "reference": answers[0]["reference"],
                                    "licence": "CC0-1.0"}) + "\n")
            draw.shuffle(answers)
            for attempt, answer in enumerate(answers[:MOST_OF_A_TASK]):
                message, reason = (f"Here is the kernel.\n\n```python\n{answer['code']}```\n", "stop")
                if draw.random() < SPOILED[number % 2]:
                    message, reason = spoiled(answer["code"], draw)
                name = f"{task}:{attempt}"
                strategies[name] = answer["strategy"]
                file.write(json.dumps({"task": task, "message": message, "finish_reason": reason,
                                       "id": name, "attempt": attempt, "model": "our-answers"}) + "\n")
                if len(strategies) >= count:
                    break
    (folder / "rft.yaml").write_text(json.dumps(
        {"seed": SEED, "tasks": [{"file": "tasks.jsonl"}],
         "samples": [{"file": "samples.jsonl"}],
         "retry": {"min_scored": 1, "max_probability": 1, "full_at": 1}}))
    return strategies


def main(folder, count, jobs):
    goals = Goals()
    folder.mkdir(parents=True, exist_ok=True)
    strategies = write_files(folder, count)
    dataset = folder / "dataset"
    built = subprocess.run([BINARY, "rft", folder / "rft.yaml", "--output", dataset, "--jobs",
                            str(jobs), "--json"], stdout=subprocess.PIPE, text=True, check=True)
    counts = json.loads(built.stdout)["counts"]
    statuses = collections.Counter()
    for line in (dataset / "verdicts.jsonl").read_text().splitlines():
        statuses[json.loads(line)["verdict"]["status"]] += 1
    rows = collections.Counter()
    for path in (dataset / "data").glob("*.jsonl"):
        rows.update(json.loads(line)["family"] for line in path.read_text().splitlines())
    print(f"{len(strategies)} samples: " +
          ", ".join(f"{number} {status}" for status, number in statuses.most_common()))
    print("rows: " + ", ".join(f"{number} {family}" for family, number in rows.most_common()))
    print(f"selection: {json.dumps(counts['select'])}")
    print(f"coverage: {json.loads((dataset / 'selection.json').read_text())['coverage']}")
    print(f"retry: {json.dumps(counts['buffer'])}")
    ended = sum(sum(counts["select"][fate].values()) for fate in ("dropped", "rejected"))
    goals.at_most("samples without a fate",
                  counts["select"]["in"] - counts["select"]["kept"] - ended, 0)
    goals.at_least("samples with a verdict", sum(statuses.values()), len(strategies))
    audit = subprocess.run([BINARY, "audit", dataset, "--json"], capture_output=True, text=True)
    print(f"audit: {json.loads(audit.stdout)['verdict']}")
    goals.at_most("exit status of the audit", audit.returncode, 0)
    return 1 if goals.failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    given = [int(argument) for argument in sys.argv[2:4]]
    sys.exit(main(pathlib.Path(sys.argv[1]), *given, *(2000, 2)[len(given):]))
