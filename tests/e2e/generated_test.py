"""Datasets of generated tasks only: built, audited, traced and rederived."""

import json
import unittest

import program


class Generated(program.EndToEnd):
    def configuration_of(self, count, **keys):
        return self.configuration(name=f"count{count}", answer={"variants": 0},
                                  generate={"count": count, "seed": 3, **keys})

    def records(self, dataset, *options):
        done = program.run("inspect", dataset, "--json", "--limit", 1000, *options)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        return json.loads(done.stdout)["rows"]

    def test_a_dataset_without_a_repository(self):
        dataset = self.folder / "one"
        configuration = self.configuration_of(10)
        manifest = self.build(configuration, dataset)
        self.assertGreaterEqual(manifest["records"]["task"], 9)
        self.assertEqual(manifest["records"]["task"], manifest["records"]["annotation"])
        self.assertEqual(manifest["records"]["training"], manifest["records"]["task"])
        self.assertNotIn("walk", manifest["counts"])
        self.assertEqual(self.audit(dataset, "--rederive", 6, "--jobs", 1), ("consistent", []))

        twice = self.build(configuration, self.folder / "two", "--jobs", 2, "--shuffle", 5,
                           "--set", "partitions=3")
        self.assertEqual(twice["merkle_root"], manifest["merkle_root"])

        rows = self.records(dataset)
        self.assertEqual(len(rows), manifest["records"]["training"])
        for row in rows:
            self.assertEqual(row["swhids"], [])
            self.assertEqual([set(origin) for origin in row["origins"]],
                             [{"generator", "seed", "index"}])
            self.assertEqual([evidence["level"] for evidence in row["licences"]], ["generator"])
        trace = program.run("trace", dataset, rows[0]["content_id"])
        self.assertEqual(trace.returncode, program.DONE, trace.stderr)
        index = rows[0]["origins"][0]["index"]
        self.assertIn(f"task {index} of seed 3, generated", trace.stdout)
        self.assertIn(f"seed=3;index={index}", trace.stdout)
        found = self.records(dataset, "--origin", f"seed=3;index={index}")
        self.assertIn(rows[0]["content_id"], [row["content_id"] for row in found])
        self.assertIn("kernelmill:generated", (dataset / "README.md").read_text("utf-8"))

    def test_more_tasks_change_no_row(self):
        few = self.build(self.configuration_of(4, levels=[1]), self.folder / "few")
        more = self.build(self.configuration_of(7, levels=[1]), self.folder / "more")
        self.assertGreater(more["records"]["training"], few["records"]["training"])
        ids = [{row["content_id"] for row in self.records(self.folder / name)}
               for name in ("few", "more")]
        self.assertLess(ids[0], ids[1])

    def test_an_unfinished_run_does_not_go_on_with_another_seed(self):
        configuration = self.configuration_of(5)
        process = program.start("sft", configuration, "--output", self.folder / "out", "--quiet",
                                "--jobs", 1)
        plan = self.folder / "out/.run/steps/admit/plan.json"
        while process.poll() is None and not plan.exists():
            pass
        program.kill_group(process)
        process.wait()
        process.stderr.close()
        done = program.run("sft", configuration, "--output", self.folder / "out", "--jobs", 1,
                           "--set", "generate.seed=4")
        self.assertEqual(done.returncode, program.WRONG_USE)
        self.assertIn("seed is now 4", done.stderr)


if __name__ == "__main__":
    unittest.main()
