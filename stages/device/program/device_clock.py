"""Times calls on a device, and describes its state meanwhile.

On a GPU a call's time lies between two events on the current stream. An answer cannot hide work on another stream:
the CPU judge demands results that are right in every order which streams and events allow, so the current stream waits
for all that a result needs.
"""

import statistics
import subprocess
import time

import torch

_WARM_UPS, _FEWEST, _MOST = 3, 5, 200
# What state() tells, and how the driver's program calls it.
_STATE = {"sm_mhz": "clocks.sm", "memory_mhz": "clocks.mem", "load_percent": "utilization.gpu",
          "celsius": "temperature.gpu"}


def ask_driver(*names):
    """The texts that nvidia-smi has for these names of the first device; none where it does not run."""
    try:
        line = subprocess.run(["nvidia-smi", "--id=0", f"--query-gpu={','.join(names)}",
                               "--format=csv,noheader,nounits"],
                              capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return [part.strip() for part in line.strip().split(",")]


class CudaClock:
    """The clock of a CUDA device. Before each call, a buffer of more than the L2 cache's size is written, so that no
    call finds its inputs there."""

    def __init__(self):
        size = max(2 * torch.cuda.get_device_properties(0).L2_cache_size, 64 << 20)
        self._flush = torch.empty(size, dtype=torch.int8, device="cuda")

    def time(self, function):
        """Milliseconds of one call."""
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self._flush.zero_()
        torch.cuda.synchronize()
        begin.record()
        function()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end)

    @staticmethod
    def synchronize():
        torch.cuda.synchronize()

    def give_back(self):
        """Frees the memory that nothing refers to, before another process takes the device."""
        self._flush = None
        torch.cuda.empty_cache()

    @staticmethod
    def state():
        """{"sm_mhz", "memory_mhz", "load_percent", "celsius"} of the device, null for what it does not tell."""
        known = dict(zip(_STATE, ask_driver(*_STATE.values())))
        return {name: int(known[name]) if known.get(name, "").isdigit() else None for name in _STATE}


class HostClock:
    """Stands in for a device's clock where calls run on the processor."""

    @staticmethod
    def time(function):
        begin = time.perf_counter()
        function()
        return (time.perf_counter() - begin) * 1e3

    @staticmethod
    def synchronize():
        pass

    def give_back(self):
        pass

    @staticmethod
    def state():
        return dict.fromkeys(_STATE)


CLOCKS = {"cuda": CudaClock, "cpu": HostClock}


def spread(times):
    """{"median_ms", "low_ms", "high_ms", "runs"}: the median, and the 5th and 95th percentile."""
    ordered = sorted(times)

    def at(percent):
        return ordered[-(-percent * len(ordered) // 100) - 1]  # Of the ceiling.

    return {"median_ms": statistics.median(ordered), "low_ms": at(5), "high_ms": at(95), "runs": len(ordered)}


def alternate(clock, functions, budget_ms):
    """The spread of each function's times. The functions take turns, so that a change of the clocks meets all; each
    runs until its calls have taken `budget_ms`, at least 5 and at most 200 times."""
    for function in functions:
        for _ in range(_WARM_UPS):
            if clock.time(function) > budget_ms:
                break
    times = [[] for _ in functions]
    for _ in range(_MOST):
        wanting = [index for index, taken in enumerate(times) if len(taken) < _FEWEST or sum(taken) < budget_ms]
        if not wanting:
            break
        for index in wanting:
            times[index].append(clock.time(functions[index]))
    return [spread(taken) for taken in times]
