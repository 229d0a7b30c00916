"""Computes the closure of a top-level Python definition with CPython's `ast` and `symtable`.

The census uses this instead of the miner's code, so that each can be compared with the other. A
closure is a definition together with everything in the repository that it names directly or
indirectly: functions, constants, base classes, through imports and re-exports.
"""

import ast
import builtins
import dataclasses
import pathlib
import subprocess
import symtable

ALLOWED_IMPORTS = frozenset(
    "torch numpy einops math typing functools itertools collections dataclasses enum abc copy numbers "
    "operator warnings contextlib re string types random __future__".split())
BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__class__", "__module__",
                                       "__qualname__", "__annotations__"}


@dataclasses.dataclass(frozen=True)
class Import:
    """One imported name: `member` of `module`, or the module itself when member is None."""

    module: str  # Absolute, dotted; for a relative import inside the repository, resolved.
    member: str | None
    inside: bool  # Whether it was written as a relative import.


def read_files(source):
    """Yields (path, bytes) of the .py files of a folder or of a Git repository's HEAD."""
    source = pathlib.Path(source)
    git = ["git", "-c", "safe.directory=*", "-C", str(source)]
    top = subprocess.run([*git, "rev-parse", "--show-prefix"], capture_output=True, text=True)
    if top.returncode != 0 or top.stdout.strip():
        for path in sorted(source.rglob("*.py")):
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(source).as_posix(), path.read_bytes()
        return
    listing = subprocess.run([*git, "ls-tree", "-r", "-z", "HEAD"], capture_output=True, check=True)
    entries = []
    for line in listing.stdout.split(b"\0")[:-1]:
        (mode, _, blob), path = line.split(b"\t")[0].split(), line.split(b"\t")[1]
        if path.endswith(b".py") and mode in (b"100644", b"100755"):
            entries.append((path.decode("utf-8", "replace"), blob))
    request = b"".join(blob + b"\n" for _, blob in entries)
    answer = subprocess.run([*git, "cat-file", "--batch"], input=request, capture_output=True,
                            check=True).stdout
    at = 0
    for path, _ in entries:
        end = answer.index(b"\n", at)
        size = int(answer[at:end].split()[2])
        yield path, answer[end + 1:end + 1 + size]
        at = end + 2 + size


def commit_of(source):
    """The commit that read_files() reads, or None for a folder that is no repository's root."""
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C", str(source), "rev-parse", "HEAD"],
                          capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


class File:
    """One parsed file: the bindings of its top level and the symbol table of each definition."""

    def __init__(self, path, source, tree):
        self.path = path
        self.tree = tree
        self.bindings = {}  # Name to a list of ast nodes and Imports, in order.
        self.stars = []  # Modules of `from … import *`.
        self.tables = {}  # (name, line) to the symtable of a top-level class or function.
        package = path.split("/")[:-1]
        for statement in _top_level(tree.body):
            self._bind(statement, package)
        for table in symtable.symtable(source, path, "exec").get_children():
            self.tables.setdefault((table.get_name(), table.get_lineno()), table)

    def _bind(self, node, package):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name, target in imports_of(node, package):
                if name == "*":
                    self.stars.append(target)
                else:
                    self.bindings.setdefault(name, []).append(target)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            self.bindings.setdefault(node.name, []).append(node)
        else:
            for part in ast.walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    self.bindings.setdefault(part.id, []).append(node)


_SCRIPT_GUARDS = ("__name__ == '__main__'", "'__main__' == __name__")


def _top_level(body):
    """The statements of a module, also those under if, try, with and loops; not what only runs when
    the file is a script."""
    for node in body:
        if isinstance(node, ast.If) and ast.unparse(node.test) in _SCRIPT_GUARDS:
            continue
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            for field in ("body", "orelse", "finalbody"):
                yield from _top_level(getattr(node, field, []))
            for handler in getattr(node, "handlers", []):
                yield from _top_level(handler.body)


def imports_of(node, package):
    """Yields (bound name, Import) for one import statement in a file of `package` (a list)."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield alias.asname, Import(alias.name, None, False)
            else:
                yield alias.name.partition(".")[0], Import(alias.name.partition(".")[0], None, False)
        return
    module = (node.module or "").split(".") if node.module else []
    if node.level:
        module = package[:len(package) - node.level + 1] + module
    for alias in node.names:
        yield alias.asname or alias.name, Import(".".join(module), alias.name, node.level > 0)


class Repository:
    """The Python files of one source, and the references between them."""

    def __init__(self, source):
        self.files = {}
        self.unparsed = []
        for path, data in read_files(source):
            try:
                self.files[path] = File(path, data, ast.parse(data))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self.unparsed.append(path)
        self._packages = {path.rpartition("/")[0] for path in self.files
                          if path.endswith("__init__.py")}

    def file_of(self, module, relative=False):
        """The path of a dotted module in the repository, or None. An absolute import may start at the
        root or at any folder that is no package itself (src/, a project in a sub-folder)."""
        stem = module.replace(".", "/")
        for path in (f"{stem}.py", f"{stem}/__init__.py" if stem else "__init__.py"):
            if path in self.files:
                return path
        if relative or not stem:
            return None
        found = [path for path in self.files if path.endswith((f"/{stem}.py", f"/{stem}/__init__.py"))
                 and path[:path.rindex(f"/{stem}")] not in self._packages]
        return min(found, key=lambda path: (len(path), path)) if found else None

    def resolve(self, path, name, seen=frozenset()):
        """What `name` is at the top level of a file: a list of ("definition", path, name, node),
        ("module", path), ("external", dotted name) or ("missing", name)."""
        if (path, name) in seen:
            return []
        seen = seen | {(path, name)}
        file = self.files[path]
        if name in file.bindings:
            return [found for binding in file.bindings[name]
                    for found in self._follow(path, name, binding, seen)]
        for star in file.stars:
            target = self.file_of(star.module, star.inside)
            if target is None:
                if star.module.partition(".")[0] in ALLOWED_IMPORTS and name not in BUILTINS:
                    return [("external", f"{star.module}.{name}")]
            elif name[0] != "_":
                found = self.resolve(target, name, seen)
                if found and found[0][0] != "missing":
                    return found
        return [] if name in BUILTINS else [("missing", name)]

    def _follow(self, path, name, binding, seen):
        if not isinstance(binding, Import):
            return [("definition", path, name, binding)]
        target = self.file_of(binding.module, binding.inside)
        if target is None and binding.member is not None:
            submodule = self.file_of(f"{binding.module}.{binding.member}".strip("."), binding.inside)
            if submodule:
                return [("module", submodule)]
        if target is None:
            if binding.inside:
                return [("missing", binding.member)]
            member = f".{binding.member}" if binding.member else ""
            return [("external", binding.module + member)]
        if binding.member is None:
            return [("module", target)]
        if binding.member in self.files[target].bindings or self.files[target].stars:
            found = self.resolve(target, binding.member, seen)
            if found and found[0][0] != "missing":
                return found
        submodule = self.file_of(f"{binding.module}.{binding.member}".strip("."), binding.inside)
        return [("module", submodule)] if submodule else [("missing", binding.member)]


def global_names(file, node):
    """The names of the file's top level (or builtins) that a definition uses."""
    names = set()
    if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return {part.id for part in ast.walk(node)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    # Decorators, bases, defaults and annotations belong to the enclosing scope.
    header = list(node.decorator_list)
    if isinstance(node, ast.ClassDef):
        header += node.bases + node.keywords
    else:
        header += [node.args] + ([node.returns] if node.returns else [])
    for expression in header:
        names |= {part.id for part in ast.walk(expression) if isinstance(part, ast.Name)}
    line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    table = file.tables.get((node.name, node.lineno)) or file.tables.get((node.name, line))
    tables = [table] if table else []
    while tables:
        table = tables.pop()
        names |= {symbol.get_name() for symbol in table.get_symbols()
                  if symbol.is_global() and symbol.is_referenced()}
        tables += table.get_children()
    return names


def attributes_of(node, name):
    """The attributes of `name` that are used, and whether it is also used without an attribute."""
    taken, bare = set(), 0
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            if part.value.id == name:
                taken.add(part.attr)
                bare -= 1
        elif isinstance(part, ast.Name) and part.id == name:
            bare += 1
    return taken, bare > 0


def line_count(node):
    first = min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", []))])
    return node.end_lineno - first + 1


@dataclasses.dataclass
class Closure:
    lines: int = 0
    files: set = dataclasses.field(default_factory=set)
    definitions: set = dataclasses.field(default_factory=set)
    imports: set = dataclasses.field(default_factory=set)  # External, dotted.
    missing: set = dataclasses.field(default_factory=set)  # Names that nothing defines.


def closure_of(repository, path, name, node):
    """Everything that the definition `node` of file `path` needs."""
    closure = Closure()
    counted = set()
    pending = [("definition", path, name, node)]
    while pending:
        kind, *rest = pending.pop()
        if kind == "external":
            closure.imports.add(rest[0])
        elif kind == "missing":
            closure.missing.add(rest[0])
        elif kind == "module":
            # The module as a value stands for all of it, which no slice can contain.
            closure.missing.add(f"module {rest[0]}")
        else:
            where, _, definition = rest
            if (where, id(definition)) in counted:
                continue
            counted.add((where, id(definition)))
            closure.definitions.add((where, rest[1]))
            closure.files.add(where)
            closure.lines += line_count(definition)
            pending += _needs(repository, where, definition)
    return closure


def _needs(repository, path, node):
    file = repository.files[path]
    for name in global_names(file, node):
        for found in _allowed_alternatives(repository.resolve(path, name)):
            if found[0] != "module":
                if found[0] != "definition" or found[3] is not node:
                    yield found
                continue
            taken, bare = attributes_of(node, name)
            if bare:
                yield found
            for attribute in taken:
                yield from _module_attribute(repository, found[1], attribute)
    # Imports inside the body of a function.
    package = path.split("/")[:-1]
    if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        for part in ast.walk(node):
            if isinstance(part, (ast.Import, ast.ImportFrom)):
                for bound, target in imports_of(part, package):
                    if target.member is not None or repository.file_of(target.module) is None:
                        yield from repository._follow(path, bound, target, frozenset())


def _module_attribute(repository, path, attribute):
    file = repository.files[path]
    if attribute in file.bindings or file.stars:
        return repository.resolve(path, attribute)
    # An attribute of a package can be a submodule; as a value it stands for the whole file.
    folder = path.removesuffix("__init__.py")
    for submodule in (f"{folder}{attribute}.py", f"{folder}{attribute}/__init__.py"):
        if path.endswith("__init__.py") and submodule in repository.files:
            return [("module", submodule)]
    return [("missing", f"{path}:{attribute}")]


def _allowed_alternatives(found):
    """The branches of `try: import a / except ImportError: import b` whose imports are allowed."""
    allowed = [item for item in found if item[0] != "external" or
               item[1].partition(".")[0] in ALLOWED_IMPORTS]
    return allowed or found
