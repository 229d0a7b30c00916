"""Replaces CuPy for candidates: RawKernel and RawModule, which are recorded and built as
extensions, and arrays that are tensors of torch. CuPy's own computations are not supported."""

import contextlib
import re
import sys
import types

import numpy
import torch

from torch_worker.gpu.gpu_illusion import DEVICE, NotHere

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_BOUNDS = r"(?:__launch_bounds__\s*\([^()]*\)\s*)?"
_KERNEL = re.compile(rf"__global__\s+{_BOUNDS}(?:static\s+)?void\s+{_BOUNDS}(\w+)\s*\(([^()]*)\)")
_QUALIFIERS = re.compile(r"\b(?:__restrict__|__restrict|restrict|const|volatile)\b")
_TYPES = """int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool_ intp
            dtype inf pi""".split()
_to_dlpack, _tensor = torch._C._to_dlpack, torch.Tensor


class _Parameter:
    """One parameter of a kernel: its declaration in the launcher, and the argument that the
    launcher passes to the kernel."""

    def __init__(self, text, index):
        name = f"a{index}"
        # The declaration without the parameter's name.
        declared = re.sub(r"(\w+)\s*$", "", text.strip()).strip()
        if "*" in text:
            self.taken = f"long {name}"
            clean = re.sub(r"\b(?:__restrict__|__restrict|restrict)\b", "", declared)
            self.passed = f"reinterpret_cast<{clean}>({name})"
            return
        plain = _QUALIFIERS.sub("", declared).strip()
        kind = {"float": "double", "double": "double", "bool": "bool"}.get(plain, "long")
        self.taken, self.passed = f"{kind} {name}", f"static_cast<{plain}>({name})"


def _launchers(code):
    """(names, declarations, definitions) of functions that launch the kernels of a source."""
    names, declared, defined = [], [], []
    for name, listed in _KERNEL.findall(_COMMENT.sub(" ", code)):
        texts = [text for text in listed.split(",") if text.strip() not in ("", "void")]
        parameters = [_Parameter(text, index) for index, text in enumerate(texts)]
        head = (f"void km_launch_{name}(std::vector<int64_t> g, std::vector<int64_t> b, "
                "int64_t shared, int64_t limit"
                + "".join(", " + parameter.taken for parameter in parameters) + ")")
        passed = ", ".join(parameter.passed for parameter in parameters)
        names.append(name)
        declared.append(head + ";\n")
        defined.append(
            f"{head} {{\n  if (limit > 0) cudaFuncSetAttribute({name}, "
            "cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(limit));\n"
            f"  {name}<<<dim3(g[0], g[1], g[2]), dim3(b[0], b[1], b[2]), shared>>>({passed});\n"
            "  const cudaError_t error = cudaGetLastError();\n"
            "  TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error));\n}\n")
    return names, "".join(declared), "".join(defined)


class ndarray:
    """A tensor with the interface of a CuPy array."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.shape, self.ndim, self.size = tuple(tensor.shape), tensor.dim(), tensor.numel()
        self.data = types.SimpleNamespace(ptr=tensor.data_ptr())

    @property
    def dtype(self):
        return numpy.dtype(str(self.tensor.dtype).removeprefix("torch."))

    @property
    def __cuda_array_interface__(self):
        strides = tuple(step * self.tensor.element_size() for step in self.tensor.stride())
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.data.ptr, False),
                "strides": strides, "version": 3}

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_options):
        return _to_dlpack(self.tensor)

    def __len__(self):
        return self.shape[0]

    def reshape(self, *shape):
        return ndarray(self.tensor.reshape(*shape))


def _three(sizes):
    sizes = [int(size) for size in (sizes if isinstance(sizes, (tuple, list)) else (sizes,))]
    return sizes + [1] * (3 - len(sizes))


def _argument(value):
    if isinstance(value, ndarray):
        return value.data.ptr
    if isinstance(value, _tensor):
        return value.data_ptr()
    if isinstance(value, numpy.generic):
        return value.item()
    return value


class _Function:
    """One kernel of a module."""

    def __init__(self, extension, name):
        self._extension, self.name = extension, name
        self.max_dynamic_shared_size_bytes = 0

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None, **_options):
        launch = getattr(self._extension, f"km_launch_{self.name}")
        launch(_three(grid), _three(block), int(shared_mem),
               int(self.max_dynamic_shared_size_bytes), *map(_argument, args))

    def compile(self, *_, **__):
        return None


def _module(extensions):
    def built(code, options):
        names, declared, defined = _launchers(code)
        extension = extensions.load_inline(
            name="raw_module", cpp_sources="#include <torch/extension.h>\n" + declared,
            cuda_sources=code + "\n" + defined, functions=[f"km_launch_{name}" for name in names],
            extra_cuda_cflags=list(options))
        return names, extension

    def raw_kernel(code, name, options=(), backend="nvrtc", **_options):
        names, extension = built(code, options)
        if name not in names:
            raise ValueError(f"there is no kernel {name}")
        return _Function(extension, name)

    class RawModule:
        def __init__(self, code=None, *, path=None, options=(), name_expressions=None, **_options):
            if code is None or name_expressions:
                raise NotHere("CuPy modules from files or by name expressions")
            self._names, self._extension = built(code, options)

        def get_function(self, name):
            if name not in self._names:
                raise ValueError(f"there is no kernel {name}")
            return _Function(self._extension, name)

        def compile(self, *_, **__):
            return None

    return raw_kernel, RawModule


def _array(value, *_, **__):
    if isinstance(value, ndarray):
        return value
    if isinstance(value, _tensor):
        return ndarray(value)
    return ndarray(torch.tensor(value, device=DEVICE))


def _dtype_of(dtype):
    return getattr(torch, numpy.dtype(dtype).name)


class _Nothing(contextlib.nullcontext):
    ptr = 0
    null = None

    def __init__(self, *_, **__):
        super().__init__(self)

    def synchronize(self):
        return None

    use = synchronize


def install(extensions):
    """Makes `import cupy` import this replacement."""
    cupy, cuda = types.ModuleType("cupy"), types.ModuleType("cupy.cuda")
    cupy.RawKernel, cupy.RawModule = _module(extensions)
    cupy.ndarray, cupy.cuda = ndarray, cuda
    cupy.asarray = cupy.array = cupy.ascontiguousarray = cupy.from_dlpack = cupy.fromDlpack = _array
    cupy.empty = lambda shape, dtype=numpy.float32, **_: ndarray(
        torch.empty(shape, dtype=_dtype_of(dtype), device=DEVICE))
    cupy.zeros = lambda shape, dtype=numpy.float32, **_: ndarray(
        torch.zeros(shape, dtype=_dtype_of(dtype), device=DEVICE))
    cupy.empty_like = lambda array, **_: ndarray(torch.empty_like(array.tensor))
    cupy.zeros_like = lambda array, **_: ndarray(torch.zeros_like(array.tensor))
    for name in _TYPES:
        setattr(cupy, name, getattr(numpy, name))
    _Nothing.null = _Nothing()
    cuda.Stream = cuda.ExternalStream = cuda.Device = _Nothing
    cuda.get_current_stream = _Nothing
    cuda.runtime = types.SimpleNamespace(deviceSynchronize=lambda: None, getDevice=lambda: 0)
    cuda.is_available = lambda: True
    sys.modules["cupy"], sys.modules["cupy.cuda"] = cupy, cuda
