"""Checks which names the text of a task uses, on its syntax tree, before any of it runs.

This is one of three layers: names here, objects in views.py, the kernel in confinement.py. Together
they keep a task from frames, module dictionaries, raw pointers and this program.
"""

import ast

MAX_CODE_BYTES = 1 << 20

# Attribute names through which a task could reach the interpreter or the machine.
FORBIDDEN = frozenset("""
    sys os ctypes gc inspect importlib subprocess builtins posix pickle marshal socket threading
    multiprocessing signal pty fcntl resource mmap
    f_back f_builtins f_code f_globals f_lasti f_lineno f_locals f_trace
    tb_frame tb_next tb_lasti tb_lineno gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await
    cr_origin ag_frame ag_code ag_await co_code co_consts func_globals func_code mro
    with_traceback
    attrgetter methodcaller get_type_hints Formatter update_wrapper singledispatch
    singledispatchmethod make_dataclass new_class FunctionType CodeType
    ctypeslib memmap fromfile tofile tobytes dump dumps load save savez loads frombuffer
    from_buffer from_file as_buffer frompyfunc stride_tricks DataSource
    storage untyped_storage typed_storage share_memory share_memory_ share_memory_handle
    load_library hub package import_ir_module to_dlpack from_dlpack
    set_default_tensor_type cffi capsule
""".split())

# Builtins that tasks do not have. A task may define these names itself.
FORBIDDEN_BUILTINS = frozenset("""
    open exec eval compile input globals locals vars breakpoint dir exit quit help memoryview
    bytearray
""".split())

# Dunder names that may be read as attributes.
DUNDER_READ = frozenset("""
    __init__ __name__ __qualname__ __call__ __len__ __version__ __doc__ __getitem__ __iter__
    __next__ __repr__ __str__ __enter__ __exit__ __post_init__ __constants__ __all__ __eq__
    __contains__ __class__
""".split())
# Dunder names that a definition or an assignment in the task may bind.
DUNDER_BIND = DUNDER_READ - {"__class__"} | frozenset("""
    __all__ __author__ __constants__ __hash__ __ne__ __lt__ __le__ __gt__
    __ge__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__
    __floordiv__ __mod__ __pow__ __neg__ __bool__ __int__ __float__ __index__ __setitem__
    __jit_unused_properties__ __slots__ __license__ __email__ __copyright__ __credits__
    __maintainer__ __status__ __date__
""".split())
# Private attributes of torch's classes that modules use and that are harmless.
PRIVATE_READ = frozenset("""
    _parameters _modules _buffers _get_name _load_from_state_dict _save_to_state_dict _replace
    _asdict _fields _make _apply _version _forward _init_weights _reset_parameters
    _pair _single _triple _quadruple _ntuple _reverse_repeat_tuple _pad _conv_forward
    _BatchNorm _NormBase _ConvNd _ConvTransposeNd _InstanceNorm _LRScheduler
    _calculate_fan_in_and_fan_out _no_grad_trunc_normal_ _output_padding _qkv_same_embed_dim
    _reversed_padding_repeated_twice _check_input_dim _set_static_graph
""".split())


class Refused(Exception):
    """The text uses something that tasks may not use."""

    def __init__(self, message, line):
        super().__init__(message)
        self.line = line


def is_dunder(name):
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def nodes_of(tree):
    """[(node, its parent)] breadth first, the root with None. Nodes without fields (operators and
    contexts) are left out."""
    found = [(tree, None)]
    for parent, _ in found:  # The list grows during the iteration.
        for field in parent._fields:
            value = getattr(parent, field, None)
            for item in value if isinstance(value, list) else (value,):
                if isinstance(item, ast.AST) and item._fields:
                    found.append((item, parent))
    return found


def bound_names(nodes):
    """Every name that the text binds, in any scope."""
    names = set()
    for node, _ in nodes:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                names.add(node.id)
        elif isinstance(node, ast.Attribute):
            if isinstance(node.ctx, ast.Store):
                names.add(node.attr)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
        elif (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
              and node.func.attr in ("register_buffer", "register_parameter", "add_module")
              and node.args and isinstance(node.args[0], ast.Constant)
              and isinstance(node.args[0].value, str)):
            names.add(node.args[0].value)
    return frozenset(names)


class Names:
    """The attribute names that this task may use. The text is checked against them, and so is
    getattr() at run time."""

    def __init__(self, bound, taken):
        # `taken`: private names of the base classes of all modules and tensors. A task that binds
        # one of them itself still may not read it elsewhere.
        self._private = (bound - taken) | PRIVATE_READ
        self._bound = bound
        self._forbidden = FORBIDDEN

    def forbid(self, attributes):
        self._forbidden = self._forbidden | attributes

    def refuses(self, name):
        if name in self._forbidden:
            return True
        if is_dunder(name):
            return name not in DUNDER_READ
        return name.startswith("_") and name != "_" and name not in self._private

    def refuses_builtin(self, name):
        return name in FORBIDDEN_BUILTINS and name not in self._bound


def check(nodes, taken):
    """Raises Refused, or returns the Names of the task. `nodes`: nodes_of() its tree."""
    names = Names(bound_names(nodes), taken)
    for node, parent in nodes:
        what = _objection(node, parent, names)
        if what:
            raise Refused(what, getattr(node, "lineno", getattr(parent, "lineno", 0)))
    return names


def _identifiers(node):
    """The identifiers that a node holds as text: names, attributes, aliases, captures."""
    for field in node._fields:
        value = getattr(node, field, None)
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, str):
                yield item


def _objection(node, parent, names):
    """What the text does at this node that tasks may not do; None when it is allowed."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if is_dunder(node.id) and node.id not in ("__name__", "__version__"):
            return f"it uses the name {node.id}"
        if names.refuses_builtin(node.id):
            return f"it uses {node.id}()"
    elif isinstance(node, ast.Attribute):
        stored = not isinstance(node.ctx, ast.Load)
        if names.refuses(node.attr) or (stored and is_dunder(node.attr)):
            return f"it uses the attribute {node.attr}"
        named = isinstance(parent, ast.Attribute) and parent.attr in ("__name__", "__qualname__")
        if node.attr == "__class__" and not named:
            return "it uses __class__ for more than its name"
    elif isinstance(node, ast.MatchClass):
        for attribute in node.kwd_attrs:
            if names.refuses(attribute) or attribute == "__class__":
                return f"it matches the attribute {attribute}"
    elif isinstance(node, (ast.alias, ast.ImportFrom)):
        for part in ".".join(_identifiers(node)).split("."):
            if part in FORBIDDEN or (is_dunder(part) and part != "__future__"):
                return f"it imports {part}"
    elif not isinstance(node, (ast.Constant, ast.keyword)):
        for name in _identifiers(node):
            if is_dunder(name) and name not in DUNDER_BIND:
                return f"it binds {name}"
    return None
