"""Draws rows of a dataset and writes them as sheets for readers."""

import collections
import csv
import json
import pathlib
import random
import shutil

import reading_pairs

RUBRIC = pathlib.Path(__file__).resolve().parent / "reading_rubric.md"
SCORES = ("correct", "useful", "language", "variety", "code")


def rows_of(dataset):
    """The rows that a trainer gets: exports leave training rows of weight 0 out."""
    paths = sorted((dataset / "data").glob("*.jsonl"))
    if not paths:
        raise ValueError(f"{dataset}/data has no .jsonl: write it with `kernelmill export`")
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    return [row for row in rows if row["weight"] > 0 or row["split"] != "train"]


def task_of(row):
    return row["task_id"] or row["content_id"]


class RowChoice:
    """Chooses at most one row of a task, for slots that ask for a family and a backend.

    Slots and tasks are matched with augmenting paths: a slot may move to another task so that a
    later one gets its. So a family ends before another one only when its tasks are too few,
    whatever is drawn."""

    def __init__(self, rows, draw):
        self.draw = draw
        self.rows = collections.defaultdict(lambda: collections.defaultdict(list))
        for row in rows:
            self.rows[row["family"], row["backend"]][task_of(row)].append(row)
        self.slots = []  # (family, backend)
        self.slot_of = {}  # By task.

    def match(self, slot, tried):
        tasks = [task for task in self.rows[self.slots[slot]] if task not in tried]
        self.draw.shuffle(tasks)
        for task in tasks:
            if task in tried:
                continue
            tried.add(task)
            if task not in self.slot_of or self.match(self.slot_of[task], tried):
                self.slot_of[task] = slot
                return True
        return False

    def add(self, family):
        """Adds a row of the family, of the backend with fewer of them if possible."""
        backends = [backend for known, backend in self.rows if known == family]
        self.draw.shuffle(backends)
        for backend in sorted(backends, key=lambda one: self.slots.count((family, one))):
            self.slots.append((family, backend))
            if self.match(len(self.slots) - 1, set()):
                return True
            self.slots.pop()
        return False

    def drawn(self):
        return [self.draw.choice(self.rows[self.slots[slot]][task])
                for task, slot in sorted(self.slot_of.items())]


def drawn_rows(rows, count, draw):
    """`count` rows, of every family equally many where the tasks allow it, in random order."""
    choice = RowChoice(rows, draw)
    families = sorted({row["family"] for row in rows})
    while families and len(choice.slots) < count:
        draw.shuffle(families)
        families = [family for family in families
                    if len(choice.slots) >= count or choice.add(family)]
    drawn = choice.drawn()
    draw.shuffle(drawn)
    return drawn


def answer_of(row):
    return row["messages"][-1]["content"]


def sheet_text(number, row):
    """Every message as it stands in the row. Only the last one is trained."""
    parts = [f"# {number:02}\n"]
    for message in row["messages"][:-1]:
        parts.append(f"---------- question ({message['role']}) ----------\n")
        parts.append(f"{message['content']}\n")
    return "\n".join([*parts, "---------- answer ----------\n", answer_of(row)])


def write_form(path, sheets, pairs):
    columns = ["sheet", *SCORES, "defect", *(["preferred"] if pairs else [])]
    with path.open("w", encoding="utf-8", newline="") as file:
        form = csv.writer(file)
        form.writerow(columns)
        form.writerows([name] + [""] * (len(columns) - 1) for name in (*sheets, *pairs))


def draw(given):
    if given.out.exists() and any(given.out.iterdir()):
        raise ValueError(f"{given.out} is not empty")
    rows = rows_of(given.dataset)
    generator = random.Random(given.seed)
    chosen = drawn_rows(rows, given.rows, generator)
    given.out.mkdir(parents=True, exist_ok=True)
    sheets, pairs = {}, {}
    for number, row in enumerate(chosen, 1):
        name = f"sheet_{number:02}"
        (given.out / f"{name}.md").write_text(sheet_text(number, row), "utf-8")
        sheets[name] = {"row": row["content_id"], "family": row["family"],
                        "backend": row["backend"], "has_code": "```" in answer_of(row)}
    if given.pairs:
        shown = {row["content_id"] for row in chosen}
        others = [row for row in rows if row["content_id"] not in shown]
        for number, pair in enumerate(reading_pairs.drawn_pairs(others, given, generator), 1):
            pairs[f"pair_{number:02}"] = pair.key
            (given.out / f"pair_{number:02}.md").write_text(pair.text(number), "utf-8")
    shutil.copyfile(RUBRIC, given.out / "rubric.md")
    write_form(given.out / "answers.csv", sheets, pairs)
    (given.out / "key.json").write_text(json.dumps(
        {"seed": given.seed, "dataset": str(given.dataset), "sheets": sheets, "pairs": pairs},
        indent=1), "utf-8")
    report(sheets, pairs, given)
    return 0


def report(sheets, pairs, given):
    counts = collections.Counter((one["family"], one["backend"]) for one in sheets.values())
    for (family, backend), count in sorted(counts.items()):
        print(f"{family}, {backend}: {count}")
    print(f"{len(sheets)} sheets and {len(pairs)} pairs in {given.out}")
    if len(sheets) < given.rows:
        print(f"The dataset has too few tasks for {given.rows} sheets.")
    if given.pairs and len(pairs) < given.pair_count:
        print(f"Too few rows and texts are alike for {given.pair_count} pairs.")
