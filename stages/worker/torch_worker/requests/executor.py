"""The build of the executor that a candidate runs in: the module km_cuda of its runtime's folder."""

import importlib
import sys

_loaded = []


def key(request):
    """What prepare() needs: (the runtime's folder, the operators that forward() may call). None if
    the request runs without an executor."""
    if not request["libraries"]:
        return None
    operators = request["operators"]
    return request["runtime"]["folder"], None if operators is None else tuple(operators)


def prepare(folder, operators):
    """Loads the build, before the fork that answers the request."""
    sys.path.insert(0, folder)
    module = importlib.import_module("km_cuda")
    sys.path.pop(0)
    # Nobody finds the executor by its name, or in the table of modules.
    del sys.modules["km_cuda"]
    if operators is not None:
        module.gate_operators(list(operators))
    _loaded.append(module)


def taken():
    """The module that prepare() has loaded, in the process that runs the candidate. It is found here
    only once."""
    module = _loaded.pop()
    module.begin()
    return module
