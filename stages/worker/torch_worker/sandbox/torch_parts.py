"""Takes parts of torch away from a process that runs a candidate, before the candidate is imported."""

import sys

import torch

# Executors that compute without the dispatcher, where refused operators raise: of tensor
# expressions, of graphs with native kernels, and of compiled models. Eager code never uses them.
_EXECUTORS = ("_te", "_nativert", "_aoti")
# Static modules have kernels of their own too. The last one hands out kernels of the dispatcher's
# table, which would still compute after the table has changed.
_FUNCTIONS = ("_jit_to_static_module", "_dispatch_get_computed_kernel_for_dispatch_key")


def _hollow_out(owner):
    """Deletes the functions of a class or module. Deleting the owner would not be enough: its
    classes are subclasses of others, which list them."""
    for name, value in list(vars(owner).items()):
        if isinstance(value, type):
            if value.__module__.startswith("torch._C"):
                _hollow_out(value)
        elif callable(value):
            try:
                delattr(owner, name)
            except (AttributeError, TypeError):
                pass


def remove_executors():
    for name in _EXECUTORS:
        module = getattr(torch._C, name, None)
        if module is not None:
            _hollow_out(module)
            delattr(torch._C, name)
            sys.modules.pop(f"torch._C.{name}", None)
    for name in _FUNCTIONS:
        if hasattr(torch._C, name):
            delattr(torch._C, name)
