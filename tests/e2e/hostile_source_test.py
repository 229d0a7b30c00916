"""Tests hostile and malformed source files: none stops a run, each is counted with a reason, and
published text cannot act as markup."""

import json
import sys
import unittest

import program
import repository
from repository import HEADER, module

sys.path.insert(0, str(program.ROOT / "bench"))
import dataset_records  # noqa: E402

BIDI = "\u202e\u2066"
MARKERS = ("<|im_end|>", "<|im_start|>system", "<|endoftext|>", "</s>", "[INST]", "<think>",
           "</think>", "```", "<tool_call>", "<start_of_turn>")


def files():
    """Path → (content, step and reason of its rejection, or None when neither is specified)."""
    nested = "(" * 5000 + "1" + ")" * 5000
    blocks = "".join(" " * depth + "if x:\n" for depth in range(5000))
    made = {
        "latin1.py": ("# caf\u00e9\n".encode("latin-1") + HEADER.encode(), ("read", "not_utf8")),
        "utf16.py": ((HEADER + module("Wide", "x")).encode("utf-16"), ("read", "binary")),
        "nul.py": ((HEADER + "x = '\0'\n").encode(), ("read", "binary")),
        "bom.py": (b"\xef\xbb\xbf" + (HEADER + module("Bom", "torch.tanh(x) * 2")).encode(), None),
        "old_mac.py": ((HEADER + module("Mac", "torch.tanh(x) * 3")).replace("\n", "\r"), None),
        "dos.py": ((HEADER + module("Dos", "torch.tanh(x) * 4")).replace("\n", "\r\n"), None),
        "python2.py": (HEADER + "print 'hello'\nexec 'x' in {}\n" + module("Two", "x <> x"), None),
        "lfs.py": ("version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 +
                   "\nsize 12345\n", None),
        "nested.py": (HEADER + "X = " + nested + "\n" + module("Nested", f"x * {nested}"), None),
        "blocks.py": (HEADER + "def f(x):\n" + "".join(
            " " + line + "\n" for line in blocks.splitlines()) + " " * 5001 + "pass\n", None),
        "lists.py": (HEADER + "X = " + "[" * 5000 + "]" * 5000 + module("Lists", "x"), None),
        "unary.py": (HEADER + module("Unary", "-" * 5000 + "x"), None),
        "operators.py": (HEADER + module("Operators", "x" + " + x" * 5000), None),
        "calls.py": (HEADER + module("Calls", "torch.tanh(" * 3000 + "x" + ")" * 3000), None),
        "attributes.py": (HEADER + module("Attributes", "x" + ".abs()" * 3000), None),
        "strings.py": (HEADER + module("Strings", "x") + "X = f'" + "{f\"" * 50 + "\n", None),
        "line.py": (HEADER + module("Line", "torch.tanh(x) * 5") + "X = '" + "y" * 1_000_000 + "'\n",
                    None),
        "classes.py": ("from torch.nn import Module as M\n" + "".join(
            f"class C{i}(M):0\n" for i in range(50_000)), None),
        "chain.py": ("from torch.nn import Module as C0\n" + "".join(
            f"class C{i + 1}(C{i}):0\n" for i in range(20_000)), None),
        "circle.py": (HEADER + "class A(B): pass\nclass B(A): pass\nclass S(S): pass\n", None),
        "ring/__init__.py": ("from .a import *\n", None),
        "ring/a.py": ("from .b import *\nfrom .b import Net\n" + HEADER + module("RingA", "Net"),
                      None),
        "ring/b.py": ("from .a import *\nfrom .a import Net\n" + HEADER + module("RingB", "Net"),
                      None),
        "empty.py": ("", None),
        "only_open.py": (HEADER + "class Open(nn.Module):\n    def forward(self, x):\n        (((",
                         None),
        "huge_number.py": (HEADER + module("Huge", "x * " + "9" * 100_000), None),
        "huge_size.py": (HEADER + module("Wide", "x").replace("24", "10 ** 18"), None),
        "default.py": (HEADER + module("Default", "x").replace("dim)", "dim=" + "9" * 40 + ")"), None),
        "<script>alert(1)</script>.py": (HEADER + module("Markup", "torch.tanh(x) * 6"), None),
        "---\u2028: [x, *y]| $(z) `w`.py": (HEADER + module("Yaml", "torch.tanh(x) * 7"), None),
        f"bidi{BIDI}yp.py": (HEADER + module("Bidi", "torch.tanh(x) * 8"), None),
        "c1\u009b31m.py": (HEADER + module("Control", "torch.tanh(x) * 9"), None),
        "doc.py": (HEADER + module("Doc", "torch.tanh(x) * 10").replace(
            "    def forward", f"    '''</script><img src=x onerror=alert(1)> {BIDI}\\x1b[31m'''\n"
            "    def forward", 1), None),
    }
    for number, marker in enumerate(MARKERS):
        made[f"chat{number}.py"] = (HEADER + module(f"Chat{number}", f"torch.tanh(x) - {number}")
                                    .replace("super", f"marker = '{marker}'\n        super", 1),
                                    None)
    return made


class HostileSources(program.EndToEnd):
    def test_none_stops_the_run(self):
        source = repository.sample_repository(self.folder / "source", files=1)
        expected = files()
        for path, (content, _) in expected.items():
            source.write(path, content)
        source.write("vendored/LICENSE", b"\xff\xfe" * 1000)
        source.write("vendored/net.py", HEADER + module("Vendored", "torch.tanh(x)"))
        source.commit()
        output = self.folder / "out"
        done = program.run("sft", self.configuration(source.folder), "--output", output, "--json",
                           "--jobs", 2)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        manifest = json.loads(done.stdout)
        self.assertEqual(self.audit(output), ("consistent", []))
        rejects = list(dataset_records.rejects(output))
        found = {(r["step"], r["reason"], o["path"]) for r in rejects for o in r["origins"]}
        for path, (_, reason) in expected.items():
            if reason:
                self.assertIn((*reason, path), found)
        for counts in manifest["counts"].values():
            self.assertEqual(counts["in"], counts["kept"] + sum(counts["dropped"].values()) +
                             sum(counts["rejected"].values()))
        self.assertEqual(manifest["counts"]["read"]["dropped"]["lfs_pointer"], 1)
        # Each of the fifty thousand files is counted once.
        self.assertGreaterEqual(manifest["counts"]["index"]["counters"]["modules"], 50_000)
        fates = manifest["counts"]["slice"]
        self.assertEqual(fates["in"], manifest["counts"]["index"]["counters"]["modules"])
        self.assert_clean_texts(done, output)
        self.assert_clean_rows(output)
        paths = {o["path"] for task in dataset_records.records(output, "task")
                 for o in task["origins"]}
        self.assertTrue({"line.py", "dos.py"} <= paths, paths)

    def assert_clean_texts(self, done, output):
        shown = [program.run("inspect", output), program.run("audit", output)]
        texts = {"standard error": done.stderr, "inspect": shown[0].stdout,
                 "audit": shown[1].stdout}
        for name in ("README.md", "report.html", "manifest.json"):
            texts[name] = (output / name).read_text(encoding="utf-8")
        for name, text in texts.items():
            with self.subTest(name):
                for mark in ("\x1b", "\x9b", "\u202e", "\u2066", "\u2028"):
                    self.assertNotIn(mark, text)
                if name in ("README.md", "report.html"):
                    self.assertNotIn("<script>alert", text)
                    self.assertNotIn("<img src=x", text)

    def assert_clean_rows(self, output):
        for path in sorted((output / "data").glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                for message in json.loads(line)["messages"]:
                    for marker in MARKERS:
                        if marker not in ("```", "</s>", "[INST]"):
                            self.assertNotIn(marker, message["content"])


if __name__ == "__main__":
    unittest.main()
