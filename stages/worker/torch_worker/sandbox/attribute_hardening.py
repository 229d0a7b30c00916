"""Hardens torch and the standard library against tasks that bind a dunder attribute by a string,
which the task policy does not see. With `__array_interface__`, for example, NumPy reads and writes
any address.

harden() changes the worker's own process, before it forks. restore() undoes it in a fork that runs
a candidate of the verifier, which may use all of Python.
"""

import enum

import torch

from torch_worker.sandbox import task_policy

_set_attribute, _get_attribute = torch.nn.Module.__setattr__, torch.nn.Module.__getattr__
_enum_call = enum.EnumMeta.__call__


def _harden_module_attributes():
    set_attribute, get_attribute = _set_attribute, _get_attribute
    is_dunder = task_policy.is_dunder

    def __setattr__(self, name, value):
        if is_dunder(name) and name != "__class__":  # Lazy layers assign theirs.
            raise task_policy.Refused(f"it sets the attribute {name!s:.60}", 0)
        set_attribute(self, name, value)

    def __getattr__(self, name):
        if is_dunder(name):
            raise AttributeError(name)
        return get_attribute(self, name)

    torch.nn.Module.__setattr__ = __setattr__
    torch.nn.Module.__getattr__ = __getattr__


def _plain_members(names):
    """The members of Enum("Name", names) as a list of pairs or names. Reads `names` only once: a
    second reading could give others."""
    if type(names) is str:
        return names.replace(",", " ").split()
    items = names.items() if isinstance(names, dict) else names
    return [item if type(item) is str else tuple(item) for item in items]


def _harden_functional_enums():
    enum_call = _enum_call

    def __call__(cls, value, names=None, **options):
        if names is None:
            return enum_call(cls, value, **options)
        names = _plain_members(names)
        for item in names:
            name = item if type(item) is str else item[0]
            if type(name) is not str or task_policy.is_dunder(name):
                raise task_policy.Refused("it makes an Enum with a dunder member", 0)
        return enum_call(cls, value, names, **options)

    enum.EnumMeta.__call__ = __call__


def harden():
    _harden_module_attributes()
    _harden_functional_enums()


def restore():
    torch.nn.Module.__setattr__ = _set_attribute
    torch.nn.Module.__getattr__ = _get_attribute
    enum.EnumMeta.__call__ = _enum_call
