"""Finds control flow in what forward() runs that depends on how often it was called: an answer that
computes for its judge only. condition_sources.py finds what depends on anything else.

By data flow: a *kept* object outlives a call (it hangs on the module, a closure, a parameter's default
or `self`). A kept number that is set from its own value counts; so does a kept iterator that is
advanced and a kept container that grows or shrinks. What is computed from these must not be
read by a test. Caches that are only filled, workspaces that grow with the inputs, and
extensions that are built when first used count nothing.
"""

import ast

from torch_worker.legality.callable_bindings import bound_values

# Counters that are asked by a method.
_ASKS = frozenset(["cache_info", "getrefcount"])
_TAKES = frozenset("pop popleft popitem".split())
_CHANGES = _TAKES | frozenset("""append appendleft extend insert add remove discard clear rotate
                                 update subtract""".split())
_ELEMENTS = frozenset("get setdefault values items most_common total elements".split())
_CONTAINERS = frozenset("""list dict set deque Counter defaultdict OrderedDict bytearray array
                           SimpleQueue""".split())
_ITERATORS = frozenset("iter map filter zip enumerate reversed count cycle repeat chain islice".split())
_CONSUMERS = frozenset("list tuple set sum any all max min zip sorted islice len".split())
# What is asked of a kept tensor, other than its values.
_ABOUT = frozenset("""shape size numel dim ndim dtype device stride is_contiguous data_ptr nbytes
                      element_size is_cuda is_cpu layout""".split())
_IDENTITY, _MEMBERSHIP = (ast.Is, ast.IsNot), (ast.In, ast.NotIn)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.JoinedStr, ast.Compare)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _leaf(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _pairs(target, value):
    """(target, value) for each name of an assignment; those of an unpacked value share it."""
    if isinstance(target, (ast.Tuple, ast.List)):
        same = (isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts))
        for index, item in enumerate(target.elts):
            yield from _pairs(item, value.elts[index] if same else value)
    else:
        yield target.value if isinstance(target, ast.Starred) else target, value


def _bindings(node):
    """(target, value) of what a node binds."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pairs(target, node.value)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield from _pairs(node.target, ast.Call(ast.Name("next", ast.Load()), [node.iter], []))


class _Scope:
    """One function: what its names stand for."""

    def __init__(self, function, nodes, resolve):
        self.function, self.nodes, self._resolve = function, nodes, resolve
        arguments = function.args
        listed = arguments.posonlyargs + arguments.args
        self.parameters = [item.arg for item in listed]
        self.owner = self.parameters[0] if self.parameters[:1] in (["self"], ["cls"]) else ""
        given = listed[len(listed) - len(arguments.defaults):] + arguments.kwonlyargs
        kept = {item.arg for item, value in zip(given, arguments.defaults + arguments.kw_defaults)
                if isinstance(value, (ast.List, ast.Dict, ast.Set, ast.Call))}
        outer = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal))
                 for name in node.names}
        stored = {node.id for node in nodes
                  if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        every = {item.arg for item in (*listed, *arguments.kwonlyargs, arguments.vararg,
                                       arguments.kwarg) if item}
        self.local = (stored | every) - outer - kept - {self.owner}
        bound = [node.id for node in nodes
                 if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        self.bound_again = {name for name in bound if bound.count(name) > 1}
        self.aliases = {}  # {name: key of the kept object that it stands for}
        self.tainted = {}  # {name: why}

    def key(self, node):
        """What a kept object is called in every function ("self.calls", "state[]"); "" for others."""
        if isinstance(node, ast.Name):
            if node.id in self.local:
                return self.aliases.get(node.id, "")
            return "self" if node.id == self.owner else "" if self._resolve(node) else node.id
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            base = self.key(node.value)
            if isinstance(node, ast.Subscript):
                return base and base + "[]"
            return base and (base if node.attr == "__class__" else f"{base}.{node.attr}")
        if isinstance(node, ast.Call) and node.args:
            called, base = _leaf(node.func), self.key(node.args[0])
            if called == "type":
                return base
            if base and called == "getattr" and len(node.args) > 1 and isinstance(
                    node.args[1], ast.Constant):
                return f"{base}.{node.args[1].value}"
        return ""


class Phases:
    """`functions`: [(function, its live nodes)] that forward() reaches; `tree`: the candidate's."""

    def __init__(self, functions, tree, resolve):
        self._resolve = resolve
        self._scopes = [_Scope(function, nodes, resolve) for function, nodes in functions]
        names, attributes = bound_values(ast.walk(tree))
        self._values = {**attributes, **names}
        self._makers = {node.name for node in ast.walk(tree) if isinstance(node, _FUNCTIONS[:2])
                        and any(isinstance(item, (ast.Yield, ast.YieldFrom))
                                for item in ast.walk(node))}
        self._counting = {}  # {key: why}
        self._returns = {}  # {name of a function: why its result changes from call to call}
        for table, prefix in ((names, ""), (attributes, "self.")):
            for name, values in table.items():
                for value in values:
                    if why := self._by_call(value, None):
                        self._counting.setdefault(prefix + name, why)
        self._settle()

    def _bound_to(self, key, kinds, calls):
        """Whether the object of a key was made by one of these expressions or calls."""
        last = key.removesuffix("[]").rpartition(".")[2].removesuffix("[]")
        return any(isinstance(value, kinds) or isinstance(value, ast.Call) and (
            _leaf(value.func) in calls or self._resolve(value.func).startswith("itertools."))
            for value in self._values.get(last, ()))

    def _is_iterator(self, key):
        return key and self._bound_to(key, ast.GeneratorExp, _ITERATORS | self._makers)

    def _is_container(self, key):
        return key and self._bound_to(key, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp),
                                      _CONTAINERS)

    def _by_call(self, node, scope):
        """Why the results of calls in an expression differ from call to call; else ""."""
        for item in ast.walk(node):
            if not isinstance(item, ast.Call):
                continue
            called = _leaf(item.func)
            if called in _ASKS and isinstance(item.func, ast.Attribute):
                return called + "()"
            if scope is None:
                continue
            if why := self._returns.get(called):
                return why
            if isinstance(item.func, ast.Attribute):
                key = scope.key(item.func.value)
                if key and (called in ("__next__", "send") or called in _TAKES
                            and self._is_container(key)):
                    return key
                if f"{key}[]" in self._counting and called in _ELEMENTS:
                    return self._counting[f"{key}[]"]
            key = scope.key(item.args[0]) if item.args else ""
            advances = called == "next"
            if key and (self._is_iterator(key) and (advances or called in _CONSUMERS)
                        # A loop, for which _bindings() writes next(), begins anew on a list.
                        or advances and hasattr(item, "lineno")):
                return key
        return ""

    def _read(self, node, scope):
        """Why the value of an expression changes from call to call; else ""."""
        if isinstance(node, ast.Compare):
            if all(isinstance(item, _IDENTITY) for item in node.ops):
                return ""
            if all(isinstance(item, _MEMBERSHIP) for item in node.ops):
                asked = scope.key(node.comparators[0])
                return (asked if self._is_iterator(asked) else "") or self._read(node.left, scope)
        if isinstance(node, ast.Name) and node.id in scope.tainted:
            return scope.tainted[node.id]
        key = scope.key(node)
        for known in (key, key.removesuffix("[]")):
            if known in self._counting:
                return self._counting[known]
        if isinstance(node, ast.Attribute) and node.attr in _ABOUT and scope.key(node.value):
            return ""
        if isinstance(node, ast.Call):
            own = ast.Call(node.func, node.args, [])
            ast.copy_location(own, node)
            if why := self._by_call(own, scope):
                return why
        elif isinstance(node, _FUNCTIONS):
            return ""
        for child in ast.iter_child_nodes(node):
            if why := self._read(child, scope):
                return why
        return ""

    def _sources(self, node, scope, sources):
        """{key: whether the value is another one} of the kept objects that a value comes from."""
        key = scope.key(node)
        if key and key != "self":
            return {key: False}
        if isinstance(node, ast.Name):
            return dict(sources.get(node.id, {}))
        if isinstance(node, ast.IfExp):
            parts, other = [node.body, node.orelse], False
        elif isinstance(node, _ARITHMETIC):
            parts, other = list(ast.iter_child_nodes(node)), True
        elif isinstance(node, ast.Subscript):
            sliced = isinstance(node.slice, ast.Slice)
            parts, other = [node.value] if sliced else [node.slice], True
        elif isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute):
            parts, other = node.args, _leaf(node.func) not in ("int", "float", "bool")
            if _leaf(node.func) in ("max", "min"):
                parts = parts if all(isinstance(item, ast.Constant) or scope.key(item)
                                     for item in parts) else []
            elif _leaf(node.func) not in ("int", "float", "bool", "abs", "sum", "divmod", "round",
                                          "pow"):
                parts = []
        elif isinstance(node, ast.Call) and node.func.attr in _ELEMENTS:
            key = scope.key(node.func.value)
            return {f"{key}[]": False} if key else {}
        elif isinstance(node, ast.Call) and self._resolve(node.func).startswith("operator."):
            parts, other = node.args, True
        elif isinstance(node, (ast.Tuple, ast.List, ast.FormattedValue)):
            parts, other = list(ast.iter_child_nodes(node)), False
        else:
            return {}
        found = {}
        for part in parts:
            for source, changed in self._sources(part, scope, sources).items():
                found[source] = found.get(source, False) or changed or other
        return found

    def _note(self, scope):
        """Notes what one function binds, counts and advances."""
        sources = {}
        for node in scope.nodes:
            if isinstance(node, ast.AugAssign):
                if key := scope.key(node.target):
                    if isinstance(node.target, ast.Name) and node.target.id in scope.local:
                        continue  # A number of this call.
                    self._counting.setdefault(key, key)
                elif isinstance(node.target, ast.Name):
                    name = node.target.id
                    sources[name] = dict.fromkeys(sources.get(name, {}), True)
                    if why := self._read(node.value, scope):
                        scope.tainted.setdefault(name, why)
                continue
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
                    node.func.attr in _CHANGES):
                key = scope.key(node.func.value)
                if self._is_container(key):
                    self._counting.setdefault(key, key)
            for target, value in _bindings(node):
                key, why = scope.key(target), self._read(value, scope)
                come = self._sources(value, scope, sources)
                if isinstance(target, ast.Name) and target.id in scope.local:
                    if why:
                        scope.tainted.setdefault(target.id, why)
                    sources.setdefault(target.id, {}).update(come)
                    if scope.key(value) and target.id not in scope.bound_again and not isinstance(
                            node, (ast.For, ast.comprehension)):
                        scope.aliases.setdefault(target.id, scope.key(value))
                elif key:
                    for source, changed in come.items():
                        self._edges.setdefault(key, {})[source] = changed or self._edges.get(
                            key, {}).get(source, False)
                    if why and not isinstance(target, ast.Subscript):
                        self._counting.setdefault(key, why)
            if isinstance(node, ast.Return) and node.value is not None and (
                    name := getattr(scope.function, "name", "")) and name != "forward":
                if why := self._read(node.value, scope):
                    self._returns.setdefault(name, why)
            if isinstance(node, ast.Call):
                self._pass(node, scope)

    def _pass(self, call, scope):
        """A parameter stands for the kept object that some caller passes."""
        for other in self._scopes:
            if getattr(other.function, "name", "") != _leaf(call.func) or other is scope:
                continue
            names = other.parameters[1:] if other.owner else other.parameters
            for name, value in zip(names, call.args):
                if (key := scope.key(value)) and key != "self" and name in other.local:
                    other.aliases.setdefault(name, key)

    def _settle(self):
        self._edges = {}
        size = -1
        while size != (size := self._size()):
            for scope in self._scopes:
                self._note(scope)
            for key in self._edges:
                if self._edges[key].get(key) or any(
                        key in self._edges.get(source, ()) for source in self._edges[key]
                        if source != key):
                    self._counting.setdefault(key, key)

    def _size(self):
        return len(self._counting) + len(self._returns) + sum(map(len, self._edges.values())) + sum(
            len(scope.tainted) + len(scope.aliases) for scope in self._scopes)

    def decided(self):
        """(node, what it says) of each test that must not read what it reads."""
        for scope in self._scopes:
            for node in scope.nodes:
                for test in _tests(node):
                    if why := self._read(test, scope):
                        yield node, _words(why)


def _tests(node):
    if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
        return [node.test]
    if isinstance(node, ast.Compare) and any(isinstance(item, _ORDERS) for item in node.ops):
        return [node]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
        return [node.func.slice]
    if isinstance(node, ast.Subscript) and (
            isinstance(node.value, (ast.List, ast.Tuple, ast.Dict))
            or any(isinstance(item, (ast.FloorDiv, ast.RShift)) or isinstance(item, ast.Name)
                   and item.id in ("min", "max") for item in ast.walk(node.slice))):
        return [node.slice]  # A table of ways, or an index that stays the same for many calls.
    if isinstance(node, ast.BoolOp):
        return node.values[:-1]
    if isinstance(node, ast.comprehension):
        return node.ifs
    if isinstance(node, (ast.For, ast.AsyncFor)) and _leaf(getattr(node.iter, "func", None)) == "range":
        return node.iter.args
    if isinstance(node, ast.Try):  # A missing key decides.
        return [item.slice for part in node.body for item in ast.walk(part)
                if isinstance(item, ast.Subscript)]
    return [node.subject] if isinstance(node, ast.Match) else []


def _words(why):
    return (f"the test reads {why}, which changes from call to call: how often it was called decides "
            "what forward() does")
