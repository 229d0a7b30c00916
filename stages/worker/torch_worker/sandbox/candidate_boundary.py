"""The boundary between a candidate's Python and this process: what it imports, which builtins it has,
and which objects it may change. candidate_program.py routes imports, private attributes and
assignments to attributes through it.

What it refuses ends the request with the line, also if the candidate catches the exception. An audit
hook, which Python itself calls and nothing removes, refuses what no honest answer does.
"""

import builtins
import dataclasses
import functools
import io
import os
import sys
import types

from torch_worker.legality.legality_names import ALLOWED_MODULES, ESCAPE_ATTRIBUTES
from torch_worker.sandbox import module_views
from torch_worker.sandbox.task_policy import DUNDER_READ, PRIVATE_READ, is_dunder

_MOST = 16  # Refusals that are kept.
# What a plain machine with a device shows of its environment.
_ENVIRONMENT = {"HOME": "/tmp", "LANG": "C.UTF-8", "PATH": "/usr/local/cuda/bin:/usr/bin",
                "CUDA_HOME": "/usr/local/cuda"}
_DUNDERS = DUNDER_READ | frozenset("""
    __version__ __module__ __annotations__ __dict__ __file__ __path__ __hash__ __ne__ __lt__ __le__
    __gt__ __ge__ __bool__ __int__ __float__ __index__ __add__ __mul__ __cause__ __context__
    __setitem__ __delitem__ __array__ __dlpack__ __dlpack_device__ __cuda_array_interface__
    __dataclass_fields__ __members__ __new__ __del__ __set_name__ __init_subclass__
    __class_getitem__ __copy__ __deepcopy__ __missing__ __reversed__ __format__ __dir__
""".split())
_NEVER = frozenset("""
    ctypes.dlopen ctypes.dlsym ctypes.cdata ctypes.cdata/buffer ctypes.call_function
    ctypes.string_at gc.get_objects gc.get_referrers gc.get_referents pickle.find_class
    marshal.loads code.__new__ sys._current_frames sys._current_exceptions sys.settrace
    sys.setprofile _thread.start_new_thread os.system subprocess.Popen os.exec os.posix_spawn
    os.fork os.putenv
""".split())
_WATCHED = _NEVER | {"object.__getattr__", "exec"}
# Attributes that lead to frames.
_FRAMES = frozenset(["tb_frame", "gi_frame", "cr_frame", "ag_frame", "f_code", "__code__"])
# Who may run code that it has made from a text.
_MAKERS = ("<frozen importlib", "collections/__init__.py", "dataclasses.py", "requests/candidate.py")
_getattr, _setattr, _delattr, _hasattr = getattr, setattr, delattr, hasattr
_type, _str, _isinstance, _module, _open = type, str, isinstance, types.ModuleType, open
_function, _getframe, _fspath, _id = types.FunctionType, sys._getframe, os.fspath, id


class Refused(BaseException):
    """A candidate reached beyond its own objects. Not an Exception, because candidates catch those."""


class Boundary:
    """`file`: the name of the candidate's text."""

    def __init__(self, file, shown):
        """`shown`: {(module, name): what the candidate sees there}, beside what it always does."""
        self._file, self._namespace = file, None
        self.refused = []  # [{"reason", "detail", "line"}]
        self._own_classes, self._own_modules = {}, frozenset()
        self._foreign = frozenset()  # Ids of the modules that the candidate has not made.
        self._environment = dict(_ENVIRONMENT)
        self._views = module_views.Views(self._refuse, {**self._instead(), **shown})
        self._running = False
        os.environ.clear()
        os.environ.update(_ENVIRONMENT)

    def begin(self, namespace, modules):
        """`namespace`: the candidate's globals; `modules`: names of those that it builds, or imports
        from packages of its own."""
        self._namespace = namespace
        self._own_modules = frozenset(
            ".".join(parts[:count]) for parts in (name.split(".") for name in modules)
            for count in range(1, len(parts) + 1))
        self._foreign = frozenset(map(_id, sys.modules.values())) - {_id(sys.modules["candidate"])}

    def _refuse(self, reason, detail):
        frame = _getframe(1)
        while frame is not None and frame.f_code.co_filename != self._file:
            frame = frame.f_back
        self.note(reason, detail, frame.f_lineno if frame else 0)
        raise Refused(detail)

    def note(self, reason, detail, line=0):
        entry = {"reason": reason, "detail": detail, "line": line}
        if entry not in self.refused and len(self.refused) < _MOST:
            self.refused.append(entry)

    # Attributes.

    def _refuses(self, owner, name):
        if _type(name) is not _str:
            return True
        if self._views.is_view(owner):
            return self._views.refuses(owner, name)
        if name in ESCAPE_ATTRIBUTES:
            return True
        if is_dunder(name):
            return name not in _DUNDERS or name == "__dict__" and not self._is_own(owner)
        if not name.startswith("_") or name in PRIVATE_READ:
            return False
        return not self._is_own(owner)

    def _is_own(self, owner):
        """Whether an object is the candidate's: of a class of its own, or one of its extensions."""
        if _isinstance(owner, type):
            return _id(owner) in self._own_classes
        if _type(owner) is _function:
            return owner.__globals__ is self._namespace
        if _isinstance(owner, _module):
            return not self._views.is_view(owner) and _id(owner) not in self._foreign
        return _type(owner) in (super, types.SimpleNamespace) or any(
            _id(cls) in self._own_classes for cls in type.mro(_type(owner)))

    def read(self, owner, name):
        """A private attribute, or one that is named like a module."""
        if self._refuses(owner, name):
            self._refuse("reaches_interpreter", f"reads .{name!s:.60} of {_kind(owner)}")
        value = _getattr(owner, name)
        if _id(value) in self._foreign:
            self._refuse("reaches_interpreter", f"reads .{name}, a module that another one holds")
        return value

    def changed(self, owner, name):
        """`owner`, whose attribute is about to be set or deleted."""
        if self._views.is_view(owner):
            if not self._views.settable(owner):
                self._views.write(owner, name, None)
        elif _isinstance(owner, (type, _function, _module)) and not self._is_own(owner):
            self._refuse("patches_torch", f"assigns to .{name!s:.60} of {_kind(owner)}")
        elif _type(name) is not _str or name in ESCAPE_ATTRIBUTES:
            self._refuse("reaches_interpreter", f"assigns to .{name!s:.60}")
        return owner

    # Builtins.

    def builtins(self):
        def guarded_getattr(owner, name, *default):
            if self._refuses(owner, name):
                self._refuse("reaches_interpreter", f"reads .{name!s:.60} of {_kind(owner)}")
            return _getattr(owner, name, *default)

        def guarded_hasattr(owner, name):
            return not self._refuses(owner, name) and _hasattr(owner, name)

        def guarded_setattr(owner, name, value):
            _setattr(self.changed(owner, name), name, value)

        def guarded_delattr(owner, name):
            _delattr(self.changed(owner, name), name)

        def guarded_open(file, *arguments, **options):
            return _open(self._path(file), *arguments, **options)

        def build_class(function, name, *bases, **options):
            made = make_class(function, name, *bases, **options)
            return self._owned(made)

        def gone(name):
            def call(*_, **__):
                self._refuse("reaches_interpreter", f"uses {name}()")
            return call

        make_class = builtins.__build_class__
        table = dict(vars(builtins))
        for name in ("exec", "eval", "compile", "globals", "locals", "vars", "breakpoint", "input",
                     "help", "memoryview", "__loader__", "__spec__"):
            table[name] = gone(name)
        table.update({"getattr": guarded_getattr, "hasattr": guarded_hasattr,
                      "setattr": guarded_setattr, "delattr": guarded_delattr, "open": guarded_open,
                      "__build_class__": build_class, "__import__": self._import})
        return table

    def _owned(self, cls):
        if _isinstance(cls, type):
            self._own_classes[_id(cls)] = cls
        return cls

    def _path(self, file):
        if _type(file) is int or not _isinstance(file, (_str, bytes, os.PathLike)):
            self._refuse("reaches_interpreter", "opens a descriptor by its number")
        return _fspath(file)

    # Modules.

    def _import(self, name, _globals=None, _locals=None, fromlist=(), level=0):
        root = name.partition(".")[0]
        if level or root not in ALLOWED_MODULES and name not in self._own_modules:
            self._refuse("forbidden_import", f"imports {name}")
        __import__(name)
        if not fromlist:
            return self._seen(root)
        module = self._seen(name)
        for item in fromlist:
            if item != "*" and not _hasattr(module, item):
                try:
                    __import__(f"{name}.{item}")
                except ModuleNotFoundError:
                    raise ImportError(f"cannot import name '{item}' from '{name}'",
                                      name=name) from None
        return module

    def _seen(self, name):
        """What the candidate sees of a module: those that it has built have no view."""
        module = sys.modules[name]
        return module if name in self._own_modules else self._views.of(module)

    def view(self, module):
        return self._views.of(module)

    def _instead(self):
        """Functions and values that views show in place of a module's own."""
        def update_wrapper(wrapper, wrapped, *_, **__):
            return functools.update_wrapper(self.changed(wrapper, "__wrapped"), wrapped,
                                            updated=())

        def wraps(wrapped, *_, **__):
            return lambda wrapper: update_wrapper(wrapper, wrapped)

        def dataclass(cls=None, **options):
            def made(cls):
                fields = cls.__dict__.get("__annotations__", {})
                if not all(_type(name) is _str and name.isidentifier() for name in fields):
                    self._refuse("reaches_interpreter", "names a field that is no identifier")
                return self._owned(dataclasses.dataclass(self.changed(cls, "__init__"), **options))
            return made if cls is None else made(cls)

        def io_open(file, *arguments, **options):
            return io.open(self._path(file), *arguments, **options)

        def total_ordering(cls):
            return functools.total_ordering(self.changed(cls, "__lt__"))

        return {("functools", "update_wrapper"): update_wrapper, ("functools", "wraps"): wraps,
                ("functools", "total_ordering"): total_ordering,
                ("dataclasses", "dataclass"): dataclass, ("io", "open"): io_open,
                ("os", "environ"): self._environment, ("os", "getenv"): self._environment.get,
                ("os", "putenv"): self._environment.__setitem__,
                ("sys", "path"): ["", "/usr/lib/python3"],
                ("sys", "executable"): "/usr/bin/python3"}

    # Python's own events.

    def watch(self):
        sys.addaudithook(self._on_event)

    def _on_event(self, event, arguments):
        if not self._running or event not in _WATCHED:
            return
        if event == "object.__getattr__" and arguments[1] not in _FRAMES:
            return
        self._running = False  # Looking at frames causes events too.
        try:
            if event not in _NEVER:
                file = _getframe(1).f_code.co_filename
                if event == "exec" and (file.startswith(_MAKERS[0]) or file.endswith(_MAKERS[1:])):
                    return
                if event != "exec" and file != self._file:
                    return
            self._refuse("reaches_interpreter", f"causes Python's event {event}")
        finally:
            self._running = True

    def __enter__(self):
        self._running = True

    def __exit__(self, *_):
        self._running = False


def _kind(owner):
    return f"{owner.__name__}" if _isinstance(owner, type) else f"a {_type(owner).__name__}"
