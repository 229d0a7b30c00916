"""Notices when a task has changed classes or functions that its observation depends on."""

import builtins
import json
import sys
import types

import torch
from torch._subclasses import fake_tensor

_dict_items, _id, _len = dict.items, id, len
_vars = vars


def _namespaces():
    """Every dictionary that a task could poison: of torch's modules and classes, and of ours."""
    owners = [builtins, json, json.encoder, torch, torch.Tensor, torch.nn.Parameter, torch.Size,
              torch._C, torch.overrides, torch.nn.functional, torch.nn.init, fake_tensor,
              fake_tensor.FakeTensor, fake_tensor.FakeTensorMode, torch.utils._python_dispatch,
              torch.utils._pytree, torch.utils.flop_counter, torch.nn.modules.module]
    owners += [module for name, module in sorted(sys.modules.items())
               if name.startswith("torch_worker") and isinstance(module, types.ModuleType)]
    for module in list(owners):
        if isinstance(module, types.ModuleType):
            owners += [value for value in _vars(module).values() if isinstance(value, type)
                       and value.__module__.startswith(("torch", "json"))]
    owners += [value for value in _vars(torch.nn).values() if isinstance(value, type)]
    seen, unique = set(), []
    for owner in owners:
        if _id(owner) not in seen:
            seen.add(_id(owner))
            unique.append(owner)
    return unique


# Written by torch itself, or by us, in the course of a run.
_LIVE = frozenset({"__abstractmethods__", "_abc_impl", "__annotations__", "__warningregistry__"})


def _contents(owner):
    return {name: _id(value) for name, value in list(_dict_items(dict(_vars(owner))))
            if name not in _LIVE and isinstance(
                value, (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType,
                        types.WrapperDescriptorType, types.GetSetDescriptorType, type, property,
                        classmethod, staticmethod))}


class Seal:
    """Taken before a task runs. The functions it compares are kept alive by their owners."""

    def __init__(self):
        self._taken = [(owner, _contents(owner)) for owner in _namespaces()]

    def broken(self):
        """The name of something that is no longer what it was, or an empty string."""
        for owner, before in self._taken:
            now = _vars(owner)
            for name, identity in before.items():
                if _id(now.get(name)) != identity:
                    return f"{getattr(owner, '__name__', 'torch')}.{name}"
            if isinstance(owner, type):
                for name in now:
                    if name not in before and isinstance(now[name], types.FunctionType):
                        return f"{owner.__name__}.{name}"
        return ""
