"""Compiles CUDA code with NVRTC and the toolkit's headers from .venv. Needs no GPU."""

import ctypes
import pathlib
import site

# The standard headers as device code sees them: libcu++ under the standard names. A compiler with a
# host library has these headers; NVRTC does not.
STANDARD = {
    "algorithm": "cuda/std/algorithm", "array": "cuda/std/array", "cassert": "cuda/std/cassert",
    "cfloat": "cuda/std/cfloat", "climits": "cuda/std/climits", "cmath": "cuda/std/cmath",
    "complex": "cuda/std/complex", "cstddef": "cuda/std/cstddef", "cstdint": "cuda/std/cstdint",
    "cstring": "cuda/std/cstring", "functional": "cuda/std/functional",
    "limits": "cuda/std/limits", "stdint.h": "cuda/std/cstdint", "tuple": "cuda/std/tuple",
    "type_traits": "cuda/std/type_traits", "utility": "cuda/std/utility"}
INTEGERS = " ".join(f"using cuda::std::{sign}int{bits}_t;" for sign in ("", "u")
                    for bits in (8, 16, 32, 64)) + " using cuda::std::uintptr_t;"
# Host headers that device code includes without needing much of them.
REPLACED = {
    "cuda.h": "#pragma once\n#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000)\n",
    "stdlib.h": "",
    # The block and warp primitives of CUB; the rest of CUB launches kernels.
    "cub/cub.cuh": "#pragma once\n" + "".join(
        f"#include <cub/{part}.cuh>\n" for part in (
            "block/block_load", "block/block_radix_sort", "block/block_reduce", "block/block_scan",
            "block/block_store", "warp/warp_reduce", "warp/warp_scan"))}
# nvcc includes these before every source.
PRELUDE = "#include <cuda/std/cstdint>\n" + INTEGERS + "\n"


def packages():
    for folder in site.getsitepackages():
        if (root := pathlib.Path(folder, "nvidia/cu13")).is_dir():
            return root
    raise SystemExit("the CUDA front end is missing: run ./kernelmill setup")


class Compiler:
    def __init__(self, architecture="sm_80"):
        self.root = packages()
        self.library = ctypes.CDLL(str(next(self.root.glob("lib/libnvrtc.so.*"))))
        # C++17 removed `register`; nvcc only warns about it.
        self.options = [f"--gpu-architecture={architecture}", "--std=c++17", "-Dregister=",
                        f"--include-path={self.root}/include",
                        f"--include-path={self.root}/include/cccl"]
        self.headers = {name: f"#pragma once\n#include <{target}>\n"
                              "namespace std { using namespace cuda::std; }\n"
                        for name, target in STANDARD.items()} | REPLACED

    def compile(self, code, include_paths=()):
        """(whether the source compiles, the log)."""
        library = self.library
        program = ctypes.c_void_p()
        names = [name.encode() for name in self.headers]
        texts = [text.encode() for text in self.headers.values()]
        array = ctypes.c_char_p * len(names)
        if library.nvrtcCreateProgram(ctypes.byref(program), (PRELUDE + code).encode(), b"slice.cu",
                                      len(names), array(*texts), array(*names)):
            raise SystemExit("NVRTC takes no program")
        options = [option.encode() for option in
                   [*self.options,
                    *(["--device-as-default-execution-space"] if include_paths else []),
                    *(f"--include-path={path}" for path in include_paths)]]
        failed = library.nvrtcCompileProgram(program, len(options),
                                             (ctypes.c_char_p * len(options))(*options))
        size = ctypes.c_size_t()
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        library.nvrtcDestroyProgram(ctypes.byref(program))
        return not failed, log.value.decode("utf-8", "replace")
