#include "stages/mine/import_policy.h"

#include <algorithm>
#include <unordered_set>

namespace kernelmill {
namespace {

using Names = std::unordered_set<std::string_view>;

const Names& AllowedPackages() {
  static const Names names = {
      "torch",       "numpy",       "einops", "math",   "typing", "functools", "itertools",
      "collections", "dataclasses", "enum",   "abc",    "copy",   "numbers",   "operator",
      "warnings",    "contextlib",  "re",     "string", "types",  "random",    "typing_extensions",
      "__future__"};
  return names;
}

// Packages that repositories import but do not contain. A folder of the same name next to the
// importing file is not mistaken for one of them.
const Names& OtherPackages() {
  static const Names names = {"os",           "sys",       "io",       "json",        "logging",
                              "time",         "pathlib",   "inspect",  "torchvision", "torchaudio",
                              "transformers", "scipy",     "pickle",   "subprocess",  "ctypes",
                              "socket",       "threading", "importlib"};
  return names;
}

bool Under(std::string_view name, std::string_view package) {
  return name.starts_with(package) &&
         (name.size() == package.size() || name[package.size()] == '.');
}

std::string_view Root(std::string_view module) { return module.substr(0, module.find('.')); }

}  // namespace

bool IsKnownModule(std::string_view module) {
  return AllowedPackages().contains(Root(module)) || OtherPackages().contains(Root(module));
}

bool IsRefusedChain(std::string_view full_name) {
  // These load files or code, start processes, or use the network.
  static constexpr std::string_view kRefused[] = {"torch.hub",
                                                  "torch.load",
                                                  "torch.save",
                                                  "torch.utils.cpp_extension",
                                                  "torch.distributed",
                                                  "torch.multiprocessing",
                                                  "torch.package",
                                                  "torch.jit.load",
                                                  "torch.jit.save",
                                                  "torch.classes",
                                                  "torch.ops.load_library",
                                                  "torch.utils.data",
                                                  "torch.utils.tensorboard",
                                                  "torch.utils.model_zoo",
                                                  "torch.onnx",
                                                  "torch.export",
                                                  "torch.profiler",
                                                  "numpy.load",
                                                  "numpy.save",
                                                  "numpy.fromfile",
                                                  "numpy.memmap",
                                                  "numpy.ctypeslib",
                                                  "numpy.f2py",

                                                  "types.CodeType"};
  return std::any_of(std::begin(kRefused), std::end(kRefused),
                     [&](std::string_view refused) { return Under(full_name, refused); });
}

bool IsAllowedModule(std::string_view module) {
  return AllowedPackages().contains(Root(module)) && !IsRefusedChain(module);
}

bool IsRefusedBuiltin(std::string_view name) {
  static const Names names = {"eval", "exec",  "compile",      "__import__", "globals",
                              "open", "input", "breakpoint",   "exit",       "quit",
                              "help", "vars",  "__builtins__", "__loader__", "__spec__"};
  return names.contains(name);
}

bool IsBuiltin(std::string_view name) {
  static const Names names = {"ArithmeticError",
                              "AssertionError",
                              "AttributeError",
                              "BaseException",
                              "BaseExceptionGroup",
                              "BlockingIOError",
                              "BrokenPipeError",
                              "BufferError",
                              "BytesWarning",
                              "ChildProcessError",
                              "ConnectionAbortedError",
                              "ConnectionError",
                              "ConnectionRefusedError",
                              "ConnectionResetError",
                              "DeprecationWarning",
                              "EOFError",
                              "Ellipsis",
                              "EncodingWarning",
                              "EnvironmentError",
                              "Exception",
                              "ExceptionGroup",
                              "False",
                              "FileExistsError",
                              "FileNotFoundError",
                              "FloatingPointError",
                              "FutureWarning",
                              "GeneratorExit",
                              "IOError",
                              "ImportError",
                              "ImportWarning",
                              "IndentationError",
                              "IndexError",
                              "InterruptedError",
                              "IsADirectoryError",
                              "KeyError",
                              "KeyboardInterrupt",
                              "LookupError",
                              "MemoryError",
                              "ModuleNotFoundError",
                              "NameError",
                              "None",
                              "NotADirectoryError",
                              "NotImplemented",
                              "NotImplementedError",
                              "OSError",
                              "OverflowError",
                              "PendingDeprecationWarning",
                              "PermissionError",
                              "ProcessLookupError",
                              "RecursionError",
                              "ReferenceError",
                              "ResourceWarning",
                              "RuntimeError",
                              "RuntimeWarning",
                              "StopAsyncIteration",
                              "StopIteration",
                              "SyntaxError",
                              "SyntaxWarning",
                              "SystemError",
                              "SystemExit",
                              "TabError",
                              "TimeoutError",
                              "True",
                              "TypeError",
                              "UnboundLocalError",
                              "UnicodeDecodeError",
                              "UnicodeEncodeError",
                              "UnicodeError",
                              "UnicodeTranslateError",
                              "UnicodeWarning",
                              "UserWarning",
                              "ValueError",
                              "Warning",
                              "ZeroDivisionError",
                              "__build_class__",
                              "__class__",
                              "__debug__",
                              "__doc__",
                              "__file__",
                              "__name__",
                              "abs",
                              "aiter",
                              "all",
                              "anext",
                              "any",
                              "ascii",
                              "bin",
                              "bool",
                              "breakpoint",
                              "bytearray",
                              "bytes",
                              "callable",
                              "chr",
                              "classmethod",
                              "compile",
                              "complex",
                              "copyright",
                              "credits",
                              "delattr",
                              "dict",
                              "dir",
                              "divmod",
                              "enumerate",
                              "eval",
                              "exec",
                              "exit",
                              "filter",
                              "float",
                              "format",
                              "frozenset",
                              "getattr",
                              "globals",
                              "hasattr",
                              "hash",
                              "help",
                              "hex",
                              "id",
                              "input",
                              "int",
                              "isinstance",
                              "issubclass",
                              "iter",
                              "len",
                              "license",
                              "list",
                              "locals",
                              "map",
                              "max",
                              "memoryview",
                              "min",
                              "next",
                              "object",
                              "oct",
                              "open",
                              "ord",
                              "pow",
                              "print",
                              "property",
                              "quit",
                              "range",
                              "repr",
                              "reversed",
                              "round",
                              "set",
                              "setattr",
                              "slice",
                              "sorted",
                              "staticmethod",
                              "str",
                              "sum",
                              "super",
                              "tuple",
                              "type",
                              "vars",
                              "zip"};
  return names.contains(name);
}

bool IsTorchModuleClass(std::string_view full_name) {
  if (!Under(full_name, "torch.nn")) return false;
  const std::string_view name = full_name.substr(full_name.rfind('.') + 1);
  return name[0] >= 'A' && name[0] <= 'Z' && name != "Parameter" && name != "Buffer" &&
         !Under(full_name, "torch.nn.init") && !Under(full_name, "torch.nn.utils");
}

}  // namespace kernelmill
