"""Finds what the value of an expression comes from: what a call is given, or something else.

Given are the sizes, dtypes, layouts, devices and values of inputs, the constructor's arguments,
constants, and what is computed from these. Everything else (the machine, a version, a clock, a file, an
event, what native code says) may differ between the judge and a device, or from one call to the next.
These are lists of what is given: a name that they do not hold is something else.
"""

import ast
import sys

from torch_worker.backends import BY_NAME, LOADERS
from torch_worker.legality.callable_bindings import FUNCTIONS
from torch_worker.legality.legality_names import names_in
from torch_worker.legality.tensor_names import LAYOUT


# What a tensor says of itself without its values.
_ABOUT = names_in("""
    shape size sizes numel nelement dim ndim ndimension dtype device stride strides is_contiguous nbytes
    element_size itemsize is_cuda is_musa is_cpu layout requires_grad is_floating_point is_complex
    is_sparse storage_offset get_device index type names is_leaf grad_fn is_quantized
""")
_BUILTINS = names_in("""
    abs all any bool bytes callable complex dict divmod enumerate filter float format frozenset getattr
    hasattr hash id int isinstance issubclass iter len list map max min next pow range repr reversed
    round set slice sorted str sum super tuple type zip object print Exception RuntimeError ValueError
    TypeError NotImplementedError property staticmethod classmethod
""")
# Functions whose results come from their arguments, and what the judge answers as any device does.
_FUNCTIONS = ("math.", "cmath.", "functools.", "itertools.", "operator.", "collections.", "typing.",
              "typing_extensions.", "dataclasses.", "enum.", "numbers.", "string.", "re.", "textwrap.",
              "hashlib.", "json.", "copy.", "struct.", "torch.nn.", "torch.utils.cpp_extension.",
              "torch.finfo", "torch.iinfo", "torch.Size", "torch.device", "torch.dtype", "torch.is_",
              "torch.numel", "torch.promote_types", "torch.result_type", "torch.broadcast_shapes",
              "torch.can_cast", "torch.get_default_dtype", "torch.typename", "torch.get_autocast",
              "torch.autograd.", "torch.library.", "torch.ops.", "cupy.", "numpy.prod", "numpy.ceil",
              "numpy.floor", "numpy.sqrt", "numpy.log2", "numpy.lcm", "numpy.gcd", "einops.",
              *(f"torch.{name}.{query}" for name in BY_NAME for query in (
                  "is_available", "current_device", "device_count", "get_device_capability",
                  "is_bf16_supported", "device", "Stream", "current_stream",
                  "set_device", "synchronize")))
# What get_device_properties() tells of the target; the rest of it tells cards apart.
_OF_TARGET = names_in("""
    multi_processor_count warp_size max_threads_per_multi_processor shared_memory_per_block
    shared_memory_per_block_optin shared_memory_per_multiprocessor regs_per_multiprocessor major minor
""")
# Functions whose values are random, or those of memory that nothing has written.
_BY_CHANCE = ("torch.rand", "torch.empty", "torch.bernoulli", "torch.normal", "torch.multinomial",
              "torch.initial_seed", "torch.seed", "torch.get_rng_state")
# Values of modules that are the same everywhere.
_CONSTANTS = ("math.", "cmath.", "string.", "torch.float", "torch.half", "torch.bfloat16", "torch.double",
              "torch.int", "torch.uint", "torch.long", "torch.short", "torch.bool", "torch.complex",
              "torch.contiguous_format", "torch.channels_last", "torch.preserve_format", "torch.strided",
              "torch.Tensor", "torch.inf", "torch.nan", "torch.pi",
              "torch.e", "torch.nn.", "torch.Size", "torch.dtype", "torch.device", "torch.autograd.",
              "sys.maxsize", "logging.", "numpy.float", "numpy.int", "numpy.uint", "typing.", "enum.",
              "collections.", "functools.", "itertools.", "operator.")
# Methods of texts, containers and numbers, and of dtypes and devices.
_METHODS = names_in("""
    get keys values items copy count index lower upper strip lstrip rstrip startswith endswith split
    rsplit splitlines join format replace find partition rpartition removeprefix removesuffix encode
    decode hex hexdigest digest is_integer bit_length conjugate union intersection difference issubset
    issuperset isdisjoint title isdigit setdefault pop append extend add update insert
    requires_grad_ parameters named_parameters buffers modules children named_modules state_dict to_bytes
    nonzero apply register_buffer
""")
# Functions by which a name, a key or an order selects what is meant.
_CHOOSERS = names_in("getattr get setdefault pop max min sorted next filter index find bisect zip range slice")
# Methods of a container that find what a key stands for.
_LOOK_UPS = names_in("get setdefault pop")
# Methods that read the values of a tensor.
_VALUES = names_in("item tolist")
_KNOWN = _ABOUT | _METHODS | _VALUES | LAYOUT | {"data_ptr"}
_PUBLIC_DUNDERS = names_in("__class__ __name__ __len__ __init__ __call__ __contains__")
_MOST_ALIGNMENT = 256  # Bytes: what any allocator of a device aligns to.

# What an expression asks for that no call is given: something outside of the answer, what native code
# returns, the values of a tensor that outlives a call or that nothing has written, or an address.
OUTSIDE, NATIVE, UNGIVEN_VALUES, ADDRESS = "outside", "native", "values", "address"
_GIVEN = None


def _is_loader(meaning):
    module, _, leaf = meaning.rpartition(".")
    return leaf in ("load", "load_inline") and module.endswith(LOADERS)


class ValueSources:
    """`bound`: the TextBindings of a text; `resolve(node)`: the dotted name of an expression that
    starts with an import, else ""."""

    def __init__(self, bound, resolve):
        self._bound, self._resolve = bound, resolve
        self._settled, self._asking = {}, set()

    def first(self, nodes, where):
        """As of(), of several expressions."""
        for node in nodes:
            if found := self.of(node, where):
                return found
        return _GIVEN

    def of(self, node, where):
        """(kind, what) of the first thing in an expression that no call is given; else None."""
        if node is None or isinstance(node, (ast.Constant, ast.Lambda)):
            return _GIVEN
        if meaning := self._resolve(node):
            return self._of_module(meaning, _CONSTANTS)
        if isinstance(node, ast.Name):
            return self._of_name(node.id, where)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node, where)
        if isinstance(node, ast.Call):
            return self._of_call(node, where)
        if isinstance(node, ast.Compare):
            return self._of_comparison(node, where)
        if isinstance(node, ast.BinOp):
            return self._of_number(node, where)
        if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom)):
            return OUTSIDE, "a coroutine"
        if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
            return _GIVEN
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return self._of_import(node)
        return self.first(ast.iter_child_nodes(node), where)

    @staticmethod
    def _of_module(meaning, allowed):
        leaf = meaning.rpartition(".")[2]
        if meaning.startswith(allowed) and not (leaf.startswith("__") and leaf not in _PUBLIC_DUNDERS):
            return _GIVEN
        return OUTSIDE, meaning

    @staticmethod
    def _of_import(node):
        """What an `except` around an import asks: whether the machine has the module."""
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [
            item.name for item in node.names]
        for name in names:
            root = name.partition(".")[0]
            if root != "torch" and root not in sys.stdlib_module_names:
                return OUTSIDE, f"whether {name} can be imported"
        return _GIVEN

    def _of_comparison(self, node, where):
        operands = [node.left, *node.comparators]
        if all(isinstance(item, (ast.Is, ast.IsNot)) for item in node.ops):
            found = self.first(operands, where)
            return found if found and found[0] == OUTSIDE else _GIVEN
        if all(isinstance(item, (ast.In, ast.NotIn)) for item in node.ops) and not isinstance(
                node.comparators[0], (ast.Tuple, ast.List, ast.Set, ast.Constant)):
            found = self.of(node.comparators[0], where)
            return self._identity(self.of(node.left, where)) or (
                found if found and found[0] == OUTSIDE else _GIVEN)
        found = self.first(operands, where)
        same = all(isinstance(item, (ast.Eq, ast.NotEq)) for item in node.ops)
        return self._identity(found) if same else found

    @staticmethod
    def _identity(found):
        """An address may tell whether a tensor is the one of the call before."""
        return _GIVEN if found and found[0] == ADDRESS else found

    def _of_number(self, node, where):
        """Of arithmetic: how an address is aligned is given, its other digits are not."""
        found = self.first([node.left, node.right], where)
        if not found or found[0] != ADDRESS:
            return found
        aligned = isinstance(node.op, (ast.Mod, ast.BitAnd)) and self._is_alignment(node.right, where)
        return _GIVEN if aligned else (OUTSIDE, "an address")

    def _is_alignment(self, node, where):
        if isinstance(node, ast.Name):
            values = [value for value, _, _ in self._bound.of_name(node.id, where)[0]]
            return bool(values) and all(isinstance(value, ast.Constant) and self._is_alignment(
                value, where) for value in values)
        return (isinstance(node, ast.Constant) and type(node.value) is int
                and node.value <= _MOST_ALIGNMENT)

    def _once(self, key, compute):
        """The settled answer for a name; a name that asks for itself asks for nothing more."""
        if key in self._settled:
            return self._settled[key]
        if key in self._asking:
            return _GIVEN
        self._asking.add(key)
        found = compute()
        self._asking.discard(key)
        if not self._asking:
            self._settled[key] = found
        return found

    def native_texts(self, tree):
        """(call, expressions of its texts) of each call that builds an extension from texts."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _is_loader(meaning := self._resolve(node.func)) and (
                    meaning.endswith("_inline")):
                yield node, [*node.args[1:3], *(item.value for item in node.keywords
                                                if (item.arg or "").endswith("_sources"))]

    def of_choice(self, node, where):
        """As of(), of what chooses among the functions and objects that an expression may stand for:
        the tests, indexes and keys in it, in what its names are bound to, and around the bindings."""
        for item in ast.walk(node):
            choice, bindings = [], []
            if isinstance(item, ast.IfExp):
                choice = [item.test]
            elif isinstance(item, ast.BoolOp):
                choice = item.values[:-1]
            elif isinstance(item, ast.Subscript):
                choice = [item.slice]
            elif isinstance(item, ast.Call):
                choice = [*item.args, *(part.value for part in item.keywords)] if (
                    getattr(item.func, "attr", getattr(item.func, "id", "")) in _CHOOSERS) else []
            elif isinstance(item, ast.Name):
                bindings = self._bound.of_name(item.id, where)[0]
            elif isinstance(item, ast.Attribute):
                bindings = self._bound.attributes.get(item.attr, [])
            if found := self.first(choice, where) or self._once(
                    ("choice", getattr(item, "attr", getattr(item, "id", id(item)))),
                    lambda: self.of_chosen(bindings)):
                return found
        return _GIVEN

    def of_chosen(self, bindings):
        """As of_choice(), of what is bound to a name (TextBindings)."""
        for value, guards, function in bindings:
            if found := self.first(guards, function) or (
                    None if isinstance(value, (ast.ClassDef, *FUNCTIONS))
                    else self.of_choice(value, function)):
                return found
        return _GIVEN

    def _of_bindings(self, bindings):
        for value, guards, function in bindings:
            if found := self.of(value, function) or self.first(guards, function):
                return found
        return _GIVEN

    def _of_name(self, name, where):
        bound, function = self._bound.of_name(name, where)
        key = (name, id(function) if function else None)
        if function is None:
            return self._once(key, lambda: self._kept(self._of_bindings(bound), bound))
        return self._once(key, lambda: self._of_bindings(bound) or self._of_parameter(name, function))

    def _kept(self, found, bindings):
        """Adds that the values of a tensor that outlives a call are not given."""
        if found:
            return found
        for value, _, _ in bindings:
            if isinstance(value, ast.Call) and self._is_tensor_maker(value):
                return UNGIVEN_VALUES, "the values of a tensor that is kept"
        return _GIVEN

    def _is_tensor_maker(self, call):
        meaning = self._resolve(call.func)
        return meaning.startswith("torch.") and meaning.count(".") == 1 and not meaning.startswith(
            _FUNCTIONS)

    def _of_parameter(self, name, function):
        given = function.args
        listed = [item.arg for item in given.posonlyargs + given.args]
        if name not in {item.arg for item in given.kwonlyargs} | set(listed):
            return _GIVEN
        calls, skipped = self._bound.calls_of(function)
        for call in calls:
            values = [item.value for item in call.keywords if item.arg == name]
            if name in listed and listed.index(name) >= skipped:
                place = listed.index(name) - skipped
                values += call.args[place:place + 1]
            if found := self.first(values, self._bound.around.get(id(call))):
                return found
        return _GIVEN

    def _of_attribute(self, node, where):
        name = node.attr
        if name in _OF_TARGET:
            return _GIVEN
        if name in _ABOUT:
            found = self.of(node.value, where)
            return found if found and found[0] == OUTSIDE else _GIVEN
        if name.startswith("__") and name.endswith("__") and name not in _PUBLIC_DUNDERS:
            return OUTSIDE, f".{name}"
        if found := self.of(node.value, where):
            return found
        bound = self._bound.attributes.get(name, [])
        return self._once((".", name), lambda: self._kept(self._of_bindings(bound), bound)
                          or self._of_returns(name, property_only=True))

    def _of_returns(self, name, property_only=False):
        for function in self._bound.named.get(name, []):
            if isinstance(function, ast.Lambda) or property_only and not function.decorator_list:
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and self._bound.around.get(id(node)) is function:
                    if found := self.of(node.value, function) or self.first(
                            self._bound.guards[id(node)], function):
                        return found
        return _GIVEN

    def _of_call(self, node, where):
        found = self._of_result(node, where)
        plain = isinstance(node.func, ast.Attribute) or getattr(node.func, "id", "") in ("int", "tuple")
        return (OUTSIDE, "an address") if found and found[0] == ADDRESS and not plain else found

    def _of_result(self, node, where):
        given = [*node.args, *(item.value for item in node.keywords)]
        meaning, func = self._resolve(node.func), node.func
        if meaning:
            if _is_loader(meaning):
                # Where files lie and how they are compiled is the machine's; native_texts() has the rest.
                return _GIVEN
            if meaning.startswith(_BY_CHANCE):
                return UNGIVEN_VALUES, f"the values of {meaning}()"
            if self._is_tensor_maker(node):
                return self.first(given, where)
            return self._of_module(meaning, _FUNCTIONS) or self.first(given, where)
        if isinstance(func, ast.Name):
            if func.id in self._bound.named:
                return self._of_name(func.id, where) or self._once(
                    (func.id, "()"), lambda: self._of_returns(func.id)) or self.first(given, where)
            if func.id in self._bound.classes:
                return self.first(given, where)
            bound, function = self._bound.of_name(func.id, where)
            if func.id not in _BUILTINS and not bound and function is None:
                return OUTSIDE, f"{func.id}()"
            return self._of_name(func.id, where) or self._of_lambda(func.id, where) or self.first(
                given, where)
        if isinstance(func, ast.Attribute):
            return self._of_method(node, given, where)
        return self.of(func, where) or self.first(given, where)

    def _of_lambda(self, name, where):
        for value, _, _ in self._bound.of_name(name, where)[0]:
            if isinstance(value, ast.Lambda) and (found := self.of(value.body, value)):
                return found
        return _GIVEN

    def is_native(self, func):
        """Whether the function of a call may be an extension's."""
        return isinstance(func, ast.Attribute) and not self._resolve(func) and not (
            func.attr in self._bound.named or func.attr in _KNOWN or func.attr.startswith("new_"))

    def _of_method(self, node, given, where):
        func = node.func
        if func.attr in _ABOUT:
            return self._of_attribute(func, where) or self.first(given, where)
        if func.attr in self._bound.named:
            return self.of(func.value, where) or self._once(
                (func.attr, "()"), lambda: self._of_returns(func.attr)) or self.first(given, where)
        if func.attr in _VALUES:
            # Values of what native code has made of the inputs are as much given as the inputs' own.
            found = self.of(func.value, where)
            return _GIVEN if found and found[0] == NATIVE else found
        if self.is_native(func):
            found = self.of(func.value, where)
            return found if found and found[0] == OUTSIDE else (NATIVE, f"what .{func.attr}() says")
        if func.attr == "data_ptr":
            return self.of(func.value, where) or (ADDRESS, "an address")
        found = self.of(func.value, where) or self.first(given, where)
        return self._identity(found) if func.attr in _LOOK_UPS else found

