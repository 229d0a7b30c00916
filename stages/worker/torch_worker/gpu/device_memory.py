"""Which memory a tensor lies in, and how much of the device's is in use, as a machine with a device
would say it."""

import weakref

import torch

_base = torch._C.TensorBase
_BLOCK, _SEGMENT = 512, 2 << 20  # Torch hands out blocks of this size, from segments of that size.
_DTYPES = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
           torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128)


def _up(size, step):
    return -(-size // step) * step


class DeviceMemory:
    """Asks `runtime`, the executor; without one, all tensors are on the device."""

    def __init__(self, runtime, total):
        self._runtime, self._total = runtime, total
        self._live, self._most, self._pinned = {}, 0, set()
        self._probes = {}
        if runtime:
            self._probes = {dtype: torch.empty(1, dtype=dtype) for dtype in _DTYPES}
            for probe in self._probes.values():
                runtime.put_on_host(probe)

    def is_on_host(self, tensor):
        """A tensor of the host stays there when it is moved to where this one is. What is known of
        neither side is the device's, where most tensors are."""
        probe = self._probes.get(_base.dtype.__get__(tensor))
        if probe is None or self._runtime.is_on_device(tensor):
            return False
        return not self._runtime.is_on_device(_base.to(probe, tensor))

    def note(self, tensor):
        """Counts a tensor as memory in use as long as it lives."""
        key = id(tensor)
        size = _base.numel(tensor) * _base.element_size(tensor)
        self._live[key] = (weakref.ref(tensor, lambda _: self._live.pop(key, None)), size)
        self._most = max(self._most, self.allocated())

    def note_pinned(self, tensor):
        self._pinned.add(tensor.data_ptr())

    def is_pinned(self, tensor):
        return tensor.data_ptr() in self._pinned

    def share(self, tensor):
        """Another stream uses it, which torch's allocator waits for before it gives the memory away."""
        if self._runtime and _base.numel(tensor):
            self._runtime.share_memory(_base.data_ptr(tensor))

    def allocated(self):
        return sum(_up(size, _BLOCK) for _, size in list(self._live.values()))

    def answers(self):
        """{name: function} of torch.cuda."""
        def reserved():
            return _up(self.allocated(), _SEGMENT)

        def most():
            return max(self._most, self.allocated())

        def forget():
            self._most = 0

        table = {"memory_allocated": self.allocated, "memory_reserved": reserved,
                 "max_memory_allocated": most, "max_memory_reserved": lambda: _up(most(), _SEGMENT),
                 "mem_get_info": lambda: (self._total - reserved() - (600 << 20), self._total),
                 "memory_stats": lambda: {"allocated_bytes.all.current": self.allocated(),
                                          "allocated_bytes.all.peak": most(),
                                          "reserved_bytes.all.current": reserved()},
                 "reset_peak_memory_stats": forget, "reset_max_memory_allocated": forget}
        return {name: _with_device(function) for name, function in table.items()}


def _with_device(function):
    return lambda *_, **__: function()
