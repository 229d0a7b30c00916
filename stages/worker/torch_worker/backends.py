"""The backends that kernels are written for, as corpora/kernel_backend.cc has them: the names that
Python gives to their devices, modules and parameters. The program that starts the worker passes them
on (stages/worker/torch_worker.cc)."""

import json
import os
import types

# A candidate's process does not see the variable.
BACKENDS = tuple(types.SimpleNamespace(**row)
                 for row in json.loads(os.environ.pop("KERNELMILL_BACKENDS")))
BY_NAME = {backend.name: backend for backend in BACKENDS}
# The packages beside torch that exist on some machine with such a device.
PACKAGES = frozenset(module.partition(".")[0] for backend in BACKENDS for module in backend.modules)
# The last names of the modules that have load_inline: "cpp_extension", "musa_extension". Answers also
# import it from such a module of a package of their own.
LOADERS = tuple(sorted({module.rpartition(".")[2]
                        for backend in BACKENDS for module in backend.loaders}))
# The attributes by which tensors say that they are on a device: is_cuda.
DEVICE_QUERIES = frozenset(f"is_{backend.name}" for backend in BACKENDS)
