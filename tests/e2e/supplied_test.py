"""Datasets of a user's own tasks: built, audited, traced and rederived."""

import hashlib
import json
import shutil
import time
import unittest

import pyarrow
import pyarrow.parquet

import program

REFERENCE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 48)

    def forward(self, x, scale):
        return {}(self.linear(x)) * scale


rows, width = 32, 64


def get_inputs():
    return [torch.randn(rows, width), torch.rand(48)]


def get_init_inputs():
    return [width]
"""
GELU, RELU, SILU = (REFERENCE.format(f"torch.nn.functional.{name}")
                    for name in ("gelu", "relu", "silu"))


class Supplied(program.EndToEnd):
    def setUp(self):
        super().setUp()
        lines = [json.dumps({"id": 7, "code": GELU, "license": "mit"}), "no task",
                 json.dumps({"code": "print('no module')"}), json.dumps({"code": GELU})]
        self.lines = self.folder / "mine.jsonl"
        self.lines.write_text("\n".join(lines), encoding="utf-8")
        self.table = self.folder / "mine.parquet"
        pyarrow.parquet.write_table(
            pyarrow.table({"name": ["a", "b"], "ref_code": [RELU, None]}), self.table)
        self.references = self.folder / "refs"
        (self.references / "level1").mkdir(parents=True)
        (self.references / "level1/1_silu.py").write_text(SILU, encoding="utf-8")

    def of_all(self, name, **keys):
        return self.configuration({"tasks": str(self.lines)},
                                  {"tasks": str(self.table), "licence": "Apache-2.0"},
                                  {"tasks": str(self.references), "url": "https://example.org/refs"},
                                  name=name, **keys)

    def test_files_of_every_kind(self):
        dataset = self.folder / "one"
        manifest = self.build(self.of_all("one"), dataset)
        self.assertEqual(manifest["counts"]["supply"]["rejected"], {"bad_row": 1, "no_reference": 1})
        self.assertEqual(manifest["counts"]["supply"]["in"], 7)
        self.assertEqual(manifest["counts"]["admit"]["rejected"], {"build_failed": 1})
        self.assertEqual(manifest["records"]["task"], 3)
        self.assertEqual(self.audit(dataset, "--rederive", 100, "--jobs", 1), ("consistent", []))
        for name in ("configuration.json", "README.md", "report.html"):
            self.assertNotIn(str(self.folder), (dataset / name).read_text("utf-8"))

        done = program.run("inspect", dataset, "--json")
        rows = json.loads(done.stdout)["rows"]
        origins = sorted((origin["url"], origin["path"], origin["row"])
                         for row in rows for origin in row["origins"])
        self.assertEqual(origins, [("https://example.org/refs", "level1/1_silu.py", 0),
                                   ("urn:local:mine.jsonl", "mine.jsonl", 1),
                                   ("urn:local:mine.jsonl", "mine.jsonl", 4),
                                   ("urn:local:mine.parquet", "mine.parquet", 1)])
        for row in rows:
            self.assertEqual([(one["name"], one["shape"]) for one in row["inputs"]],
                             [("x", [32, 64]), ("scale", [48])])
            self.assertEqual(row["swhids"], [])
        trace = program.run("trace", dataset, rows[0]["content_id"])
        self.assertEqual(trace.returncode, program.DONE, trace.stderr)
        self.assertIn("supplied from", trace.stdout)

        # The same file in another place and with another name.
        copy = self.folder / "copies" / "other.parquet"
        copy.parent.mkdir()
        shutil.move(self.table, copy)
        self.assertEqual(self.audit(dataset, "--rederive", 100, "--jobs", 1, "--source",
                                    f"urn:local:mine.parquet={copy}"), ("consistent", []))
        shutil.move(copy, self.table)

        twice = self.build(self.of_all("two", partitions=3), self.folder / "two", "--shuffle", 5)
        self.assertEqual(twice["merkle_root"], manifest["merkle_root"])

        # The file was changed, so no record can be derived from it.
        self.lines.write_text("{}", encoding="utf-8")
        done = program.run("audit", dataset, "--rederive", 1)
        self.assertEqual(done.returncode, program.WRONG_USE)
        self.assertIn("mine.jsonl", done.stderr)

    def test_paths_are_relative_to_the_configuration(self):
        """The folder of the configuration is not the working directory."""
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        table = self.folder / "exam.tsv"
        table.write_text(program.run("generate", "--fingerprints", self.references).stdout,
                         encoding="utf-8")
        configuration = self.configuration({"tasks": "mine.jsonl"}, {"tasks": "refs"},
                                           decontaminate={"tables": ["exam.tsv"]})
        done = program.run("sft", "../run.yaml", "--output", "out", "--quiet", "--json",
                           "--jobs", 1, cwd=elsewhere)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        self.assertEqual(json.loads(done.stdout)["counts"]["admit"]["rejected"],
                         {"benchmark": 1, "build_failed": 1})
        self.assertEqual(self.audit(elsewhere / "out"), ("consistent", []))
        # An override is relative to the working directory.
        done = program.run("sft", configuration, "--output", "other", "--dry-run", "--set",
                           "decontaminate.tables=[exam.tsv]", cwd=elsewhere)
        self.assertEqual(done.returncode, program.WRONG_USE)
        self.assertIn("exam.tsv", done.stderr)

    def test_mistakes_name_the_key(self):
        for source, words in (({"tasks": "none.jsonl"}, "sources[0].tasks: there is no file"),
                              ({"tasks": str(self.lines), "column": "text"},
                               "sources[0].tasks: " + str(self.lines) + " has no column 'text'"),
                              ({"tasks": str(self.lines), "git": "a"}, "sources[0]: needs one of git"),
                              ({"url": "https://example.org"}, "sources[0]: needs one of git")):
            done = program.run("sft", self.configuration(source), "--output", self.folder / "out")
            self.assertEqual(done.returncode, program.WRONG_USE)
            self.assertIn(words, done.stderr)
        twice = self.configuration({"tasks": str(self.lines), "licence": "MIT"},
                                   {"tasks": str(self.lines), "licence": "Apache-2.0"})
        done = program.run("sft", twice, "--output", self.folder / "out", "--dry-run")
        self.assertEqual(done.returncode, program.WRONG_USE)
        self.assertIn("sources[1].tasks: the same column of the same file as sources[0].tasks",
                      done.stderr)

    def test_a_run_goes_on_with_the_keys_that_it_began_with(self):
        output = self.folder / "out"
        source = {"tasks": str(self.lines), "column": "code", "licence": "MIT"}
        process = program.start("sft", self.configuration(source), "--output", output, "--jobs", 1)
        held = output / ".run/steps/sources.json"
        while process.poll() is None and not held.exists():
            time.sleep(0.001)
        program.kill_group(process)
        process.communicate()
        for change in ({"licence": "Apache-2.0"}, {"name": "other.jsonl"}, {"column": "id"}):
            # The url is kept; otherwise the new name would change it.
            changed = {**source, "url": "urn:local:mine.jsonl", **change}
            done = program.run("sft", self.configuration(changed), "--output", output)
            self.assertEqual(done.returncode, program.WRONG_USE)
            self.assertIn("cannot be resumed, because its sources", done.stderr)

    def test_problems_of_a_benchmark_stay_out(self):
        done = program.run("generate", "--fingerprints", self.references)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        self.assertIn("level1/1_silu\t", done.stdout)
        table = self.folder / "exam.tsv"
        table.write_text(done.stdout, encoding="utf-8")
        tasks = self.folder / "tasks.jsonl"
        tasks.write_text("\n".join(json.dumps({"code": code}) for code in (
            SILU.replace("rows", "count"), SILU.replace("32, 64", "16, 64"), GELU)),
            encoding="utf-8")
        dataset = self.folder / "out"
        manifest = self.build(self.configuration(
            {"tasks": str(tasks)}, decontaminate={"tables": ["kernelbench", str(table)]}), dataset)
        admit = manifest["counts"]["admit"]
        self.assertEqual(admit["rejected"], {"benchmark": 2})
        named = hashlib.sha256(table.read_bytes()).hexdigest()[:12]
        self.assertEqual(admit["counters"],
                         {"benchmark.T0": 2, f"benchmark.T0.{named}": 2, "benchmark.none": 1,
                          f"benchmark_problem.T0.{named}/level1/1_silu": 2})
        self.assertIn(f"| {named} |", (dataset / "README.md").read_text("utf-8"))
        self.assertEqual(self.audit(dataset, "--rederive", 6, "--jobs", 1), ("consistent", []))
        self.assertIn("Rejected: 2. Kept:", (dataset / "README.md").read_text("utf-8"))
        self.assertNotIn(str(table), (dataset / "configuration.json").read_text("utf-8"))


if __name__ == "__main__":
    unittest.main()
