"""The modules and builtins that a task sees: copies that hold allowed public names only.

A task that assigns to `torch.relu` changes its own copy; a task that looks for `warnings.sys` finds
nothing. Functions and classes inside are the real ones.
"""

import builtins
import importlib
import types

from torch_worker import gate

# Standard modules, and what is left out of their public names.
_STANDARD = {
    "math": "", "typing": "get_type_hints ForwardRef", "functools":
    "update_wrapper singledispatch singledispatchmethod WRAPPER_ASSIGNMENTS WRAPPER_UPDATES wraps",
    "itertools": "", "collections": "UserDict UserList UserString", "collections.abc": "",
    "dataclasses": "make_dataclass", "enum": "EnumMeta EnumType EnumDict global_enum",
    "abc": "ABCMeta update_abstractmethods get_cache_token", "copy": "", "numbers": "",
    "operator": "attrgetter methodcaller", "warnings": "showwarning", "contextlib": "", "re":
    "template", "string": "Formatter", "random": "SystemRandom", "__future__": "",
}
_TYPES = "SimpleNamespace MappingProxyType GeneratorType NoneType EllipsisType UnionType"
_TORCH_MODULES = """
    torch.nn torch.nn.functional torch.nn.init torch.nn.parameter torch.nn.utils torch.nn.utils.rnn
    torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.modules
    torch.nn.modules.activation torch.nn.modules.batchnorm torch.nn.modules.container
    torch.nn.modules.conv torch.nn.modules.dropout torch.nn.modules.instancenorm
    torch.nn.modules.linear torch.nn.modules.loss torch.nn.modules.module
    torch.nn.modules.normalization torch.nn.modules.padding torch.nn.modules.pooling
    torch.nn.modules.rnn torch.nn.modules.transformer torch.nn.modules.upsampling
    torch.nn.modules.utils torch.nn.attention torch.fft torch.linalg torch.special torch.autograd
    torch.autograd.function torch.distributions torch.utils torch.utils.checkpoint torch.amp
    torch.cuda torch.cuda.amp torch.types torch.functional torch.func torch.backends
    torch.backends.cuda torch.backends.cudnn
""".split()
_TORCH_EXTRA = """
    channels_last channels_last_3d contiguous_format preserve_format strided sparse_coo
    set_grad_enabled set_default_dtype broadcast_shapes return_types
""".split()
_TORCH_HIDDEN = frozenset("""
    load save from_file compile library export import_ir_module parse_ir parse_schema fork wait
    DisableTorchFunction DisableTorchFunctionSubclass UntypedStorage TypedStorage Storage
    classproperty typename set_num_threads set_num_interop_threads hub ops classes
    register_module_forward_hook register_module_forward_pre_hook
    register_module_full_backward_hook register_module_buffer_registration_hook
    register_module_module_registration_hook register_module_parameter_registration_hook
    thread_safe_generator get_device_module get_file_path frombuffer
""".split())
_NUMPY_MODULES = ("numpy", "numpy.random", "numpy.linalg", "numpy.fft", "numpy.typing")
_NUMPY_HIDDEN = frozenset("""
    load save savez savez_compressed loadtxt savetxt genfromtxt fromfile memmap fromregex frombuffer
    frompyfunc ctypeslib lib core f2py testing rec char strings matlib show_config show_runtime info
    source DataSource emath polynomial dtypes exceptions ma test from_dlpack nditer nested_iters
    einsum_path get_include
""".split())
_EINOPS_MODULES = ("einops", "einops.layers", "einops.layers.torch")

_BUILTINS = """
    abs all any bool bytes callable chr classmethod complex dict divmod enumerate filter float
    format frozenset hash hex id int isinstance issubclass iter len list map max min next object oct
    ord pow print property range repr reversed round set slice sorted staticmethod str sum super
    tuple zip NotImplemented Ellipsis True False None __build_class__ __debug__
""".split()


def _public(module, hidden, listed):
    names = getattr(module, "__all__", None) if listed else None
    if names is None:
        names = [name for name in dir(module) if not name.startswith("_")]
    return [name for name in names if name not in hidden]


def _identity(function=None, **_ignored):
    return function if function is not None else _identity


class Views:
    """Built once, before forking."""

    def __init__(self):
        self._views = {}
        for name, hidden in _STANDARD.items():
            self._add(name, frozenset(hidden.split()))
        self._add("types", frozenset(), only=_TYPES.split())
        import torch

        dtypes = [name for name in dir(torch)
                  if isinstance(getattr(torch, name, None), (torch.dtype, torch.layout))]
        names = _public(torch, _TORCH_HIDDEN, listed=True) + dtypes + _TORCH_EXTRA
        self._add("torch", frozenset(), only=names)
        for name in _TORCH_MODULES:
            self._add(name, _TORCH_HIDDEN, listed=False)
        # Scripting does not change what a function computes, and cannot read a task's source.
        self._views["torch.jit"] = jit = types.ModuleType("view of torch.jit")
        for name in ("script", "ignore", "export", "unused", "script_if_tracing", "interface"):
            setattr(jit, name, _identity)
        for name in ("Final", "annotate", "is_scripting", "is_tracing"):
            setattr(jit, name, getattr(torch.jit, name))
        for name in _NUMPY_MODULES + _EINOPS_MODULES:
            self._add(name, _NUMPY_HIDDEN)
        self._views["functools"].wraps = _wraps
        for name in sorted(self._views):
            parent, _, leaf = name.rpartition(".")
            if parent:
                setattr(self._views[parent], leaf, self._views[name])

    def _add(self, name, hidden, listed=True, only=None):
        real = importlib.import_module(name)
        # The interpreter looks up "<__name__>.<x>" in sys.modules for `from module import x`.
        view = types.ModuleType("view of " + name)
        view.__file__ = None
        for attribute in only if only is not None else _public(real, hidden, listed):
            value = getattr(real, attribute, None)
            if not isinstance(value, types.ModuleType):
                setattr(view, attribute, value)
        if hasattr(real, "__version__"):
            view.__version__ = str(real.__version__)
        self._views[name] = view

    def importer(self):
        views = self._views

        def guarded_import(name, globals=None, locals=None, fromlist=(), level=0):
            if level != 0 or name not in views:
                raise gate.Refused(f"it imports {name}", 0)
            if not fromlist:
                return views[name.split(".")[0]]
            for item in fromlist:
                if item != "*" and not hasattr(views[name], item):
                    raise ImportError(f"cannot import name '{item}' from '{name}'")
            return views[name]

        return guarded_import

    def builtins(self, names):
        """The builtins of one task, whose attribute names `names` judges."""
        table = {name: getattr(builtins, name) for name in _BUILTINS}
        table.update((name, value) for name, value in vars(builtins).items()
                     if isinstance(value, type) and issubclass(value, BaseException))
        table.update(_guarded_accessors(names))
        table["__import__"] = self.importer()
        table["type"] = _TypeOf()
        return table


def _wraps(wrapped):
    """functools.wraps without the freedom to name which attributes are copied."""
    def decorate(function):
        function.__name__ = str(getattr(wrapped, "__name__", "wrapped"))
        function.__doc__ = getattr(wrapped, "__doc__", None)
        return function
    return decorate


class _TypeOf:
    """`type` with one argument: making classes with it would go around the gate."""

    __slots__ = ()

    def __call__(self, value):
        if isinstance(value, type):
            raise TypeError("the type of a class is not available here")
        return _type(value)

    def __instancecheck__(self, value):
        return isinstance(value, type)

    def __getitem__(self, item):
        return _type[item]

    def __or__(self, other):
        return _type | other

    def __ror__(self, other):
        return other | _type


_type, _getattr, _setattr, _delattr = type, getattr, setattr, delattr
_AttributeError, _isinstance, _str = AttributeError, isinstance, str


def _guarded_accessors(names):
    refuses = names.refuses

    def refused(name):
        # An exact str: a subclass could compare differently each time it is asked.
        return _type(name) is not _str or refuses(name) or name == "__class__"

    def guarded_getattr(value, name, *default):
        if refused(name):
            raise gate.Refused(f"it reads the attribute {name!s:.60}", 0)
        return _getattr(value, name, *default)

    def guarded_hasattr(value, name):
        if refused(name):
            return False
        try:
            _getattr(value, name)
        except _AttributeError:
            return False
        return True

    def guarded_setattr(value, name, new):
        if refused(name) or gate.is_dunder(name) or _isinstance(value, (type, types.ModuleType)):
            raise gate.Refused(f"it sets the attribute {name!s:.60}", 0)
        _setattr(value, name, new)

    def guarded_delattr(value, name):
        if refused(name) or gate.is_dunder(name) or _isinstance(value, (type, types.ModuleType)):
            raise gate.Refused(f"it deletes the attribute {name!s:.60}", 0)
        _delattr(value, name)

    return {"getattr": guarded_getattr, "hasattr": guarded_hasattr, "setattr": guarded_setattr,
            "delattr": guarded_delattr}


def private_names_of_torch():
    """Private names that a task cannot claim by binding them itself."""
    import torch

    names = set(dir(torch)) | set(dir(torch._C))
    for owner in (torch.Tensor, torch.nn.Module, torch.autograd.Function, torch.UntypedStorage,
                  torch.TypedStorage, types.FunctionType, types.CodeType, type):
        names.update(dir(owner))
    return frozenset(name for name in names if name.startswith("_") and name not in ("__init__",))
