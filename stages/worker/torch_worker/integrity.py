"""Notices when a task has changed a class that it shares with the rest of this process.

Modules are out of a task's reach (views.py hands out copies); classes are not.
"""

import types

_id, _tuple, _map, _vars = id, tuple, map, vars
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType,
         types.WrapperDescriptorType, types.GetSetDescriptorType, property, classmethod,
         staticmethod, type)


def _mutable_classes(views):
    """Classes a task can get hold of and whose attributes it could assign."""
    found = []
    for view in views:
        for value in _vars(view).values():
            if isinstance(value, type):
                found += value.__mro__
    return [cls for cls in dict.fromkeys(found) if cls.__flags__ & (1 << 9)]  # Py_TPFLAGS_HEAPTYPE


class Seal:
    """Taken before a task runs. What it compares is kept alive, so identities stay unique."""

    def __init__(self, views):
        self._taken = [(cls, dict(_vars(cls))) for cls in _mutable_classes(views)]
        self._identities = [_tuple(_map(_id, taken.values())) for _, taken in self._taken]

    def broken(self):
        """The name of something that is no longer what it was, or an empty string."""
        for (cls, before), identities in zip(self._taken, self._identities):
            now = _vars(cls)
            if _tuple(_map(_id, now.values())) == identities:
                continue
            # Torch and Python keep caches in classes too: only what can run counts.
            for name in [*before, *now]:
                old, new = before.get(name), now.get(name)
                if old is not new and (isinstance(old, _CODE) or isinstance(new, _CODE)):
                    return f"{cls.__name__}.{name}"
        return ""
