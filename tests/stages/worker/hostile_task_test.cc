// Tasks that attack the worker: it must survive them, and none may obtain a forged annotation.
#include <gtest/gtest.h>

#include <set>

#include "stages/admit/worker_reply.h"
#include "tests/shared_suite.h"
#include "tests/stages/worker/worker_suite.h"

namespace kernelmill {
namespace {

constexpr char kImports[] =
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n";
constexpr char kArguments[] =
    "\n\ndef get_inputs():\n    return [torch.randn(4, 8)]\n\n\n"
    "def get_init_inputs():\n    return []\n";

std::string TaskOf(std::string_view forward) {
  std::string code =
      std::string(kImports) + "\n\nclass Model(nn.Module):\n    def forward(self, x):\n        ";
  for (char c : forward) {
    code += c;
    if (c == '\n') code += "        ";
  }
  return code + kArguments;
}

struct Attack {
  const char* name;
  const char* forward;
  std::set<std::string> ends;  // The reply's "end" must be one of them.
};

// The name of the test.
void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

// A dictionary that makes NumPy use an address as an array.
#define KM_POINTER "{'data': (4096, False), 'shape': (1,), 'typestr': '<i8', 'version': 3}"

const Attack kAttacks[] = {
    // Exhausting resources.
    {"spin", "while True:\n    pass", {"time_limit"}},
    {"spin_and_catch",
     "while True:\n    try:\n        1 / 0\n    except BaseException: pass",
     {"time_limit"}},
    {"allocate_100_gb", "return x + torch.empty(25 * 10**9)[0]", {"memory_limit", "too_costly"}},
    {"allocate_lists", "kept = []\nwhile True:\n    kept.append([0] * 10**8)", {"memory_limit"}},
    {"allocate_slowly",
     "kept = []\nwhile True:\n    kept.append(torch.ones(10**6))",
     {"memory_limit", "too_costly"}},
    {"print", "while True:\n    print('x' * 1000)", {"output_limit"}},
    {"recursion", "def f(n):\n    return f(n + 1)\nreturn f(0)", {"fault"}},
    {"many_outputs",
     "return [x * i for i in range(10**7)]",
     {"memory_limit", "too_costly", "time_limit"}},
    // Ending the process.
    {"system_exit", "raise SystemExit(0)", {"fault"}},
    {"keyboard_interrupt", "raise KeyboardInterrupt", {"fault"}},
    {"ctypes", "import ctypes\nctypes.string_at(0)", {"fault"}},
    // Reaching files, processes and the network.
    {"delete", "import os\nos.remove('/tmp/canary')", {"fault"}},
    {"fork", "torch.os.fork()", {"fault"}},
    {"kill", "import random\nrandom._os.kill(1, 9)", {"fault"}},
    {"kill_by_getattr", "getattr(getattr(torch, 'o' + 's'), 'kill')(1, 9)", {"fault"}},
    {"socket", "import socket", {"fault"}},
    {"sleep", "import time\ntime.sleep(10**6)", {"fault"}},
    {"import_builtin", "__import__('os').system('id')", {"fault"}},
    {"from_torch", "from torch import os", {"fault"}},
    {"from_torch_hub", "from torch import hub", {"fault"}},
    {"open", "open('/etc/passwd').read()", {"fault"}},
    {"numpy_load", "import numpy\nnumpy.load('/etc/passwd')", {"fault"}},
    {"numpy_tofile", "x.numpy().tofile('/tmp/canary')", {"fault"}},
    {"torch_save", "torch.save(x, '/tmp/canary')", {"fault"}},
    {"load_library", "torch.ops.load_library('/tmp/x.so')", {"fault"}},
    {"compile", "return torch.compile(lambda y: y * 2)(x)", {"fault"}},
    {"thread", "import threading", {"fault"}},
    // Reaching frames, classes and code.
    {"traceback",
     "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__.tb_frame",
     {"fault"}},
    {"traceback_by_getattr",
     "class Trap:\n    def __enter__(self): return self\n    def __exit__(self, a, b, t):\n"
     "        getattr(t, 'tb_' + 'frame').clear()\n        return True\nwith Trap(): 1 / 0",
     {"fault"}},
    {"generator_frame", "g = (i for i in [1])\ng.gi_frame.f_back", {"fault"}},
    {"subclasses", "().__class__.__base__.__subclasses__()", {"fault"}},
    {"globals", "F.relu.__globals__['sys']", {"fault"}},
    {"match_pattern", "match F.relu:\n    case object(__globals__=g): pass\nreturn g", {"fault"}},
    {"attrgetter", "import operator\noperator.attrgetter('__globals__')(F.relu)", {"fault"}},
    {"formatter",
     "import string\nstring.Formatter().get_field('0.__globals__', (F.relu,), {})",
     {"fault"}},
    {"annotation_eval",
     "import typing\ndef f(a: '().__class__'): pass\ntyping.get_type_hints(f)",
     {"fault"}},
    {"eval", "eval('1')", {"fault"}},
    {"builtins", "return __builtins__", {"fault"}},
    {"loader", "return __loader__", {"fault"}},
    {"instance_dict", "self.__dict__.clear()", {"fault"}},
    {"metaclass", "type(type(x))('T', (), {})", {"fault"}},
    {"class_of_class", "c = x.__class__\nc.__class__('T', (), {})", {"fault"}},
    {"type_of_three", "return type('T', (), {'__array_interface__': " KM_POINTER "})()", {"fault"}},
    {"string_subclass",
     "class S(str):\n    def __eq__(self, o): return False\n    def __hash__(self): return 1\n"
     "getattr(torch, S('os'))",
     {"fault"}},
    // Reading and writing addresses.
    {"array_interface", "class T:\n    __array_interface__ = " KM_POINTER, {"fault"}},
    {"array_interface_captured",
     "class T:\n    match " KM_POINTER ":\n        case __array_interface__: pass",
     {"fault"}},
    {"array_interface_enum",
     "import enum, numpy\nT = enum.Enum('T', {'__array_interface__': " KM_POINTER ", 'A': 1})\n"
     "return x + float(numpy.asarray(T.A)[0])",
     {"fault"}},
    {"array_interface_module",
     "import numpy\nd = nn.ParameterDict({'__array_interface__': " KM_POINTER "})\n"
     "return x + float(numpy.asarray(d)[0])",
     {"fault"}},
    {"array_interface_buffers",
     "import numpy\nm = nn.Module()\nm._buffers['__array_interface__'] = " KM_POINTER "\n"
     "return x + float(numpy.asarray(m)[0])",
     {"fault"}},
    {"strides", "return torch.as_strided(x, (10**9,), (1,))", {"fault", "too_costly"}},
    {"storage", "x.untyped_storage().resize_(0)", {"fault"}},
    // Deceiving the recorder.
    {"disable_dispatch", "torch._C._DisableTorchDispatch()", {"fault"}},
    {"disable_functions", "with torch.DisableTorchFunction():\n    return x * 2", {"fault"}},
    {"exclude_keys", "torch.ExcludeDispatchKeyGuard(torch.DispatchKeySet(1))", {"fault"}},
    {"forged_operator",
     "F.handle_torch_function(lambda y: y * 2, (x,), x)\nreturn x * 2",
     {"fault"}},
    {"subclass_protocol",
     "class T(torch.Tensor):\n    def __torch_function__(cls, *a): return 1\nreturn T(x)",
     {"fault"}},
    {"patch_tensor", "torch.Tensor.size = lambda self: (1, 2)\nreturn x * 2", {"tampered"}},
    {"patch_module", "nn.Module.named_parameters = lambda self: []\nreturn x * 2", {"tampered"}},
    {"patch_layer", "nn.Linear.forward = lambda self, x: x\nreturn x * 2", {"tampered"}},
    {"patch_by_setattr", "setattr(torch.Tensor, 'size', 1)\nreturn x * 2", {"fault"}},
    // Attacking the description of an error.
    {"huge_attribute",
     "m = nn.Linear(8, 8)\nm.in_features = 10**40\nm.out_features = -10**40\nreturn m(x[:, :3])",
     {"fault"}},
    {"many_attributes",
     "m = nn.Linear(8, 8)\nfor i in range(10**5):\n    setattr(m, f'a{i}', i)\nreturn m(x[:, :3])",
     {"fault"}},
    {"attribute_of_no_character",
     "m = nn.Linear(8, 8)\nsetattr(m, chr(0xd800), 1)\nsetattr(m, 'a b', 1)\nreturn m(x[:, :3])",
     {"fault"}},
    {"integer_subclass",
     "class I(int):\n    def __repr__(self): return ']'\n    __index__ = __str__ = __repr__\n"
     "m = nn.Linear(8, 8)\nm.in_features = n = I(3)\nassert n == x.shape[1]",
     {"fault"}},
    {"huge_operands", "n = 10**400\nassert n % 7 == n - 1 and n == x.shape[1]", {"fault"}},
    {"message_of_a_gigabyte", "raise ValueError('1 ' * (1 << 29))", {"fault", "memory_limit"}},
    {"message_that_spins",
     "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E",
     {"time_limit"}},
    {"message_that_raises",
     "class E(Exception):\n    def __str__(self): raise KeyboardInterrupt\nraise E",
     {"fault", "killed"}},
    {"message_of_no_character", "raise ValueError(chr(0xd800) + chr(0) + chr(0x202e))", {"fault"}},
    {"variables_that_lie",
     "class T(torch.Tensor):\n    @property\n    def shape(self): return (3,)\n"
     "t = (x * 2).as_subclass(T)\nassert t.shape[0] == 4",
     {"fault"}},
    {"destructor", "class T:\n    def __del__(self): print(1)\nreturn x * 2", {"fault"}},
};

class HostileTask : public WorkerSuite<testing::TestWithParam<Attack>> {};

KM_SHARED_SUITE(HostileTask);

TEST_P(HostileTask, GetsNoAnnotation) {
  WorkerLimits limits;
  // Attacks on other limits get enough time on a slow machine.
  if (GetParam().ends.contains("time_limit")) limits.cpu_ms = 2000;
  limits.memory_bytes = std::int64_t{1} << 30;
  const Json reply = Admit(TaskOf(GetParam().forward), limits);
  EXPECT_TRUE(GetParam().ends.contains(reply.Find("end")->as_string())) << reply.Dump();
  EXPECT_EQ(reply.Find("annotation"), nullptr);
  // Every reply can be parsed: a task must not end the run.
  const Result<WorkerReply> read = WorkerReply::FromJson(reply);
  EXPECT_TRUE(read.ok()) << read.status().message();
}

INSTANTIATE_TEST_SUITE_P(Every, HostileTask, testing::ValuesIn(kAttacks),
                         [](const auto& info) { return std::string(info.param.name); });

// The changes of a task affect neither its recorded annotation nor the next task.
TEST_F(HostileTask, ChangesOnlyItsOwnCopies) {
  const std::string honest = TaskOf("y = torch.relu(x)\nz = y * 2\nreturn z\n");
  const Json before = Admit(honest);
  ASSERT_EQ(before.Find("end")->as_string(), "ran") << before.Dump();
  for (const char* patch : {"torch.relu = torch.sigmoid; torch.relu = F.relu", "F.linear = None",
                            "torch.Tensor = int"}) {
    const Json patched =
        Admit(TaskOf(std::string("y = torch.relu(x)\nz = y * 2\nreturn z\n") + patch));
    EXPECT_EQ(patched.Find("annotation")->Dump(), before.Find("annotation")->Dump()) << patch;
  }
  const Json subclassed = Admit(
      TaskOf("class T(torch.Tensor):\n    def size(self, *a): return (1, 2, 3)\n"
             "    @property\n    def shape(self): return (3,)\nreturn (x * 2).as_subclass(T)\n"));
  ASSERT_EQ(subclassed.Find("end")->as_string(), "ran") << subclassed.Dump();
  EXPECT_EQ(subclassed.Find("annotation")->Find("outputs")->Dump(),
            R"([{"dtype":"float32","shape":[4,8],"stride":[8,1]}])");
  EXPECT_EQ(Admit(honest).Dump(), before.Dump());
}

}  // namespace
}  // namespace kernelmill
