"""Records which operators of torch run: from the dispatcher's own record of all threads, which no
mode or guard of the observed code can switch off, and with their lines from a dispatch mode."""

import sys

import torch
from torch._C import _autograd
from torch._C._profiler import (ProfilerActivity, ProfilerConfig, ProfilerState,
                                _ExperimentalConfig)
from torch.utils._python_dispatch import TorchDispatchMode

_MAX_OPERATORS = 4096
_getframe = sys._getframe
_enable, _disable = _autograd._enable_profiler, _autograd._disable_profiler
_prepare = _autograd._prepare_profiler
_enter = _autograd._record_function_with_args_enter
_leave = _autograd._record_function_with_args_exit
_CPU = {ProfilerActivity.CPU}
_END = "kernelmill end"
_COUNTING = "aten::add_"  # CountsUp() of python_refused_operators.cc.
_CONVERSIONS = ("aten::_to_copy", "aten::copy_", "aten::copy")
# corpora/operators/aten_names.h has these names too.
_TRUNCATION, _SPLIT = "aten::_cast_to_integers", "aten::_view_of_parts"
_VIEW_OF_BYTES = torch.ops.aten.view.dtype
_INDEX = 4  # Bytes of an index: conversions to 32 bits are for kernels that take such ones.


def _config():
    return ProfilerConfig(ProfilerState.KINETO, False, False, False, False, False,
                          _ExperimentalConfig(profile_all_threads=True))


def _is_integer(tensor):
    return not (tensor.is_floating_point() or tensor.is_complex())


def _loses_values(name, args, result):
    """Whether a conversion computes: one of floats to integers truncates, one of integers to a type
    that is narrower than an index wraps, and one to bool compares."""
    source = args[0 if name == "aten::_to_copy" else 1]
    if not (isinstance(source, torch.Tensor) and isinstance(result, torch.Tensor)
            and _is_integer(result)):
        return False
    if not _is_integer(source):
        return True
    if source.dtype == torch.bool or result.dtype == source.dtype:
        return False
    return result.dtype == torch.bool or result.element_size() < min(source.element_size(), _INDEX)


def _splits_numbers(args, result):
    """Whether a view shows numbers as those of another size."""
    return (isinstance(args[0], torch.Tensor) and isinstance(result, torch.Tensor)
            and args[0].element_size() != result.element_size()
            and not (args[0].is_complex() or result.is_complex()))


def is_pointwise(name):
    """Whether an operator of torch computes each element of its own."""
    packet = getattr(torch.ops.aten, name.removeprefix("aten::"), None)
    return packet is not None and any(
        torch.Tag.pointwise in getattr(packet, overload).tags for overload in packet.overloads())


class _Lines(TorchDispatchMode):
    """The line of the observed file that first called each operator."""

    def __init__(self, file):
        super().__init__()
        self._file = file
        self.lines = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        name = func._overloadpacket._qualified_op_name
        if name in _CONVERSIONS and _loses_values(name, args, result):
            self._note(_TRUNCATION)
        if func is _VIEW_OF_BYTES and _splits_numbers(args, result):
            self._note(_SPLIT)
        if name == "aten::_to_copy" and not (args[0].is_floating_point() or args[0].is_complex()):
            name = "aten::to"  # A conversion of indices to another integer type.
        self._note(name)
        return result

    def _note(self, name):
        if name not in self.lines and len(self.lines) < _MAX_OPERATORS:
            frame = _getframe(2)
            while frame is not None and frame.f_code.co_filename != self._file:
                frame = frame.f_back
            self.lines[name] = frame.f_lineno if frame is not None else 0


class OperatorLog:
    """A context. Afterwards `operators` is [{"name", "line"}] in order of first call, with line 0
    for those that the observed file did not call itself; `whole` is false when the observed code
    ended the record. `counted`: returns how many calls of _COUNTING so far have only counted calls."""

    def __init__(self, file, counted=lambda: 0):
        self._file, self._counted = file, counted
        self.operators, self.whole = [], False

    def __enter__(self):
        self._counted_before = self._counted()
        config = _config()
        _prepare(config, _CPU)
        _enable(config, _CPU)
        self._mode = _Lines(self._file)
        self._mode.__enter__()
        return self

    def __exit__(self, *_):
        try:
            self._mode.__exit__(None, None, None)
            _leave(_enter(_END))
            names = [event.name() for event in _disable().events()]
            # A record that the observed code has stopped lacks the end mark.
            self.whole = _END in names
        except Exception:
            return False
        lines = self._mode.lines
        if 0 < names.count(_COUNTING) == self._counted() - self._counted_before:
            names = [name for name in names if name != _COUNTING]
            lines.pop(_COUNTING, None)
        for name in dict.fromkeys([*names, *lines]):
            if "::" in name and len(self.operators) < _MAX_OPERATORS:
                self.operators.append({"name": name, "line": lines.get(name, 0)})
        return False
