"""The modules and builtins that a task sees: copies of the real ones with only the allowed names.

A task that assigns to `torch.relu` changes its own copy; `warnings.sys` does not exist. The
functions and classes in the copies are the real ones.
"""

import builtins
import importlib
import types

from torch_worker.sandbox import task_policy

# Standard modules, each with the public names that are left out.
_STANDARD = {
    "math": "", "typing": "get_type_hints ForwardRef", "functools":
    "update_wrapper singledispatch singledispatchmethod WRAPPER_ASSIGNMENTS WRAPPER_UPDATES wraps",
    "itertools": "", "collections": "UserDict UserList UserString", "collections.abc": "",
    "dataclasses": "make_dataclass", "enum": "EnumMeta EnumType EnumDict global_enum",
    "abc": "ABCMeta update_abstractmethods get_cache_token", "copy": "", "numbers": "",
    "operator": "attrgetter methodcaller", "warnings": "showwarning",
    "contextlib": "redirect_stdout redirect_stderr chdir", "re": "template", "string": "Formatter",
    "random": "SystemRandom", "__future__": "",
}
_TYPES = "MappingProxyType GeneratorType NoneType EllipsisType UnionType"
_TORCH_MODULES = """
    torch.nn torch.nn.functional torch.nn.init torch.nn.parameter torch.nn.utils torch.nn.utils.rnn
    torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.fusion
    torch.nn.modules
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
# The view of torch has its operators (torch._C._VariableFunctions), dtypes, layouts and these.
# torch.__all__ also has serializers, script compilers and guards that switch recording off.
_TORCH_NAMES = """
    Tensor FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor
    CharTensor ByteTensor BoolTensor Size Generator device dtype layout memory_format finfo iinfo
    SymInt SymFloat SymBool e inf nan pi newaxis channels_last channels_last_3d contiguous_format
    preserve_format strided sparse_coo autocast no_grad enable_grad inference_mode set_grad_enabled
    is_grad_enabled is_inference_mode_enabled is_autocast_enabled get_autocast_dtype is_tensor
    is_floating_point is_complex set_default_dtype get_default_dtype manual_seed seed initial_seed
    get_rng_state set_rng_state set_printoptions get_num_threads default_generator
    use_deterministic_algorithms are_deterministic_algorithms_enabled promote_types result_type
    can_cast sym_int sym_float sym_max sym_min sym_not sym_sqrt sym_sum sym_ite vmap
    set_float32_matmul_precision get_float32_matmul_precision broadcast_shapes typename
    from_numpy as_tensor tensor lobpcg pca_lowrank svd_lowrank chunk matmul stack split
""".split()
_TORCH_HIDDEN_PREFIXES = ("_", "cudnn_", "miopen_", "fbgemm_", "mkldnn_", "quantized_")
_TORCH_HIDDEN = frozenset("""
    from_file init_num_threads frombuffer handle_torch_function has_torch_function
    has_torch_function_unary has_torch_function_variadic boolean_dispatch DataParallel
    register_module_forward_hook register_module_forward_pre_hook
    register_module_full_backward_hook register_module_full_backward_pre_hook
    register_module_backward_hook register_module_buffer_registration_hook
    register_module_module_registration_hook register_module_parameter_registration_hook
    gradcheck gradgradcheck copy_method_params linearize debug_unwrap
""".split())
# Modules of which a task needs only these names.
_TORCH_ONLY = {
    "torch.utils": "", "torch.utils.checkpoint": "checkpoint checkpoint_sequential",
    "torch.cuda": "is_available is_bf16_supported current_device device_count empty_cache "
                  "synchronize get_device_capability get_device_name manual_seed manual_seed_all "
                  "FloatTensor HalfTensor LongTensor",
    "torch.backends": "", "torch.backends.cuda": "sdp_kernel flash_sdp_enabled enable_flash_sdp "
                      "enable_math_sdp enable_mem_efficient_sdp",
    "torch.backends.cudnn": "is_available version",
    "torch.autograd": "Function Variable grad backward no_grad enable_grad inference_mode "
                      "set_grad_enabled",
    "torch.autograd.function": "Function FunctionCtx once_differentiable",
    "torch.types": "Device Number Size Tensor",
}
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


def _public(module, hidden):
    """The public names that a module defines, without those that it imports."""
    names = getattr(module, "__all__", None)
    if names is None:
        package = ".".join(module.__name__.split(".")[:2])
        origins = {name: getattr(getattr(module, name), "__module__", None) or package
                   for name in dir(module) if not name.startswith("_")}
        names = [name for name, origin in origins.items()
                 if origin == "torch" or origin.startswith((package, "torch._C", "torch._VF"))]
    return [name for name in names if name not in hidden]


def _is_metaclass(value):
    """Whether a value is a metaclass. By calling one, a task could create a class with any
    attributes."""
    return isinstance(value, type) and issubclass(value, type)


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

        operators = [name for name in dir(torch._C._VariableFunctions)
                     if not name.startswith(_TORCH_HIDDEN_PREFIXES)]
        constants = [name for name in dir(torch)
                     if isinstance(getattr(torch, name, None), (torch.dtype, torch.layout))]
        names = operators + torch.functional.__all__ + constants + _TORCH_NAMES
        self._add("torch", frozenset(), only=[n for n in names if n not in _TORCH_HIDDEN])
        for name in _TORCH_MODULES:
            only = _TORCH_ONLY.get(name)
            self._add(name, _TORCH_HIDDEN, only=None if only is None else only.split())
            self._add_private(name)
        # Scripting does not change what a function computes, and it cannot read a task's source.
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

    def _add(self, name, hidden, only=None):
        real = importlib.import_module(name)
        # The interpreter looks up "<__name__>.<x>" in sys.modules for `from module import x`.
        view = types.ModuleType("view of " + name)
        for attribute in only if only is not None else _public(real, hidden):
            value = getattr(real, attribute, None)
            if not isinstance(value, types.ModuleType) and not _is_metaclass(value):
                setattr(view, attribute, value)
        if hasattr(real, "__version__"):
            view.__version__ = str(real.__version__)
        self._views[name] = view

    def add(self, name, module):
        """Adds a module of our own under a name that tasks import."""
        self._views[name] = module

    def _add_private(self, name):
        """Adds the private names that modules commonly import."""
        real, view = importlib.import_module(name), self._views[name]
        for attribute in sorted(task_policy.PRIVATE_READ):
            if name.startswith("torch.nn") and hasattr(real, attribute):
                setattr(view, attribute, getattr(real, attribute))

    def all(self):
        return list(self._views.values())

    def importer(self):
        views = self._views

        def guarded_import(name, globals=None, locals=None, fromlist=(), level=0):
            if level != 0 or name not in views:
                raise task_policy.Refused(f"it imports {name}", 0)
            if not fromlist:
                return views[name.split(".")[0]]
            for item in fromlist:
                if item != "*" and not hasattr(views[name], item):
                    raise ImportError(f"cannot import name '{item}' from '{name}'")
            return views[name]

        return guarded_import

    def builtins(self, names):
        """The builtins of one task; `names` decides which attribute names it may use."""
        table = {name: getattr(builtins, name) for name in _BUILTINS}
        table.update((name, value) for name, value in vars(builtins).items()
                     if isinstance(value, type) and issubclass(value, BaseException))
        table.update(_guarded_accessors(names))
        table["__import__"] = self.importer()
        table["type"] = _TypeOf()
        return table


def _wraps(wrapped):
    """functools.wraps, but the caller cannot choose which attributes are copied."""
    def decorate(function):
        function.__name__ = str(getattr(wrapped, "__name__", "wrapped"))
        function.__doc__ = getattr(wrapped, "__doc__", None)
        return function
    return decorate


class _TypeOf:
    """`type` with one argument. With three it could make unchecked classes."""

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
    refuses, is_dunder = names.refuses, task_policy.is_dunder

    def refused(name):
        # An exact str: a subclass could compare differently each time.
        return _type(name) is not _str or refuses(name) or name == "__class__"

    def settable(value, name):
        return not (refused(name) or is_dunder(name)
                    or _isinstance(value, (type, types.ModuleType)))

    def guarded_getattr(value, name, *default):
        if refused(name):
            raise task_policy.Refused(f"it reads the attribute {name!s:.60}", 0)
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
        if not settable(value, name):
            raise task_policy.Refused(f"it sets the attribute {name!s:.60}", 0)
        _setattr(value, name, new)

    def guarded_delattr(value, name):
        if not settable(value, name):
            raise task_policy.Refused(f"it deletes the attribute {name!s:.60}", 0)
        _delattr(value, name)

    return {"getattr": guarded_getattr, "hasattr": guarded_hasattr, "setattr": guarded_setattr,
            "delattr": guarded_delattr}


def private_names_of_torch():
    """Private names that a task may not read even when it binds them itself."""
    import torch

    names = set(dir(torch)) | set(dir(torch._C))
    for owner in (torch.Tensor, torch.nn.Module, torch.autograd.Function, torch.UntypedStorage,
                  torch.TypedStorage, types.FunctionType, types.CodeType, type):
        names.update(dir(owner))
    return frozenset(name for name in names if name.startswith("_") and name not in ("__init__",))
