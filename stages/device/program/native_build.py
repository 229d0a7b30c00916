"""Builds the extensions of an answer with nvcc and the host's compiler, as torch.utils.cpp_extension does, only faster.

Most of torch's own builds is the reading of torch's headers. Sources get a small header in place of
torch/extension.h: the tensor class, the operators that they name and, for the host, what binds functions. Where that is
not enough, they are compiled again with torch's own. So the small header decides how long a build takes, never whether
it works.
"""

import os
import pathlib
import re
import subprocess
import sysconfig

import torch

_OPERATOR = re.compile(r"\b(?:torch|at)\s*::\s*([a-z_]\w*)")
# What the small header has not: autograd, layers, torch's own functions beside operators, and the context.
_NEEDS_ALL = re.compile(r"\bTORCH_LIBRARY|\bglobalContext\b|\bgetDefault\w*Generator\b"
                        r"|\btorch\s*::\s*(?:autograd|nn|jit|indexing|from_blob|tensor)\b"
                        r"|\bat\s*::\s*(?:from_blob|tensor|indexing)\b")
# What it has for the host alone.
_BINDS = re.compile(r"PYBIND11_MODULE|\b(?:py|pybind11)\s*::")
_TYPES = """\
#ifndef KERNELMILL_TORCH_TYPES
#define KERNELMILL_TORCH_TYPES
#include <ATen/core/Tensor.h>
#include <ATen/DeviceGuard.h>
#include <ATen/Dispatch.h>
#include <ATen/TensorOperators.h>
#include <c10/util/Exception.h>
#ifndef __CUDACC__
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>
#endif
namespace torch {
using namespace at;  // As torch/types.h does.
using std::nullopt;
using Dtype = at::ScalarType;
constexpr auto kU8 = at::kByte, kUInt8 = at::kByte, kI8 = at::kChar, kInt8 = at::kChar, kI16 = at::kShort,
    kInt16 = at::kShort, kI32 = at::kInt, kInt32 = at::kInt, kI64 = at::kLong, kInt64 = at::kLong, kF16 = at::kHalf,
    kFloat16 = at::kHalf, kF32 = at::kFloat, kFloat32 = at::kFloat, kF64 = at::kDouble, kFloat64 = at::kDouble;
}  // namespace torch
#endif
"""
_TYPES_NAME = "kernelmill_torch_types.h"
# Headers of operators include these two, which are half of what a compiler reads: the guard for lists of tensors brings
# in TorchScript's values, and the context every backend's hooks. These texts take their place.
_SHADOWS = {"ATen/DeviceGuard.h": """\
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
namespace at {
inline std::optional<Device> device_of(const Tensor& tensor) {
  return tensor.defined() ? std::optional<Device>(tensor.device()) : std::nullopt;
}
inline std::optional<Device> device_of(const std::optional<Tensor>& tensor) {
  return tensor ? device_of(*tensor) : std::nullopt;
}
}  // namespace at
""", "ATen/Context.h": "#pragma once\n"}
# Of COMMON_NVCC_FLAGS of torch.utils.cpp_extension, what gpu/extensions.py does not list as macros.
_NVCC = ["--expt-relaxed-constexpr",
         # Answers ask for it where they need it; it changes nothing elsewhere.
         "--extended-lambda"]
# Flags that compiler_flags.py lists under names that no macro has.
_FAST_MATH, _NUMERIC, _LANGUAGE = "__USE_FAST_MATH__", {"-ftz", "-fmad"}, "-std"
_QUICK = ["-DAT_PER_OPERATOR_HEADERS"]
_LOG = 8192  # Bytes of a compiler's messages that are kept.


class BuildFailed(Exception):
    """The compiler refused the sources; the message is its own."""


class Toolchain:
    """The compilers and torch's headers on this machine. `capability`: (major, minor) of the device, or None where
    device sources are not compiled. `headers`: a folder that write_headers() has filled."""

    def __init__(self, compiler, nvcc, capability, headers):
        self._headers = pathlib.Path(headers)
        self._root = pathlib.Path(torch.__file__).parent
        self.compiler, self.nvcc, self.capability = compiler, nvcc, capability
        folders = [self._root / "include", self._root / "include/torch/csrc/api/include",
                   pathlib.Path(sysconfig.get_paths()["include"])]
        self._home = pathlib.Path(nvcc).resolve().parent.parent if nvcc else None
        if nvcc:
            folders += [self._home / "include", self._home / "targets/x86_64-linux/include"]
        self._includes = [word for folder in folders if folder.is_dir() for word in ("-isystem", str(folder))]
        text = (self._root / "utils/cpp_extension.py").read_text()
        standard = "-std=" + max(re.findall(r"-std=(c\+\+\d+)", text))
        self._flags = ["-w", standard, "-DTORCH_API_INCLUDE_EXTENSION_H",
                       f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}"]

    def write_headers(self):
        """Fills the folder with what takes the place of torch's headers, and precompiles it for the host. Where a
        compiler cannot use that, builds read the text."""
        (self._headers / "ATen").mkdir()
        for name, shadow in _SHADOWS.items():
            (self._headers / name).write_text(shadow)
        types = self._headers / _TYPES_NAME
        types.write_text(_TYPES)
        _capture([*self._host_command(), *_QUICK, f"-I{self._headers}", *self._includes, "-x", "c++-header",
                  str(types), "-o", f"{types}.gch"], self._headers)

    def build(self, record, name, folder):
        """The path of the library that the record of an extension (gpu/extensions.py) asks for. `name`: of its
        module, which no other library of the process has."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for header, text in record["headers"].items():
            path = folder / header
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        # Macros of the command line would not fit the precompiled header.
        macros = "".join(f"#define {macro} {value}\n" for macro, value in self._macros(name, record["cpp_defines"]))
        macros += "#line 1\n"  # Messages name the lines of the answer.
        compiled = [self._compile_host(macros + text, index, folder)
                    for index, text in enumerate(self._host_texts(record))]
        defines = [f"-D{macro}={value}" for macro, value in self._macros(name, record["defines"])]
        flags = [f"{flag}={value}" for flag, value in record["defines"] if flag in _NUMERIC]
        if any(macro == _FAST_MATH for macro, _ in record["defines"]):
            flags.append("-use_fast_math")
        inline = bool(record["functions"]) or not record["cpp_sources"]
        texts = ["\n".join(record["cuda_sources"])] if inline and record["cuda_sources"] else record["cuda_sources"]
        compiled += [self._compile_device(text, index, [*defines, *flags], folder) for index, text in enumerate(texts)]
        objects = []
        for process, again, path in compiled:
            output = process.communicate()[0]
            code = process.returncode
            if code != 0 and again:
                output, code = _capture(again, folder)
            if code != 0:
                raise BuildFailed(output[-_LOG:].replace(str(folder) + "/", ""))
            objects.append(str(path))
        library = folder / "answer.so"
        link = [self.compiler, "-shared", *objects, "-o", str(library), f"-L{self._root / 'lib'}", "-lc10",
                "-ltorch_cpu", "-ltorch", "-ltorch_python"]
        if record["cuda_sources"]:
            link += ["-lc10_cuda", "-ltorch_cuda", f"-L{self._home}/lib64",
                     f"-L{self._home}/targets/x86_64-linux/lib", "-lcudart"]
            if any("cublas" in text for text in record["cuda_sources"]):
                link.append("-lcublas")
        output, code = _capture(link, folder)
        if code != 0:
            raise BuildFailed(output[-_LOG:].replace(str(folder) + "/", ""))
        return str(library)

    @staticmethod
    def _macros(name, pairs):
        others = _NUMERIC | {_FAST_MATH, _LANGUAGE}
        return [("TORCH_EXTENSION_NAME", name), *(pair for pair in pairs if pair[0] not in others)]

    def _host_command(self):
        # torch itself asks for no level; -O2 takes a quarter longer.
        return [self.compiler, "-O1", "-fPIC", *self._flags]

    def _host_texts(self, record):
        """The C++ sources with torch's header before them, of load_inline as one text with the bindings that it
        adds."""
        include = "#include <torch/extension.h>"
        texts = record["cpp_sources"]
        if not record["functions"]:
            return [f"{include}\n{text}" for text in texts]
        bindings = "".join(f'm.def("{function}", torch::wrap_pybind_function({function}), "{function}");\n'
                           for function in record["functions"])
        return ["\n".join([include, *texts,
                           f"PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{\n{bindings}}}\n"])]

    def _compile_host(self, text, index, folder):
        source = folder / f"main_{index}.cpp"
        source.write_text(text)
        first = ["-include", str(self._headers / _TYPES_NAME)]
        return self._compile([*self._host_command(), f"-I{folder}"], first, source, text,
                             bool(_NEEDS_ALL.search(text)), folder)

    def _compile_device(self, text, index, flags, folder):
        if not self.nvcc or not self.capability:
            raise BuildFailed("this machine has no compiler for device sources")
        source = folder / f"cuda_{index}.cu"
        source.write_text(f"#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n{text}")
        architecture = "".join(map(str, self.capability))
        command = [self.nvcc, "-O3", "--compiler-options", "-fPIC", *self._flags, *_NVCC, *flags,
                   f"-gencode=arch=compute_{architecture},code=sm_{architecture}", f"-I{folder}"]
        return self._compile(command, [], source, text, bool(_NEEDS_ALL.search(text) or _BINDS.search(text)), folder)

    def _compile(self, command, first, source, text, needs_all, folder):
        """(running compiler, command to try if it fails, object). `first`: words for the small header alone."""
        target = source.with_suffix(source.suffix + ".o")
        rest = [*self._includes, "-c", str(source), "-o", str(target)]
        if needs_all:
            return _start([*command, *rest], folder), None, target
        small = folder / f"small_{source.stem}"
        (small / "torch").mkdir(parents=True, exist_ok=True)
        known = self._root / "include/ATen/ops"
        names = sorted(set(_OPERATOR.findall(text)))
        lines = "\n".join(f"#include <ATen/ops/{name}.h>" for name in names if (known / f"{name}.h").exists())
        for name in ("extension.h", "types.h", "torch.h", "all.h"):
            (small / "torch" / name).write_text(f"#include <{_TYPES_NAME}>\n{lines}\n")
        quick = [*command, *first, *_QUICK, f"-I{small}", f"-I{self._headers}", *rest]
        return _start(quick, folder), [*command, *rest], target


def _start(command, folder):
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            errors="replace")


def _capture(command, folder):
    process = _start(command, folder)
    return process.communicate()[0], process.returncode

