"""What a candidate keeps in Python from one call of forward() to the next: numbers, texts and sizes
of containers, which its modules, its other objects and its module hold.

A state that still changes when forward() runs again and again with the same inputs counts the calls.
Nothing here calls methods of the candidate's classes.
"""

import itertools
import types

import torch

_MOST = 4000  # Objects that are looked at.
_DEPTH = 8
_PLAIN = (int, float, complex, bool, str, bytes)
_CONTAINERS = (list, tuple, set, frozenset)
_tensor, _module, _function = torch.Tensor, torch.nn.Module, types.FunctionType
_version = torch._C.TensorBase._version.__get__
_dict_of, _type, _isinstance = object.__getattribute__, type, isinstance


class State:
    """A snapshot: {path: value}. `versions`: whether the candidate reads those of tensors."""

    def __init__(self, model, namespace, versions):
        self.values, self._seen, self._own = {}, {}, namespace
        self._versions = versions
        self._look("self", model, 0)
        for name, value in list(namespace.items()):
            if not name.startswith("__"):
                self._look(name, value, 0)

    def _is_own(self, cls):
        return cls.__dict__.get("__module__") == self._own.get("__name__", "candidate")

    def _look(self, path, value, depth):
        kind = _type(value)
        if kind in _PLAIN:
            self.values[path] = value
            return
        if depth > _DEPTH or len(self._seen) > _MOST or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if issubclass(kind, _tensor):
            if self._versions:
                self.values[f"{path}._version"] = _version(value)
        elif issubclass(kind, dict):
            self.values[f"len({path})"] = dict.__len__(value)
            for key, item in list(dict.items(value))[:_MOST]:
                name = key if _type(key) in _PLAIN else "…"
                self._look(f"{path}[{name!r:.40}]", item, depth + 1)
        elif issubclass(kind, _CONTAINERS):
            base = next(base for base in _CONTAINERS if issubclass(kind, base))
            self.values[f"len({path})"] = base.__len__(value)
            for index, item in enumerate(base.__iter__(value)):
                if index < _MOST and not issubclass(kind, (set, frozenset)):
                    self._look(f"{path}[{index}]", item, depth + 1)
        elif kind is itertools.count:
            self.values[path] = repr(value)
        elif kind is types.GeneratorType:
            frame = value.gi_frame
            for name, item in (dict(frame.f_locals) if frame else {}).items():
                self._look(f"{path}.{name}", item, depth + 1)
        elif kind is _function:
            if value.__globals__ is self._own:
                for cell in value.__closure__ or ():
                    self._cell(path, cell, depth)
                for index, item in enumerate(value.__defaults__ or ()):
                    self._look(f"{path}.__defaults__[{index}]", item, depth + 1)
                self._look(f"{path}.__dict__", value.__dict__, depth + 1)
        elif _isinstance(value, type):
            if self._is_own(value):
                for name, item in list(value.__dict__.items()):
                    if not name.startswith("__"):
                        self._look(f"{path}.{name}", item, depth + 1)
        elif _isinstance(value, _module) or any(self._is_own(cls) for cls in kind.__mro__):
            self._attributes(path, value, depth)
            self._look(kind.__name__, kind, depth + 1)

    def _cell(self, path, cell, depth):
        try:
            self._look(f"{path}.{id(cell)}", cell.cell_contents, depth + 1)
        except ValueError:
            return  # An empty cell.

    def _attributes(self, path, value, depth):
        try:
            attributes = _dict_of(value, "__dict__")
        except AttributeError:
            return
        if _type(attributes) is dict:
            for name, item in list(attributes.items()):
                self._look(f"{path}.{name}", item, depth + 1)


class Calls:
    """What calls with the same inputs leave, in Python and in memory of the device. `runtime`: the
    executor, or None. `statistics`: tensors that calls are to change."""

    def __init__(self, runtime, statistics):
        self._runtime, self._statistics = runtime, statistics
        self._before = runtime.allocations() if runtime else 0
        self._states, self._memory, self._held = [], [], []

    def note(self, state):
        """After a call. `state`: a State."""
        self._states.append(state)
        if self._runtime:
            self._memory.append(self._runtime.memory(self._before, self._statistics))
            self._held.append(self._runtime.held_bytes())

    def leak(self):
        """What each call has allocated and not freed, or ""."""
        least = min((after - before for before, after in zip(self._held, self._held[1:])), default=0)
        return "" if least <= 0 else (
            f"each call allocates {least} bytes that it does not free, so that the device's memory "
            "is full after enough calls")

    def counter(self, addresses):
        """What each call has changed, or "". `addresses`: those of tensors of the calls."""
        if path := _still_changes(self._states, addresses):
            return path
        every = self._memory and len(set(self._memory)) == len(self._memory)
        return "memory that is kept" if every else ""


def _still_changes(states, addresses):
    """What differs between each of some snapshots and the next, or "". `addresses`: those of
    tensors, by which an answer may recognise them."""
    paths = set.intersection(*(set(state.values) for state in states))
    for path in sorted(paths):
        values = [state.values[path] for state in states]
        if all(one != other for one, other in zip(values, values[1:])) and not all(
                value in addresses for value in values):
            return path
    return ""


def tensors_of(model):
    """The tensors that a model holds, as far as its modules show them."""
    return [*_module.parameters(model), *_module.buffers(model),
            *(value for module in _module.modules(model) for value in vars(module).values()
              if _isinstance(value, _tensor))]


def left_behind(model):
    """Tensors that a constructor has computed on the host and that are neither parameters nor
    buffers: moving the model to a device does not move them."""
    moved = {value.untyped_storage().data_ptr()
             for value in (*_module.parameters(model), *_module.buffers(model))}
    return [value for module in _module.modules(model) for value in vars(module).values()
            if _isinstance(value, _tensor) and value.untyped_storage().data_ptr() not in moved]
