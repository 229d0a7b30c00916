"""Stands in for torch._dynamo until something needs the compiler.

torch's own functions that must not be compiled call torch._dynamo.disable() when they first run
(torch/_compile.py), and importing that package takes as long as importing torch itself. As long as
nothing is compiled, a disabled function is the function.
"""

import importlib
import sys
import types

import torch

_NAME = "torch._dynamo"


class _StandIn(types.ModuleType):
    @staticmethod
    def disable(fn=None, recursive=True, **_options):
        """The function itself, or a decorator that returns it."""
        return (lambda function: function) if fn is None else fn

    def __getattr__(self, name):
        """Any other name makes way for the package. Whoever holds the stand-in still reads the
        package's names from it."""
        if name.startswith("__") and name != "__path__":
            raise AttributeError(name)  # The import system asks for these.
        if sys.modules.get(_NAME) is self:
            del sys.modules[_NAME]
        return getattr(importlib.import_module(_NAME), name)


def _use_deterministic_algorithms(mode, *, warn_only=False):
    """torch's own function without its last step, which imports the compiler to tell it."""
    torch._C._set_deterministic_algorithms(mode, warn_only=warn_only)


def install():
    """Must run before torch's first function that is disabled so."""
    torch._dynamo = sys.modules[_NAME] = _StandIn(_NAME)
    torch.use_deterministic_algorithms = _use_deterministic_algorithms
