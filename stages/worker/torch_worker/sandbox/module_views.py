"""The modules that a candidate sees: read-only views that show what is harmless.

A view answers for the real module, but it cannot be changed, it does not show what the module has
imported, and containers that it hands out are copies. So no name of a candidate, whatever alias or
getattr() it uses, reaches the interpreter, this program or a module that this program uses.
"""

import os
import types

from torch_worker.legality.legality_names import (COMPILERS, ESCAPE_ATTRIBUTES, FORBIDDEN_MODULES,
                                                  MODE_NAMES, OS_ALLOWED, SYS_ALLOWED,
                                                  THREADING_ALLOWED, names_in)
from torch_worker.sandbox.task_policy import PRIVATE_READ, is_dunder


# Modules of which only these names are shown, because most of what they have reaches the interpreter
# or the machine.
_ONLY = {
    "os": OS_ALLOWED, "sys": SYS_ALLOWED, "threading": THREADING_ALLOWED,
    "traceback": names_in("format_exc print_exc format_exception print_exception"),
    "types": names_in("""SimpleNamespace ModuleType MethodType MappingProxyType GeneratorType NoneType
                       EllipsisType UnionType GenericAlias"""),
    "torch.overrides": names_in(""),
}
# Names that are not shown: they evaluate texts, set attributes of any object, show frames, or open
# descriptors. module_guards.py has its own functions for some of them.
_LEFT_OUT = {
    "functools": names_in("singledispatch singledispatchmethod"),
    "typing": names_in("get_type_hints ForwardRef"),
    "typing_extensions": names_in("get_type_hints ForwardRef evaluate_forward_ref"),
    "operator": names_in("attrgetter methodcaller"),
    "enum": names_in("global_enum EnumMeta EnumType EnumDict global_enum_repr"),
    "io": names_in("FileIO open_code"), "logging": names_in("currentframe"),
    "dataclasses": names_in("make_dataclass"), "string": names_in("Formatter"),
    "warnings": names_in("showwarning"), "abc": names_in("update_abstractmethods"),
    "os.path": names_in("genericpath"), "argparse": names_in(""),
    "numpy": names_in("load memmap fromfile DataSource ctypeslib frompyfunc lib core f2py testing"),
    "torch": names_in("load save from_file"), "torch.utils": names_in("set_module benchmark"),
    "torch.ops": names_in("load_library"), "torch.cuda": names_in("default_generators"),
}
# Modules that another module shows: those below it, of these packages, and what lies below them.
_SHOWN = ("os.path", "collections.abc", "numpy.linalg", "numpy.random", "numpy.fft", "einops",
          "cupy", "torch_musa", "torchada", "torch.nn", "torch.fft", "torch.linalg",
          "torch.special", "torch.autograd", "torch.distributions", "torch.amp", "torch.cuda",
          "torch.musa", "torch.backends", "torch.func", "torch.types", "torch.functional",
          "torch.library", "torch.ops", "torch.classes", "torch.version", "torch.random",
          "torch.utils", "torch.sparse", "torch.cpu", "torch.return_types", "torch.testing",
          "setuptools", "triton", "packaging")
_FACTS = ("__name__", "__doc__", "__version__", "__file__", "__path__", "__class__")
# Switches of torch, which a candidate may set. They change what it computes with, and nothing here.
_SETTABLE = ("torch.backends", "torch._dynamo")
_REFUSED = FORBIDDEN_MODULES | MODE_NAMES | COMPILERS
_module = types.ModuleType
_getattr, _isinstance, _type, _str = getattr, isinstance, type, str


def _is_below(name, parts):
    return any(name == part or name.startswith(part + ".") for part in parts)


def _name_of(module):
    # The name by which programs know it, not that of the file that is loaded for it.
    return "os.path" if module is os.path else vars(module).get("__name__", "")


class Views:
    """`refuse(reason, detail)` ends a request; `instead`: {(module, name): what the view shows}."""

    def __init__(self, refuse, instead):
        self._refuse, self._instead = refuse, instead
        self._views, self._real, self._set = {}, {}, {}
        self._class = self._make_class()

    def of(self, module):
        view = self._views.get(id(module))
        if view is None:
            name = _name_of(module)
            view = self._views[id(module)] = self._class(name)
            self._real[id(view)] = (module, name)
            self._set[id(view)] = {}
        return view

    def is_view(self, value):
        return id(value) in self._real

    def settable(self, view):
        return _is_below(self._real[id(view)][1], _SETTABLE)

    def refuses(self, view, name):
        """Whether a view does not show this name of its module."""
        if _type(name) is not _str:
            return True
        module = self._real[id(view)][1]
        root = module.partition(".")[0]
        if name in _FACTS or name == "__all__" or (module, name) in self._instead:
            return False
        if module in _ONLY:
            return name not in _ONLY[module]
        if is_dunder(name) or name in ESCAPE_ATTRIBUTES or name in _LEFT_OUT.get(module, ()):
            return True
        if name in MODE_NAMES or f"{module}.{name}" in _REFUSED:
            return True
        if name.startswith("_"):
            return not (root == "torch" and (name in PRIVATE_READ or name == "_assert"))
        return False

    def read(self, view, name):
        if name == "__class__":
            return self._class
        real, module = self._real[id(view)]
        if name in self._set[id(view)]:
            return self._set[id(view)][name]
        if self.refuses(view, name):
            self._refuse("reaches_interpreter", f"reads {module}.{name!s:.60}")
        if (module, name) in self._instead:
            return self._instead[module, name]
        if name == "__all__":
            return [item for item in _getattr(real, name, None) or vars(real)
                    if not item.startswith("_") and not self.refuses(view, item)
                    and not _isinstance(_getattr(real, item, None), _module)]
        value = _getattr(real, name)
        if _isinstance(value, _module):
            if not _is_below(_name_of(value), _SHOWN):
                self._refuse("reaches_interpreter", f"reads the module {module}.{name!s:.60}")
            return self.of(value)
        return value.copy() if _type(value) in (dict, list, set) else value

    def _make_class(self):
        views = self

        class module(types.ModuleType):  # noqa: N801: a candidate may ask for the name.
            def __getattribute__(self, name):
                return views.read(self, name)

            def __setattr__(self, name, value):
                views.write(self, name, value)

            def __delattr__(self, name):
                views.write(self, name, None)

            def __dir__(self):
                return [item for item in dir(views._real[id(self)][0])
                        if not views.refuses(self, item)]

            def __repr__(self):
                return repr(views._real[id(self)][0])

        module.__module__, module.__qualname__ = "builtins", "module"
        return module

    def write(self, view, name, value):
        module = self._real[id(view)][1]
        if not self.settable(view) or _type(name) is not _str or is_dunder(name):
            self._refuse("patches_torch", f"assigns to {module}.{name!s:.60}")
        self._set[id(view)][name] = value
