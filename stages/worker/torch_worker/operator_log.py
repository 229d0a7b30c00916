"""Which operators of torch really run: by the dispatcher's own record of every thread, which no mode
and no guard of the observed code switches off, and line by line through a dispatch mode."""

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
_CPU = {ProfilerActivity.CPU}


def _config():
    return ProfilerConfig(ProfilerState.KINETO, False, False, False, False, False,
                          _ExperimentalConfig(profile_all_threads=True))


class _Lines(TorchDispatchMode):
    """Where in the observed file an operator was first called."""

    def __init__(self, file):
        super().__init__()
        self._file = file
        self.lines = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func._overloadpacket._qualified_op_name
        if name not in self.lines and len(self.lines) < _MAX_OPERATORS:
            frame = _getframe(1)
            while frame is not None and frame.f_code.co_filename != self._file:
                frame = frame.f_back
            self.lines[name] = frame.f_lineno if frame is not None else 0
        return func(*args, **(kwargs or {}))


class OperatorLog:
    """A context. Afterwards `operators` is [{"name", "line"}] in order of first call; `whole` is
    false when the record was ended by somebody else."""

    def __init__(self, file):
        self._file = file
        self.operators, self.whole = [], False

    def __enter__(self):
        config = _config()
        _prepare(config, _CPU)
        _enable(config, _CPU)
        self._mode = _Lines(self._file)
        self._mode.__enter__()
        return self

    def __exit__(self, *_):
        try:
            self._mode.__exit__(None, None, None)
            names = [event.name() for event in _disable().events()]
            self.whole = True
        except Exception:
            return False
        lines = self._mode.lines
        for name in dict.fromkeys(names):
            if "::" in name and len(self.operators) < _MAX_OPERATORS:
                self.operators.append({"name": name, "line": lines.get(name, 0)})
        return False
