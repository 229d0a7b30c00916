"""Detects that a task has changed a class that it shares with the rest of the process.

A task cannot change modules, because views.py gives it copies; it can change classes.
"""

import ctypes
import types

_id, _tuple, _map, _vars, _range, _type = id, tuple, map, vars, range, type
_uint_at = ctypes.c_uint.from_address
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType,
         types.WrapperDescriptorType, types.GetSetDescriptorType, property, classmethod,
         staticmethod, type)


def _mutable_classes(views):
    """The classes that a task can reach and whose attributes it can assign."""
    found = []
    for view in views:
        for value in _vars(view).values():
            if isinstance(value, type):
                found += value.__mro__
    return [cls for cls in dict.fromkeys(found) if cls.__flags__ & (1 << 9)]  # Py_TPFLAGS_HEAPTYPE


# The offset of PyTypeObject.tp_version_tag in 64-bit CPython. It has another value, or 0, after
# every change to the class or its bases.
_VERSION_OFFSET = 384


def _version_at(address):
    return _uint_at(address).value


def _version_places(classes):
    """The addresses of the versions of `classes`; None where this Python stores them elsewhere."""
    class Probe:
        pass

    place, seen = id(Probe) + _VERSION_OFFSET, []
    for value in range(3):
        Probe.changed = value
        seen.append(_version_at(place))
        getattr(Probe, "changed")  # A look-up assigns the class a version.
        seen.append(_version_at(place))
    if seen[0::2] != [0, 0, 0] or len(set(seen[1::2]) - {0}) != 3:
        return None
    for cls in classes:
        getattr(cls, "__init__")
    return [id(cls) + _VERSION_OFFSET for cls in classes]


class Seal:
    """The state of the shared classes before a task runs. It keeps their attributes alive, so that
    identities stay unique."""

    def __init__(self, views):
        self._taken = [(cls, dict(_vars(cls))) for cls in _mutable_classes(views)]
        self._identities = [_tuple(_map(_id, taken.values())) for _, taken in self._taken]
        self._places = _version_places([cls for cls, _ in self._taken])
        self._versions = [_version_at(place) for place in self._places or ()]

    def _suspects(self):
        """Indices of the classes that may have changed. Comparing all of them would touch every
        page that holds a function, and the fork would have to copy those pages."""
        if self._places is None:
            return _range(len(self._taken))
        return [index for index, (place, version) in enumerate(zip(self._places, self._versions))
                if version == 0 or _version_at(place) != version]

    def broken(self):
        """The name of a changed attribute, or an empty string."""
        for index in self._suspects():
            cls, before = self._taken[index]
            now = _vars(cls)
            if _tuple(_map(_id, now.values())) == self._identities[index]:
                continue
            # Torch and Python cache values in classes: only attributes that can run count.
            for name in [*before, *now]:
                old, new = before.get(name), now.get(name)
                if old is not new and (isinstance(old, _CODE) or isinstance(new, _CODE)):
                    return f"{cls.__name__}.{name}"
        return ""

    def mend(self):
        """Puts the classes' attributes back, so that code of this process is its own again."""
        for cls, before in self._taken:
            now = dict(_vars(cls))
            for name in now:
                if name not in before and isinstance(now[name], _CODE):
                    _type.__delattr__(cls, name)
            for name, old in before.items():
                if now.get(name) is not old and isinstance(old, _CODE):
                    _type.__setattr__(cls, name, old)
