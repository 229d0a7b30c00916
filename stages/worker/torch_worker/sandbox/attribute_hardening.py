"""Closes doors in torch and the standard library through which a task could bind a dunder
attribute by a string, past the gate. With `__array_interface__`, for one, NumPy reads and writes
any address.

Applied once to the worker's own process, before forking. A process for a candidate of the verifier,
which may use all of Python, opens them again.
"""

import enum

import torch

from torch_worker.sandbox import gate

_set_attribute, _get_attribute = torch.nn.Module.__setattr__, torch.nn.Module.__getattr__
_enum_call = enum.EnumMeta.__call__


def _close_module_attributes():
    set_attribute, get_attribute = _set_attribute, _get_attribute
    is_dunder = gate.is_dunder

    def __setattr__(self, name, value):
        if is_dunder(name) and name != "__class__":  # Lazy layers change theirs.
            raise gate.Refused(f"it sets the attribute {name!s:.60}", 0)
        set_attribute(self, name, value)

    def __getattr__(self, name):
        if is_dunder(name):
            raise AttributeError(name)
        return get_attribute(self, name)

    torch.nn.Module.__setattr__ = __setattr__
    torch.nn.Module.__getattr__ = __getattr__


def _plain_members(names):
    """The members of Enum("Name", names) as a list of pairs, or of names, read only once."""
    if type(names) is str:
        return names.replace(",", " ").split()
    items = names.items() if isinstance(names, dict) else names
    return [item if type(item) is str else tuple(item) for item in items]


def _close_functional_enums():
    enum_call = _enum_call

    def __call__(cls, value, names=None, **options):
        if names is None:
            return enum_call(cls, value, **options)
        names = _plain_members(names)
        for item in names:
            name = item if type(item) is str else item[0]
            if type(name) is not str or gate.is_dunder(name):
                raise gate.Refused("it makes an Enum with a dunder member", 0)
        return enum_call(cls, value, names, **options)

    enum.EnumMeta.__call__ = __call__


def close_doors():
    _close_module_attributes()
    _close_functional_enums()


def open_doors():
    torch.nn.Module.__setattr__ = _set_attribute
    torch.nn.Module.__getattr__ = _get_attribute
    enum.EnumMeta.__call__ = _enum_call
