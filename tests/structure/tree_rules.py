"""The rules for the structure of the tree. Each rule is a function that takes a Tree and yields one
line per violation: "path[:line]: what is wrong"."""

import ast
import os
import pathlib
import re

# A folder may use itself and the folders to its left.
FOLDERS = ("manifests", "corpora", "parsers", "generators", "stages", "tools")
# These may use every folder, and no folder may use them.
OUTSIDE = ("tests", "bench")
TOP_LEVEL = {*FOLDERS, *OUTSIDE, "CMakeLists.txt", "CMakePresets.json", "LICENSE", "CONTRIBUTING.md", "README.md",
             "kernelmill"}
IGNORED = {"build", "out", "tools/python/build"}  # As in .gitignore.
MAX_LINES = 500
MAX_MODULES = 40
FORBIDDEN_WORDS = {"util", "utils", "helper", "helpers", "common", "manager", "misc"}

# The only places that may include a library's headers, as prefixes of paths.
HEADER_PLACES = {
    "arrow/": ("stages/pack/parquet_", "stages/task_files/parquet_"),
    "ATen/": ("stages/cuda_executor/",),
    "boost/": ("stages/cuda_executor/runtime/", "stages/serve/http_server.cc"),
    "c10/": ("stages/cuda_executor/",),
    "CLI/": ("tools/cli/",),
    "curl/": ("corpora/endpoint/",),
    "git2": ("corpora/git/",),
    "hiredis/": ("stages/queue/redis_connection.cc",),
    "lmdb.h": ("corpora/shards/",),
    "oneapi/tbb": ("stages/engine/",),
    "openssl/": ("manifests/digest.cc", "manifests/git_id.cc", "manifests/signing_key.cc"),
    "parquet/": ("stages/pack/parquet_", "stages/task_files/parquet_"),
    "pcre2": ("parsers/split_pattern.cc",),
    "rapidjson/": ("manifests/json.cc",),
    "seccomp.h": ("stages/untrusted/system_call_filter.cc",),
    "tbb/": ("stages/engine/",),
    "torch/": ("stages/cuda_executor/",),
    "tree_sitter/": ("parsers/",),
    "yaml-cpp/": ("manifests/config",),
    "zdict.h": ("corpora/shards/",),
    "zstd.h": ("corpora/shards/",),
}
# The same for Python packages. tools/python is the reader package, which is installed separately.
IMPORT_PLACES = {
    "torch": ("stages/worker/", "stages/device/program/", "tools/python/", "tools/demo/"),
    "lmdb": ("tools/python/",),
    "pyarrow": ("tools/python/",),
    "zstandard": ("tools/python/",),
}

# The header of an entry in the step table makes its folder in stages/ a step. Steps must not
# include each other; only COMPOSERS may include several.
STEP_ENTRY = re.compile(r"stages/(?!engine/)(\w+)/\w+_specs?\.h")
COMPOSERS = {"audit", "recipes"}
# Names that several headers overload on purpose.
OVERLOADS = {"ToJson"}

# What one operator is stands in its row of the operator table. Another file may name a few operators;
# more than these are a list of them, which only these places keep.
OPERATOR_TABLE = "corpora/operators/table/"
MAX_OPERATORS = 5
OPERATOR_PLACES = {
    "corpora/operators/called_name.cc": "Python's own operators, of which there are no new ones",
    "corpora/operators/operator_row.cc": "names of families",
    "generators/graphs/attention_blocks.cc": "graphs of named blocks",
    "generators/graphs/image_blocks.cc": "graphs of named blocks",
    "generators/graphs/layers.cc": "graphs of named layers",
    "generators/graphs/models.cc": "graphs of named models",
    "generators/graphs/sequence_blocks.cc": "graphs of named blocks",
    "generators/lowering/contractions/": "kernels of operators",
    "generators/lowering/programs/": "kernels of operators, with the sizes of their results",
    "generators/lowering/rows/": "kernels of operators",
    "generators/lowering/sizes/": "sizes of operators that programs/ does not write",
    "generators/lowering/strategies/": "kernels of operators",
    "generators/lowering/element_writer.cc": "elements of creation operators",
    "generators/lowering/group_scope.cc": "names of variables in kernels",
    "generators/lowering/measured_speed.cc": "measurements of strategies with operators",
    "generators/lowering/view_text.cc": "the text of views",
    "generators/pytorch/call_words.cc": "words of families, and names of attributes",
    "parsers/cuda_names.cc": "CUDA's functions",
    "stages/cuda_executor/include/kernelmill/ptx/": "instructions of PTX",
    "stages/capture/": "calls of torch that become operators",
    "stages/mine/evaluate/": "Python as it is interpreted",
    "stages/mine/import_policy.cc": "Python's built-in functions",
    "stages/verify/legality/host_conditions.cc": "functions of C++ that conditions call",
    "stages/verify/legality/other_uses.cc": "C++'s own operators",
    "stages/verify/legality/tensor_operators.cc": "methods and functions of C++ that return tensors",
}
# Operators whose names are types or everyday words of code.
EVERYDAY_OPERATORS = {"bfloat16", "bool", "double", "float", "half", "index", "int", "long", "t"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


class Tree:
    """The files of a checkout, without those that Git ignores."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.paths = sorted(self._walk())
        self._texts = {}

    def _walk(self):
        for folder, names, files in os.walk(self.root):
            inside = pathlib.Path(folder).relative_to(self.root)
            names[:] = [name for name in names
                        if (inside / name).as_posix() not in IGNORED and name != "__pycache__"
                        and name[0] != "." and not name.endswith(".egg-info")]
            for name in files:
                if name[0] != ".":
                    yield pathlib.Path(folder, name).relative_to(self.root).as_posix()

    def lines(self, path):
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text(encoding="utf-8").splitlines()
        return self._texts[path]

    def sources(self, *suffixes):
        return (path for path in self.paths if path.endswith(suffixes))

    def is_python(self, path):
        if path.endswith(".py"):
            return True
        first = (self.lines(path) or [""])[0] if self.is_script(path) else ""
        return first.startswith("#!") and "python" in first

    def is_script(self, path):
        with open(self.root / path, "rb") as file:
            return file.read(2) == b"#!"


def folder_of(path):
    return path.partition("/")[0]


def may_use(user, used):
    """Whether a file in folder `user` may depend on folder `used`."""
    if user not in FOLDERS:
        return True
    return used in FOLDERS and FOLDERS.index(used) <= FOLDERS.index(user)


def points_right(user, used):
    return used in FOLDERS + OUTSIDE and not may_use(user, used)


def top_level_is_fixed(tree):
    for name in sorted({folder_of(path) for path in tree.paths} - TOP_LEVEL):
        yield f"{name}: the top level is fixed; this belongs into one of its folders"


def names_say_what_a_file_is(tree):
    for path in tree.paths:
        words = set(re.split(r"[/_.\-]", path.lower()))
        for word in sorted(words & FORBIDDEN_WORDS):
            yield f"{path}: '{word}' says nothing; name the noun that it holds"


def files_are_short(tree):
    for path in tree.paths:
        if path.endswith((".cc", ".h", ".py", ".bash", ".txt", ".cu")) or tree.is_script(path):
            count = len(tree.lines(path))
            if count > MAX_LINES:
                yield f"{path}: {count} lines, and {MAX_LINES} are allowed"


def folders_are_small(tree):
    """Limits the modules per folder. A source and its header are one module."""
    modules = {}
    for path in tree.sources(".h", ".cc", ".py"):
        if folder_of(path) in FOLDERS:
            folder, _, name = path.rpartition("/")
            modules.setdefault(folder, set()).add(name.rpartition(".")[0])
    for folder, names in sorted(modules.items()):
        if len(names) > MAX_MODULES:
            yield f"{folder}: {len(names)} modules, and {MAX_MODULES} are allowed; which belong together?"


def mentioned_files_exist(tree):
    """A file of the tree that a comment or document mentions must exist."""
    there = set(tree.paths)
    mention = re.compile(rf"(?<![\w/.-])((?:{'|'.join(FOLDERS + OUTSIDE)})/[\w/-]+\.(?:h|cc|py|md))\b")
    for path in tree.sources(".h", ".cc", ".py", ".md", ".txt"):
        if path.startswith("tests/structure/"):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            for match in mention.finditer(line):
                # CMake names files relative to its folder.
                beside = f"{path.rpartition('/')[0]}/{match[1]}"
                stands_for_others = re.search(r"\b[A-Z]+_", match[1]) or "NAME" in match[1]
                if not (INCLUDE.match(line) or stands_for_others or {match[1], beside} & there):
                    yield f"{path}:{number}: there is no {match[1]}"


def includes_point_left(tree):
    for path in tree.sources(".h", ".cc"):
        for number, line in enumerate(tree.lines(path), 1):
            match = INCLUDE.match(line)
            if match is None or match[1] == "<":
                continue
            used = folder_of(match[2])
            if used not in FOLDERS + OUTSIDE:
                yield f"{path}:{number}: \"{match[2]}\" is no include from the root"
            elif points_right(folder_of(path), used):
                yield f"{path}:{number}: {folder_of(path)} includes {match[2]}, to its right"


def steps_do_not_include_each_other(tree):
    steps = {match[1] for path in tree.paths if (match := STEP_ENTRY.fullmatch(path))}
    for path in tree.sources(".h", ".cc"):
        if folder_of(path) != "stages":
            continue
        user = path.split("/")[1]
        for number, line in enumerate(tree.lines(path), 1):
            match = INCLUDE.match(line)
            used = match[2].split("/")[1] if match and match[2].startswith("stages/") else user
            if used == user or user in COMPOSERS:
                continue
            if used in steps | COMPOSERS:
                yield f"{path}:{number}: {user} includes the step {used}; move left what both need"


TYPE = re.compile(r"^(?:template <[^>]*> )?(?:class|struct|enum class|enum) ([A-Z]\w+)"
                  r"(?: final)?(?: :|\s*\{|$)")
FUNCTION = re.compile(r"^(?!//|#|using|return|namespace|class|struct|enum|template)"
                      r"[A-Za-z_][\w:<>,&*\s\[\]]*?[\s&*>]([A-Z]\w*)\(")


def names_stand_in_one_header(tree):
    """A type or function at namespace scope is declared in one header only. The executor's headers
    are excluded, because they replace CUDA's and keep CUDA's names."""
    where = {}
    for path in tree.sources(".h"):
        if folder_of(path) not in FOLDERS or path.startswith(
                ("stages/cuda_executor/", "stages/verify/build/device_front_end/")):
            continue
        for line in tree.lines(path):
            match = TYPE.match(line) or FUNCTION.match(line)
            if match and match[1] not in OVERLOADS:
                where.setdefault(match[1], set()).add(path)
    for name, headers in sorted(where.items()):
        if len(headers) > 1:
            yield f"{min(headers)}: {name} stands in {' and in '.join(sorted(headers)[1:])} too"


def targets_point_left(tree):
    """The libraries that a folder's CMake target links must be to its left."""
    call = re.compile(r"\b(?:kernelmill_library|target_link_libraries|add_dependencies)\s*\(([^)]*)\)")
    for path in tree.paths:
        if not path.endswith(("CMakeLists.txt", ".cmake")):
            continue
        text = re.sub(r"#[^\n]*", "", "\n".join(tree.lines(path)))
        for match in call.finditer(text):
            user, *used = match[1].split() or [""]
            for target in used:
                folder = re.sub(r"_test$", "", target)
                if user in FOLDERS and points_right(user, folder):
                    line = text.count("\n", 0, match.start()) + 1
                    yield f"{path}:{line}: the target {user} links {target}, to its right"


def literals(tree, path):
    """Yields (line, text) for each string literal of a C++ or Python file, without includes."""
    if tree.is_python(path):
        for node in ast.walk(ast.parse("\n".join(tree.lines(path)))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.lineno, node.value
        return
    for number, line in enumerate(tree.lines(path), 1):
        if INCLUDE.match(line) is None:
            for match in STRING.finditer(line):
                yield number, match[1]


def run_time_paths_point_left(tree):
    """A string that names a file or folder of the tree is a dependency too."""
    names = set(tree.paths)
    for path in tree.paths:
        names.update(parent.as_posix() for parent in pathlib.PurePosixPath(path).parents)
    mention = re.compile(rf"(?<!\w)((?:{'|'.join(FOLDERS + OUTSIDE)})/[\w./-]+)")
    for path in tree.paths:
        user = folder_of(path)
        if user not in FOLDERS or not (path.endswith((".h", ".cc")) or tree.is_python(path)):
            continue
        for number, text in literals(tree, path):
            for match in mention.finditer(text):
                if match[1].rstrip("/.") in names and points_right(user, folder_of(match[1])):
                    yield f"{path}:{number}: {user} names {match[1]}, to its right"


def operators_stand_in_their_rows(tree):
    """Lists of operator names outside of the operator table, and places that no longer need one."""
    row = re.compile(r'\.name = "(\w+)"|\bpush_back\(\s*\w+Row<[^>]*>\(\s*"(\w+)"')
    operators = {name for path in tree.sources(".cc") if path.startswith(OPERATOR_TABLE)
                 for names in row.findall("\n".join(tree.lines(path))) for name in names if name}
    operators -= EVERYDAY_OPERATORS
    for path in tree.sources(".h", ".cc"):
        if folder_of(path) not in FOLDERS or path.startswith(OPERATOR_TABLE):
            continue
        named = sorted({text for _, text in literals(tree, path)} & operators)
        if len(named) > MAX_OPERATORS and not path.startswith(tuple(OPERATOR_PLACES)):
            yield (f"{path}: names {len(named)} operators, such as {', '.join(named[:3])}; "
                   "what is said of an operator stands in its row")
        if len(named) <= MAX_OPERATORS and path in OPERATOR_PLACES:
            yield f"{path}: names {len(named)} operators, so OPERATOR_PLACES need not list it"


def imports(tree, path):
    for node in ast.walk(ast.parse("\n".join(tree.lines(path)))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, node.module.partition(".")[0]


def third_parties_stay_in_their_place(tree):
    for path in tree.sources(".h", ".cc"):
        if folder_of(path) in OUTSIDE:
            continue
        for number, line in enumerate(tree.lines(path), 1):
            match = INCLUDE.match(line)
            for header, places in HEADER_PLACES.items():
                if match and match[2].startswith(header) and not path.startswith(places):
                    yield f"{path}:{number}: <{match[2]}> belongs to {' and '.join(places)} only"


def python_imports_stay_in_their_place(tree):
    for path in tree.paths:
        user = folder_of(path)
        if user not in FOLDERS or not tree.is_python(path):
            continue
        for number, package in imports(tree, path):
            places = IMPORT_PLACES.get(package)
            if places and not path.startswith(places):
                yield f"{path}:{number}: {package} is imported in {' and '.join(places)} only"
            if points_right(user, package):
                yield f"{path}:{number}: {user} imports {package}, to its right"


RULES = (top_level_is_fixed, names_say_what_a_file_is, files_are_short, folders_are_small,
         mentioned_files_exist, includes_point_left,
         steps_do_not_include_each_other, names_stand_in_one_header,
         operators_stand_in_their_rows, targets_point_left, run_time_paths_point_left,
         third_parties_stay_in_their_place,
         python_imports_stay_in_their_place)


def violations(root):
    tree = Tree(root)
    return [violation for rule in RULES for violation in rule(tree)]
