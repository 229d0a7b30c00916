"""Makes a candidate's Python run as on a GPU: a backend's device, "cuda" or another, with this
process's memory.

A function mode answers for tensors and factories; replacements answer for torch.cuda or for the
module that has its place, torch.musa.
C++ uses the headers of the executor instead.
"""

import contextlib
import importlib.machinery
import sys
import types

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _device

from torch_worker.backends import BACKENDS, BY_NAME
from torch_worker.gpu import streams
from torch_worker.gpu.device_memory import DeviceMemory
from torch_worker.legality.legality_names import TORCH_NAMESPACES

_base = torch._C.TensorBase
# The default device when the candidate's default is the GPU. Torch treats it as the CPU, but it can
# be distinguished from torch's own default.
DEVICE = torch.device("cpu", 0)
# Functions that make tensors from numbers.
_FACTORIES = {torch.empty, torch.zeros, torch.ones, torch.full, torch.rand, torch.randn,
              torch.randint, torch.randperm, torch.arange, torch.linspace, torch.eye, torch.tensor,
              torch.empty_strided}
# Those that make one like another tensor.
_FACTORIES_OF_OTHERS = {torch.empty_like, torch.zeros_like, torch.ones_like, torch.full_like,
                        torch.Tensor.new_empty, torch.Tensor.new_zeros, torch.Tensor.new_ones,
                        torch.Tensor.new_full, torch.Tensor.clone}
_HOST = torch.device("cpu")
_DLPACK_HOST, _DLPACK_DEVICE = 1, 2
_GPU_KINDS = (*BY_NAME, "privateuseone")
# Torch's dispatch keys of devices; the key of a device that torch does not know is PrivateUse1.
_KEYS = {prefix + key: f"{prefix}CPU" for prefix in ("", "Autograd")
         for key in (*(backend.title for backend in BACKENDS), "PrivateUse1")
         if torch._C._parse_dispatch_key(key) is not None}
_RANDOM = (torch.rand, torch.randn, torch.randint, torch.randperm, torch.normal)
# Names of devices with the targets' architectures.
_DEVICE_NAMES = {"sm_80": "NVIDIA A100-SXM4-80GB", "mp_31": "MTT S5000", "mp_22": "MTT S4000",
                 "mp_21": "MTT S80"}
_UUID = "3f5c2a9e-7b41-4d18-9c06-a1e8d27f5b30"
_DEVICE_STREAM = 0x9E3779B97F4A7C15 >> 1
_DTYPE_LETTERS = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half",
                  torch.bfloat16: "BFloat16", torch.int64: "Long", torch.int32: "Int",
                  torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte", torch.bool: "Bool"}


def _is_gpu(value):
    if isinstance(value, torch.device):
        return value.type in _GPU_KINDS
    return isinstance(value, str) and value.partition(":")[0] in _GPU_KINDS


class _Properties:
    """The device properties by which code chooses a launch: those of an A100, as cudaDeviceProp has
    them (kernelmill/runtime_api.h), with the compute capability and the warps of the target
    ("mp_22": 2.2), and with a name and an identifier that devices have."""

    def __init__(self, target, runtime):
        self.name = _DEVICE_NAMES.get(target["name"], f"NVIDIA {target['name']}")
        self.major, self.minor = divmod(int(target["name"].rpartition("_")[2]), 10)
        self.total_memory = 81_251 << 20
        self.multi_processor_count = runtime.multiprocessors if runtime else 108
        self.max_threads_per_multi_processor = 2048
        self.warp_size = target["warp_width"]
        self.regs_per_multiprocessor = 65536
        self.shared_memory_per_block = 48 << 10
        self.shared_memory_per_block_optin = 163 << 10
        self.shared_memory_per_multiprocessor = 164 << 10
        self.L2_cache_size = 40 << 20
        self.gcnArchName, self.uuid = self.name, _UUID
        self.pci_bus_id, self.pci_device_id, self.pci_domain_id = 59, 0, 0
        self.is_integrated = self.is_multi_gpu_board = 0


class NotHere(BaseException):
    """A feature of GPUs that is not supported here. Not an Exception, because candidates catch
    those.
    """


class _Graph:
    def __init__(self, *_, **__):
        raise NotHere("CUDA graphs")


class _Nothing(contextlib.ContextDecorator):
    """A context that does nothing and takes any arguments."""

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def __call__(self, function):
        return function


class _Autocast(torch.amp.autocast):
    """Autocast of a GPU on the CPU, with the GPU's default float16 instead of the CPU's
    bfloat16."""

    def __init__(self, device_type="cuda", dtype=None, enabled=True, cache_enabled=None):
        if _is_gpu(device_type):
            device_type, dtype = "cpu", dtype or torch.float16
        super().__init__(device_type, dtype, enabled, cache_enabled)


class _CudaAutocast(_Autocast):
    def __init__(self, enabled=True, dtype=torch.float16, cache_enabled=True):
        super().__init__("cuda", dtype, enabled, cache_enabled)


def _stand_ins(backend, target, runtime):
    device = torch.device(backend.name, 0)
    properties = _Properties(target, runtime)
    nothing = lambda *_, **__: None  # noqa: E731
    zero, one, yes = (lambda *_, **__: 0), (lambda *_, **__: 1), (lambda *_, **__: True)
    table = {
        "is_available": yes, "is_initialized": yes, "is_bf16_supported": yes, "device_count": one,
        "current_device": zero, "get_device_name": lambda *_: properties.name,
        "get_device_properties": lambda *_: properties,
        "get_device_capability": lambda *_: (properties.major, properties.minor),
        "get_arch_list": lambda: [target["name"]], "device": _Nothing,
        "device_of": _Nothing, "is_current_stream_capturing": lambda: False,
        "graph": _Graph, "make_graphed_callables": _Graph,
        **{f"{known.title}Graph": _Graph for known in BACKENDS},
    }
    for name in """init set_device empty_cache manual_seed manual_seed_all seed seed_all
                   ipc_collect""".split():
        table[name] = nothing
    for name in ("utilization", "initial_seed"):
        table[name] = zero
    return device, table


def _torch_knows(device):
    try:
        torch.device(device)
    except RuntimeError:
        return False
    return True


def _take_libraries():
    """Registers operators for the GPU as operators for the CPU, and ignores those for the CPU."""
    library = torch.library.Library
    begin, implement = library.__init__, library.impl

    def __init__(self, ns, kind, dispatch_key=""):
        if ns in TORCH_NAMESPACES:
            raise PermissionError(f"the operators of {ns} are torch's")
        begin(self, ns, kind, _KEYS.get(dispatch_key, dispatch_key))

    def impl(self, op_name, fn, dispatch_key="", **options):
        if dispatch_key != "CPU":
            implement(self, op_name, fn, _KEYS.get(dispatch_key, dispatch_key), **options)

    library.__init__, library.impl = __init__, impl


class GpuIllusion(TorchFunctionMode):
    """Active while a candidate's Python runs. Asks `runtime`, the executor if there is one, for
    copies between host and device, and tells it which tensors are created on the host. The runtime
    itself decides which memory host code may access: it does not trust what it is told here."""

    def __init__(self, kind, target, runtime=None):
        super().__init__()
        self._put_on_host = runtime.put_on_host if runtime else None
        self._to_host = runtime.to_host if runtime else _same
        self._to_device = runtime.to_device if runtime else _same
        self._to_pinned = runtime.to_pinned if runtime else _same
        self._is_on_device = runtime.is_on_device if runtime else (lambda _tensor: False)
        self.device_named = False  # Whether a tensor was made on the GPU or moved to it.
        backend = BY_NAME[kind]
        if not _torch_knows(kind):
            torch.utils.rename_privateuse1_backend(kind)
        self._device, table = _stand_ins(backend, target, runtime)
        self.memory = DeviceMemory(runtime, table["get_device_properties"]().total_memory)
        table.update(self.memory.answers())
        table.update(streams.stand_ins(kind, runtime))
        on_host = self.memory.is_on_host
        self._install(backend, table, lambda tensor, *_, **__: self._cuda(tensor))
        device, returned = self._device, lambda value: lambda *_, **__: value
        self._answers = {
            # What a tensor says of its place is true: code that asks for it takes the same branch as
            # with a device.
            torch.Tensor.device.__get__: lambda tensor: _HOST if on_host(tensor) else device,
            torch.Tensor.is_cuda.__get__: lambda tensor: kind == "cuda" and not on_host(tensor),
            torch.Tensor.is_cpu.__get__: on_host,
            torch.Tensor.get_device: lambda tensor: -1 if on_host(tensor) else 0,
            torch.get_device: lambda tensor: -1 if on_host(tensor) else 0,
            torch.Tensor.__dlpack_device__:
                lambda tensor: (_DLPACK_HOST if on_host(tensor) else _DLPACK_DEVICE, 0),
            torch.Tensor.is_pinned: lambda tensor, *_: self.memory.is_pinned(tensor),
            torch.Tensor.record_stream: lambda tensor, *_: self.memory.share(tensor),
            torch.Tensor.pin_memory: lambda tensor, *_, **__: self._pinned(tensor),
            torch.Tensor.cpu: lambda tensor, *_, **__: self._to_host(tensor),
            torch.Tensor.cuda: self._cuda,
            torch.Tensor.to: self._to,
            torch.Tensor.tolist: lambda tensor: _base.tolist(self._to_host(tensor)),
            torch.Tensor.type: self._type,
        }
        for function in (torch.Tensor.numpy, torch.Tensor.__array__):
            self._answers[function] = self._only_on_host(function)
        self._kind = kind
        self._seed = self._generator = None

    def _install(self, backend, table, cuda):
        modules = [torch.cuda]
        if backend.name != "cuda":
            modules = [types.ModuleType(f"torch.{backend.name}")]
            sys.modules[f"torch.{backend.name}"] = modules[0]
            setattr(torch, backend.name, modules[0])
            setattr(torch.Tensor, backend.name, cuda)
            setattr(torch.nn.Module, backend.name, lambda module, *_, **__: module)
            setattr(torch.Tensor, f"is_{backend.name}",
                    property(lambda tensor: not self.memory.is_on_host(tensor)))
            for name in backend.modules:
                fake = types.ModuleType(name)
                # find_spec() fails for a module without a spec.
                fake.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
                fake.__path__ = []
                sys.modules[name] = fake
            modules += [sys.modules[name] for name in backend.modules[:1]]
        for module in modules:
            for name, value in table.items():
                setattr(module, name, value)
        _take_libraries()
        torch.version.cuda = "12.4" if backend.name == "cuda" else None
        torch.autocast = torch.amp.autocast = _Autocast
        torch.cuda.amp.autocast = _CudaAutocast
        # `with torch.device("cuda")` and set_default_device() are modes below all others.
        make_context = _device.DeviceContext.__init__

        def __init__(context, device):
            make_context(context, DEVICE if _is_gpu(torch.device(device)) else device)

        _device.DeviceContext.__init__ = __init__

    def _generator_of_device(self):
        """The GPU's generator, which draws other numbers than the host's for the same seed."""
        seed = torch.initial_seed()
        if self._seed != seed:
            self._seed = seed
            self._generator = torch.Generator().manual_seed(seed ^ _DEVICE_STREAM)
        return self._generator

    def _pinned(self, tensor):
        pinned = self._to_pinned(tensor)
        self.memory.note_pinned(pinned)
        return pinned

    def _cuda(self, tensor, *_, **__):
        self.device_named = True
        moved = self._to_device(tensor)
        self.memory.note(moved)
        return moved

    def _to(self, tensor, *args, **kwargs):
        """Tensor.to(): the conversion is done where the tensor lies."""
        self.device_named = True
        if args and _is_device(args[0]):
            device, kwargs = args[0], {**dict(zip(("dtype", "non_blocking", "copy"), args[1:])),
                                       **kwargs}
        elif _is_device(kwargs.get("device")):
            device = kwargs["device"]
            kwargs = {name: value for name, value in kwargs.items() if name != "device"}
        else:
            return _base.to(tensor, *args, **kwargs)
        kwargs = {name: value for name, value in kwargs.items() if value is not None}
        if _is_gpu_or_index(device):
            moved = self._cuda(tensor)
            return _base.to(moved, **kwargs) if kwargs else moved
        if torch.device(device).type == "cpu":
            return self._to_host(_base.to(tensor, **kwargs) if kwargs else tensor)
        return _base.to(tensor, device, **kwargs)

    def _only_on_host(self, function):
        def given(tensor, *arguments, **options):
            if self._is_on_device(tensor):
                raise TypeError(f"can't convert {self._kind}:0 device type tensor to numpy. Use "
                                "Tensor.cpu() to copy the tensor to host memory first.")
            return function(tensor, *arguments, **options)
        return given

    def _type(self, tensor, dtype=None, *rest, **options):
        if dtype is None:
            letters = _DTYPE_LETTERS.get(_base.dtype.__get__(tensor), "Float")
            place = "" if self.memory.is_on_host(tensor) else f"{self._kind}."
            return f"torch.{place}{letters}Tensor"
        if isinstance(dtype, str):
            if self._kind in dtype:
                tensor = self._cuda(tensor)
            wanted = dtype.rpartition(".")[2].removesuffix("Tensor")
            dtype = next(key for key, value in _DTYPE_LETTERS.items() if value == wanted)
        return _base.to(tensor, dtype)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        answer = self._answers.get(func)
        if answer is not None:
            return answer(*args, **(kwargs or {}))
        kwargs = dict(kwargs or {})
        if func in _FACTORIES and kwargs.pop("pin_memory", False):
            return self._pinned(self.__torch_function__(func, types, args, kwargs))
        if "device" in kwargs and _is_gpu_or_index(kwargs["device"]):
            self.device_named = True
            kwargs = {**kwargs, "device": torch.device("cpu")}
            if func in _RANDOM and kwargs.get("generator") is None:
                kwargs["generator"] = self._generator_of_device()
        elif self._put_on_host and func in _FACTORIES and _is_for_host(args, kwargs):
            made = func(*args, **kwargs)
            self._put_on_host(made)
            return made
        made = func(*args, **kwargs)
        if func in _FACTORIES or func in _FACTORIES_OF_OTHERS:
            self.memory.note(made)
        return made


def _same(tensor):
    return tensor


def _is_for_host(args, kwargs):
    """Whether a factory makes a tensor in host memory: with no device, or with the CPU."""
    device = kwargs.get("device") or _device.CURRENT_DEVICE
    return (device != DEVICE and kwargs.get("out") is None
            and not any(isinstance(item, torch.Tensor) for item in args))


def _is_device(value):
    return isinstance(value, (str, torch.device)) or type(value) is int


def _is_gpu_or_index(value):
    return _is_gpu(value) or type(value) is int
