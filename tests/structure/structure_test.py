"""The checkout follows the rules of tree_rules.py, and each rule finds seeded violations."""

import pathlib
import tempfile
import unittest

import tree_rules

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ThisTree(unittest.TestCase):
    def test_keeps_the_rules(self):
        found = tree_rules.violations(ROOT)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_is_seen_at_all(self):
        paths = tree_rules.Tree(ROOT).paths
        for path in ("manifests/status.h", "tools/cli/main.cc", "kernelmill", "tests/CMakeLists.txt"):
            self.assertIn(path, paths)


class SeededViolations(unittest.TestCase):
    def found(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return tree_rules.violations(folder)

    def assert_one(self, path, text, expected, **others):
        """Asserts that `text` violates exactly one rule, and that the message says where."""
        found = self.found({path: text, **others.get("files", {})})
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], expected)

    def test_a_good_tree_has_none(self):
        self.assertEqual(self.found({
            "CMakeLists.txt": "kernelmill_library(corpora manifests) # not stages\n",
            "corpora/shards/shard.cc": '#include <lmdb.h>\n#include "manifests/status.h"\n',
            "stages/worker/worker.py": "import torch\n",
            "stages/worker/start.cc": 'auto path = "stages/worker/worker.py";\n',
            "manifests/status.h": "// Read by tools/cli/main.cc.\n",
            "tools/cli/main.cc": '#include "stages/engine/step.h"\n',
            "tests/corpora/shard_test.cc": '#include <lmdb.h>\n#include "tools/cli/main.h"\n',
            "bench/census.py": "import lmdb\n",
            "build/release/utils.cc": '#include "nowhere.h"\n',
            ".cache/utils.py": "",
        }), [])

    def test_include_to_the_right(self):
        self.assert_one("corpora/shards/shard.cc", '#pragma once\n#include "stages/engine/step.h"\n',
                        r"^corpora/shards/shard\.cc:2: .*stages/engine/step\.h")

    def test_include_of_a_test(self):
        self.assert_one("tools/cli/main.cc", '#include "tests/corpora/fake.h"\n', "to its right")

    def test_include_that_is_not_from_the_root(self):
        self.assert_one("corpora/shards/shard.cc", '#include "shard.h"\n', "no include from the root")

    def test_target_to_the_right(self):
        self.assert_one("CMakeLists.txt", "\nkernelmill_library(parsers\n  corpora stages)\n",
                        r"^CMakeLists\.txt:2: .*parsers links stages")

    def test_run_time_path_to_the_right(self):
        files = {"files": {"stages/worker/worker.py": ""}}
        self.assert_one("corpora/start.cc", 'Run(root + "/../stages/worker/worker.py");\n',
                        r"^corpora/start\.cc:1: .*stages/worker/worker\.py", **files)
        self.assert_one("parsers/start.py", 'run("stages/worker/worker.py")\n', "to its right",
                        **files)

    def test_third_party_out_of_its_place(self):
        for path, header in (("manifests/digest.h", "rapidjson/document.h"),
                             ("stages/mine/read.cc", "git2.h"), ("stages/pack/pack.cc", "zstd.h"),
                             ("parsers/tree.h", "lmdb.h"), ("corpora/tree.h", "tree_sitter/api.h"),
                             ("stages/mine/mine.cc", "tbb/parallel_pipeline.h"),
                             ("tools/cli/export_command.cc", "parquet/arrow/writer.h"),
                             ("tools/cli/main.cc", "yaml-cpp/yaml.h")):
            self.assert_one(path, f"#include <{header}>\n", f"^{path}:1: <{header}> belongs to")

    def test_torch_out_of_its_place(self):
        self.assert_one("stages/mine/look.py", "def f():\n    from torch import nn\n",
                        r"^stages/mine/look\.py:2: torch")

    def test_python_import_to_the_right(self):
        self.assert_one("parsers/look.py", "import stages.worker.worker\n", "to its right")

    def test_long_file(self):
        self.assert_one("corpora/shards/shard.cc", "\n" * 501, "501 lines")
        self.assertEqual(self.found({"corpora/shards/shard.cc": "\n" * 500}), [])

    def test_large_folder(self):
        files = {f"corpora/m{i}.{kind}": "" for i in range(40) for kind in ("h", "cc")}
        self.assertEqual(self.found(files), [])
        self.assert_one("corpora/m40.h", "", "^corpora: 41 modules", files=files)

    def test_mention_of_a_file_that_is_not_there(self):
        self.assert_one("corpora/shard.h", "// Read by corpora/reader.h.\n",
                        r"^corpora/shard\.h:1: there is no corpora/reader\.h")

    def test_step_that_includes_a_step(self):
        steps = {"stages/render/render_spec.h": "", "stages/pack/pack_spec.h": ""}
        self.assert_one("stages/check/check_step.cc", '#include "stages/render/render_step.h"\n',
                        "check includes the step render", files=steps)
        self.assert_one("stages/verify/judge.cc", '#include "stages/pack/row.h"\n',
                        "verify includes the step pack", files=steps)
        self.assertEqual(self.found({
            **steps,
            "stages/recipes/sft.cc": '#include "stages/render/render_step.h"\n',
            "stages/check/check_step.cc": '#include "stages/verify/judge.h"\n'}), [])

    def test_name_in_two_headers(self):
        self.assert_one("corpora/a.h", "struct Shard {\n", "Shard stands in parsers/b.h too",
                        files={"parsers/b.h": "class Shard final {\n"})
        self.assert_one("corpora/a.h", "std::string TextOf(int x);\n", "TextOf stands in",
                        files={"parsers/b.h": "Result<int> TextOf(const Json& x);\n"})

    def test_list_of_operators(self):
        names = [f"operator_{i}" for i in range(6)]
        rows = {"corpora/operators/table/sums.cc": "".join(
            f'rows->push_back({{.name = "{name}",\n' for name in names)}
        quoted = ", ".join(f'"{name}"' for name in names)
        self.assert_one("generators/graphs/choice.cc", f"kDrawn[] = {{{quoted}}};\n",
                        r"^generators/graphs/choice\.cc: names 6 operators", files=rows)
        self.assert_one("generators/graphs/models.cc", f'Call({names[0]}, "{names[1]}");\n',
                        "OPERATOR_PLACES need not list it", files=rows)
        self.assertEqual(self.found({
            **rows, "generators/graphs/models.cc": f"kDrawn[] = {{{quoted}}};\n",
            "generators/graphs/choice.cc": 'name == "operator_1" || name == "index"\n'}), [])

    def test_names_that_say_nothing(self):
        for path in ("corpora/shard_utils.cc", "stages/common/step.h", "parsers/helpers.h",
                     "stages/engine/run_manager.cc"):
            self.assert_one(path, "", "says nothing")

    def test_top_level(self):
        self.assert_one("lib/x.cc", "", "^lib: the top level is fixed")
        self.assert_one("setup.py", "", "top level is fixed")


if __name__ == "__main__":
    unittest.main()
