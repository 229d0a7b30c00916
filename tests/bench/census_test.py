"""Tests the censuses on small repositories with known results."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import census  # noqa: E402
import kernel_census  # noqa: E402


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, **files):
        for name, text in files.items():
            path = self.folder / name.replace("__slash__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def files(self, files):
        self.write(**{name.replace("/", "__slash__"): text for name, text in files.items()})


class Modules(Tree):
    def reasons(self, files):
        """{class: reason or "self-contained"}. Fails when a class appears twice."""
        self.files(files)
        result = census.census(self.folder)
        found = {entry["class"]: "self-contained" for entry in result["self_contained"]}
        for entry in result["others"]:
            self.assertNotIn(entry["class"], found)
            found[entry["class"]] = entry["reason"]
        self.assertEqual(result["classes"], len(found))
        return found

    def test_who_reaches_nn_module(self):
        self.assertEqual(self.reasons({
            "lib/__init__.py": "from .base import Base as Root\n",
            "lib/base.py": "import torch\nfrom torch import nn\nimport torch.nn as N\n"
                           "from torch.nn import Module\nfrom typing import Generic, TypeVar\n"
                           "T = TypeVar('T')\n"
                           "class Base(nn.Module): pass\nclass A(torch.nn.Module): pass\n"
                           "class B(N.Conv2d): pass\nclass C(Module, Generic[T]): pass\n"
                           "class P(nn.Parameter): pass\nclass Plain: pass\nAlias = C\n",
            "lib/net.py": "from lib import Root\nfrom . import base\nfrom .base import *\n"
                          "class D(Root): pass\nclass E(base.A): pass\nclass F(Alias): pass\n"
                          "class G(Plain): pass\nclass H(D): pass\n",
            "lib/loop.py": "class X(Y): pass\nclass Y(X): pass\n",
        }), dict.fromkeys("ABCDEFH", "self-contained") | {"Base": "self-contained"})

    def test_why_a_class_is_not_self_contained(self):
        self.assertEqual(self.reasons({
            "a.py": "import os, math\nimport torch.nn as nn\nfrom b import helper\nimport b\n"
                    "from d import unknown\n"
                    "try:\n    import fast\nexcept ImportError:\n    fast = None\n"
                    "class Uses(nn.Module):\n    def forward(self, x): return os.sep\n"
                    "class Far(nn.Module):\n    def forward(self, x): return helper(x)\n"
                    "class Inside(nn.Module):\n    def forward(self, x):\n        import json\n"
                    "class Shadow(nn.Module):\n    def forward(self, os): return os * math.pi\n"
                    "class Typo(nn.Module):\n    def forward(self, x): return nowhere(x)\n"
                    "class Value(nn.Module):\n    def forward(self, x): return vars(b)\n"
                    "class Attribute(nn.Module):\n    def forward(self, x): return b.clean(x)\n"
                    "class Optional(nn.Module):\n    def forward(self, x): return fast\n"
                    "def make():\n    class Local(nn.Module): pass\n",
            "b.py": "import scipy\nLIMIT = scipy.x\ndef helper(x): return x + LIMIT\n"
                    "def clean(x): return x\n",
            "long.py": "from torch import nn\nclass Long(nn.Module):\n" + "    x = 1\n" * 400,
            "just.py": "from torch import nn\nclass Just(nn.Module):\n" + "    x = 1\n" * 399,
        }), {"Uses": "import os", "Far": "import scipy", "Inside": "import json",
             "Shadow": "self-contained", "Typo": "unresolved name", "Value": "unresolved name",
             "Attribute": "self-contained", "Optional": "self-contained",
             "Local": "inside a function, class or script", "Long": "over 400 lines",
             "Just": "self-contained"})

    def test_lines_and_files_of_a_closure(self):
        chain = {f"m{i}.py": f"from m{i + 1} import f{i + 1}\ndef f{i}(x):\n    return f{i + 1}(x)\n"
                 for i in range(12)}
        chain["m12.py"] = "def f12(x):\n    return x\n"
        chain["net.py"] = ("from torch import nn\nfrom m0 import f0\nfrom m2 import f2\n"
                           "class Thirteen(nn.Module):\n    def forward(self, x): return f0(x)\n"
                           "@staticmethod\nclass Twelve(nn.Module):\n"
                           "    def forward(self, x): return f2(x)\n")
        self.files(chain)
        result = census.census(self.folder)
        twelve, = result["self_contained"]
        self.assertEqual((twelve["class"], twelve["lines"], twelve["files"]),
                         ("Twelve", 3 + 11 * 2, 12))
        self.assertEqual(result["others"][0]["reason"], "over 12 files")

    def test_a_repository_is_read_at_its_head(self):
        self.files({"src/net.py": "import torch.nn as nn\nclass Net(nn.Module): pass\n",
                    "bad.py": "class (:\n"})
        run = lambda *arguments: subprocess.run(
            ["git", "-C", self.folder, "-c", "user.name=a", "-c", "user.email=a@invalid", *arguments],
            check=True, capture_output=True)
        run("init", "-q")
        run("add", ".")
        run("commit", "-qm", "x")
        (self.folder / "src/net.py").write_text("", encoding="utf-8")
        result = census.census(self.folder)
        self.assertEqual([entry["class"] for entry in result["self_contained"]], ["Net"])
        self.assertEqual(result["unparsed"], ["bad.py"])
        self.assertRegex(result["commit"], "^[0-9a-f]{40}$")


class Kernels(Tree):
    def test_definitions_count(self):
        text = r"""
// __global__ void in_comment(int* p) {}
const char* s = "__global__ void in_string() {";
__global__ void declared(float* p);
__global__ void plain(float* p) { p[0] = 1; }
template <typename T, int N>
__global__ void
__launch_bounds__(256, 2) bounded(T* p, int n = f(1))
{ }
static __global__ void plain_too(
    const float* __restrict__ a) /* why */ {}
#define MAKE(NAME) \
  __global__ void NAME##_kernel(int n) { }
__global__ void LOUD(int n) { }
template __global__ void plain<float>(float*);
extern "C" __global__ void with_c() {}
"""
        found = list(kernel_census.kernels_of(text))
        self.assertEqual([name for name, _, in_macro in found if not in_macro],
                         ["plain", "bounded", "plain_too", "LOUD", "with_c"])
        self.assertEqual(sum(in_macro for _, _, in_macro in found), 1)
        lines = text.split("\n")
        for name, line, in_macro in found:
            if not in_macro:
                self.assertIn("__global__", lines[line - 1], name)


if __name__ == "__main__":
    unittest.main()
