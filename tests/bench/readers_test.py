"""Tests the sheets that readers get, and the scoring of what they answer."""

import collections
import contextlib
import csv
import io
import json
import pathlib
import random
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import reading_scores  # noqa: E402
import reading_sheets  # noqa: E402
import readers  # noqa: E402

FAMILIES = ("translate", "analyze", "repair")
PROSE = "The {0} kernel gives each warp one row, so that its lanes read neighbouring elements. " * 8
CHINESE = "每个线程块计算一行,相邻的线程读取相邻的元素,因此访问是合并的。" * 20


def row_of(family, backend, task, weight=1.0, answer=None):
    return {"content_id": f"{family}-{backend}-{task}", "family": family, "backend": backend,
            "task_id": task, "weight": weight, "split": "train",
            "messages": [{"role": "user", "content": f"Question about {task}."},
                         {"role": "assistant",
                          "content": answer or f"{PROSE.format(task)}\n```python\nx = 1\n```"}]}


class Reading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

    def dataset(self, rows):
        (self.folder / "dataset/data").mkdir(parents=True)
        (self.folder / "dataset/data/train.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return str(self.folder / "dataset")

    def run_readers(self, *words):
        """Exit code, standard output, standard error."""
        with contextlib.redirect_stdout(io.StringIO()) as output:
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                code = readers.main([str(word) for word in words])
        return code, output.getvalue(), errors.getvalue()

    def key(self):
        return json.loads((self.out / "key.json").read_text("utf-8"))

    def fill(self, name, **changes):
        """A filled form: 5 everywhere, and no preference, but for {sheet: {column: text}}."""
        with (self.out / "answers.csv").open(encoding="utf-8", newline="") as file:
            form = csv.DictReader(file)
            lines, columns = list(form), form.fieldnames
        for line in lines:
            filled = ({"preferred": "equal"} if line["sheet"].startswith("pair") else
                      dict.fromkeys(reading_scores.SCORES, "5"))
            line.update({**filled, **changes.get(line["sheet"], {})})
        path = self.folder / name
        with path.open("w", encoding="utf-8", newline="") as file:
            form = csv.DictWriter(file, columns)
            form.writeheader()
            form.writerows(lines)
        return path


class Draw(Reading):
    def test_families_and_backends_are_equal_and_a_family_has_a_task_once(self):
        rows = [row_of(family, backend, task)
                for family in FAMILIES for backend in ("cuda", "musa") for task in range(8)]
        drawn = reading_sheets.drawn_rows(rows, 12, random.Random(1))
        counts = collections.Counter(row["family"] for row in drawn)
        self.assertEqual(counts, {family: 4 for family in FAMILIES})
        self.assertEqual(collections.Counter(row["backend"] for row in drawn), {"cuda": 6, "musa": 6})
        self.assertEqual(len({(row["family"], row["task_id"]) for row in drawn}), 12)

    def test_a_family_with_few_tasks_leaves_its_place_to_others(self):
        rows = [row_of("translate", "cuda", task) for task in range(9)]
        rows += [row_of("repair", backend, 1) for backend in ("cuda", "musa")]
        drawn = reading_sheets.drawn_rows(rows, 6, random.Random(1))
        self.assertEqual(collections.Counter(row["family"] for row in drawn),
                         {"translate": 5, "repair": 1})

    def test_a_sheet_is_the_row_and_nothing_else(self):
        row = row_of("analyze", "cuda", "a")
        data = self.dataset([row, row_of("analyze", "cuda", "b", weight=0)])
        self.assertEqual(self.run_readers("draw", data, self.out, "--seed", 1)[0], 0)
        text = (self.out / "sheet_01.md").read_text("utf-8")
        self.assertEqual(text, "# 01\n\n---------- question (user) ----------\n\n"
                         "Question about a.\n\n---------- answer ----------\n\n" +
                         row["messages"][-1]["content"])
        self.assertFalse((self.out / "sheet_02.md").exists())
        self.assertEqual(self.key()["sheets"]["sheet_01"],
                         {"row": "analyze-cuda-a", "family": "analyze", "backend": "cuda",
                          "has_code": True})
        self.assertEqual((self.out / "answers.csv").read_text("utf-8").split(),
                         ["sheet,correct,useful,language,variety,code,defect", "sheet_01,,,,,,"])

    def test_a_seed_gives_the_same_sheets_and_a_full_folder_is_refused(self):
        data = self.dataset([row_of(family, "cuda", f"t{number}") for family in FAMILIES
                             for number in range(9)])
        for out in (self.out, self.folder / "again"):
            self.run_readers("draw", data, out, "--seed", 5, "--rows", 9)
        for path in self.out.iterdir():
            self.assertEqual(path.read_bytes(), (self.folder / "again" / path.name).read_bytes())
        code, _, errors = self.run_readers("draw", data, self.out, "--seed", 5)
        self.assertEqual((code, "is not empty" in errors), (2, True))

    def test_pairs_are_of_like_texts_in_one_language_without_code(self):
        rows = [row_of("analyze", "cuda", task) for task in ("softmax", "conv2d")]
        rows += [row_of("optimize", "cuda", "norm", answer=CHINESE),
                 row_of("repair", "cuda", "gelu"),
                 *(row_of("translate", "cuda", f"t{number}") for number in range(3))]
        texts = self.folder / "texts"
        texts.mkdir()
        for name in ("softmax", "conv2d", "gelu"):
            (texts / f"{name}.md").write_text(
                f"# About {name}\n" + f"A {name} is computed by one block for each row. " * 9 +
                "\n```c\nint y;\n```\n", "utf-8")
        (texts / "norm.md").write_text(CHINESE + "\nnorm\n", "utf-8")
        (texts / "short.md").write_text("softmax", "utf-8")
        self.run_readers("draw", self.dataset(rows), self.out, "--seed", 2, "--rows", 0,
                         "--pairs", texts, "--pair-count", 4)
        pairs = self.key()["pairs"]
        of_task = {pair["row"].rpartition("-")[2]: pair for pair in pairs.values()}
        for task in ("softmax", "conv2d", "norm"):
            self.assertEqual(of_task[task]["text"], f"{task}.md")
        self.assertEqual(len(pairs), 4)
        for name, pair in pairs.items():
            text = (self.out / f"{name}.md").read_text("utf-8")
            self.assertNotIn("```", text)
            first, second = text.split("---------- B ----------")
            real, ours = (second, first) if pair["ours"] == "A" else (first, second)
            mark = "norm" if pair["text"] == "norm.md" else "About"
            self.assertEqual((mark in real, mark in ours), (True, False))


class Score(Reading):
    def setUp(self):
        super().setUp()
        texts = self.folder / "texts"
        texts.mkdir()
        for number in range(2):
            (texts / f"{number}.md").write_text(
                f"A real text on kernels and rows, {number}. " * 20, "utf-8")
        rows = [row_of(family, "cuda", f"{family[0]}{number}") for family in ("analyze", "optimize")
                for number in range(2)]
        rows.append(row_of("shape_reasoning", "pytorch", "s", answer="The result has 3 rows."))
        code, *_ = self.run_readers("draw", self.dataset(rows), self.out, "--seed", 1, "--rows", 3,
                                    "--pairs", texts, "--pair-count", 2)
        self.assertEqual(code, 0)
        self.family = {sheet["family"]: name for name, sheet in self.key()["sheets"].items()}

    def test_goals_that_are_met(self):
        no_code = {self.family["shape_reasoning"]: {"code": ""}}
        paths = [self.fill(f"{number}.csv", **no_code) for number in range(3)]
        code, output, errors = self.run_readers("score", self.out, *paths)
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("All goals are met.", output)
        self.assertIn("0.csv and 1.csv: mean distance 0.00", output)

    def test_goals_that_are_missed_are_named(self):
        analyze, shapes = self.family["analyze"], self.family["shape_reasoning"]
        ours = self.key()["pairs"]["pair_01"]["ours"]
        low = {analyze: {"useful": "3"},
               shapes: {"defect": "The result has … rows. || It has four.", "code": ""},
               **{name: {"preferred": "AB".replace(pair["ours"], "")}
                  for name, pair in self.key()["pairs"].items()}}
        best = {"pair_01": {"preferred": ours}, shapes: {"code": ""}}
        code, output, _ = self.run_readers("score", self.out, self.fill("1.csv", **low),
                                           self.fill("2.csv", **low), self.fill("3.csv", **best))
        self.assertEqual(code, 1)
        self.assertIn("MISSED: the median of useful in analyze is 3, below 4", output)
        self.assertIn("MISSED: 1 of 3 sheets with a false statement", output)
        self.assertIn("2.csv: The result has … rows. || It has four.", output)
        self.assertIn("MISSED: ours is preferred or equal in 0 % of the pairs", output)
        self.assertIn("readers' choices: 2 of 6", output)

    def test_answers_that_are_no_answers(self):
        analyze = self.family["analyze"]
        for changes, message in (
                ({analyze: {"correct": "6"}}, "correct is '6' instead of a number from 1 to 5"),
                ({analyze: {"code": ""}}, "code is '' instead of"),
                ({analyze: {"defect": "The kernel gives"}}, "needs `||`"),
                ({analyze: {"defect": "I never said that. || Why."}}, "does not stand in the sheet"),
                ({"pair_01": {"preferred": "C"}}, "preferred is 'C'"),
                ({analyze: {"sheet": "sheet_77"}}, "there is no such sheet"),
                ({analyze: {"sheet": "sheet_77"}}, f"{analyze} has 0 lines instead of one")):
            path = self.fill("1.csv", **changes)
            code, output, errors = self.run_readers("score", self.out, path)
            self.assertEqual((code, output), (2, ""))
            self.assertIn(message, errors)
        (self.folder / "2.csv").write_text("sheet,correct\nsheet_01,5\n", "utf-8")
        code, _, errors = self.run_readers("score", self.out, self.folder / "2.csv")
        self.assertEqual((code, "code, defect, language" in errors), (2, True))

    def test_wilson(self):
        low, high = reading_scores.wilson(6, 12)
        self.assertAlmostEqual(low, 0.254, 3)
        self.assertAlmostEqual(high, 0.746, 3)
        self.assertAlmostEqual(reading_scores.wilson(12, 12)[1], 1.0)


if __name__ == "__main__":
    unittest.main()
