"""Records the native extensions that a candidate asks for, and loads those that have been built.

Replaces torch.utils.cpp_extension, its equivalents of other backends and setuptools. An extension is identified
by the hash of its record. One that is not built yet is a placeholder; its first use ends the run
with NeedsBuild.
"""

import hashlib
import json
import os
import re
import sys
import types

import torch

from torch_worker.backends import BACKENDS
from torch_worker.gpu import compiler_flags

# Binds functions as a loader of an answer's own package does.
_BINDING = """
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{
{lines}
}}
"""
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_ANY_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b", re.MULTILINE)
_UNDEF = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(__CUDA_NO_\w+)", re.MULTILINE)
# COMMON_NVCC_FLAGS of torch.utils.cpp_extension, which come before an answer's own flags.
_COMMON = ["-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
           "-D__CUDA_NO_HALF2_OPERATORS__", "--expt-relaxed-constexpr"]
_DEVICE_SUFFIXES = tuple(suffix for backend in BACKENDS for suffix in backend.suffixes)
_MODULES = dict.fromkeys(module for backend in BACKENDS for module in backend.loaders)
# The parameters of load_inline for device sources and for the flags of the device's compiler.
_SOURCES = dict.fromkeys(backend.sources_keyword for backend in BACKENDS)
_FLAGS = dict.fromkeys(backend.flags_keyword for backend in BACKENDS)


# Where torch keeps what it builds, if no variable says otherwise.
_BUILD_ROOT = "/tmp/.cache/torch_extensions"


class NeedsBuild(BaseException):
    """An extension is not built yet. Not an Exception, because candidates catch those."""


class _Placeholder:
    """Stands for an extension that is not built yet."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NeedsBuild


def _texts(sources):
    if sources is None:
        return []
    return [sources] if isinstance(sources, str) else [str(text) for text in sources]


def _words(flags):
    if isinstance(flags, dict):
        flags = list(flags.values())
    if isinstance(flags, (list, tuple)):
        return sum((_words(item) if isinstance(item, (list, tuple)) else _texts(item) for item in flags), [])
    return _texts(flags)


def _defines(flags):
    return compiler_flags.definitions(_words(flags))


def _before_includes(text):
    return text[:found.start()] if (found := _ANY_INCLUDE.search(text)) else text


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _headers(paths, folders):
    """The files that sources include by quoted names, beside them or in `folders`."""
    found, stack = {}, [(path, _read(path)) for path in paths]
    while stack and len(found) < 64:
        path, text = stack.pop()
        for name in _INCLUDE.findall(text):
            for folder in [os.path.dirname(path), *folders]:
                header = os.path.join(folder, name)
                if name not in found and os.path.isfile(header):
                    found[name] = _read(header)
                    stack.append((header, found[name]))
    return found


class Extensions:
    """`libraries`: {hash: {"path", "torch_library", "error"}} of the extensions whose build has
    ended; `load` loads one."""

    def __init__(self, backend, libraries, load):
        self.backend = backend
        self.wanted = {}
        self._libraries, self._load, self._loaded = libraries, load, {}
        self.common_flags = list(_COMMON)  # COMMON_NVCC_FLAGS: an answer may change the list.

    def _device_defines(self, flags, texts=()):
        """Those of the device's compiler. `texts`: of files, which may undefine some of them before they include
        anything; torch's loader includes torch's headers before the texts of load_inline."""
        common = _words(self.common_flags) if self.backend == "cuda" else []
        undone = [f"-U{name}" for text in texts for name in _UNDEF.findall(_before_includes(text))]
        return compiler_flags.definitions([*common, *_words(flags), *undone])

    def _extension(self, record):
        record["backend"] = self.backend
        text = json.dumps(record, sort_keys=True, ensure_ascii=False)
        key = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        if key in self._loaded:
            return self._loaded[key]
        library = self._libraries.get(key)
        if library is None:
            self.wanted[key] = record
            return _Placeholder()
        if library["error"]:
            raise RuntimeError(f"Error building extension '{record['name']}': {library['error']}")
        self._loaded[key] = self._load(library)
        return self._loaded[key]

    def load_inline(self, name, cpp_sources=None, cuda_sources=None, functions=None,
                    extra_cflags=None, extra_cuda_cflags=None, extra_ldflags=None,
                    extra_include_paths=None, is_python_module=True, **others):
        given = {"cuda_sources": cuda_sources, "extra_cuda_cflags": extra_cuda_cflags, **others}
        device_texts = sum((_texts(given.get(name)) for name in _SOURCES), [])
        extension = self._extension({
            "name": str(name), "cpp_sources": _texts(cpp_sources),
            "cuda_sources": device_texts,
            "headers": {},
            "functions": [str(item) for item in ([functions] if isinstance(functions, str)
                                                 else functions or [])],
            "cpp_defines": _defines(extra_cflags),
            "defines": self._device_defines(sum((_words(given.get(name)) for name in _FLAGS), []),
                                            device_texts if others.get("no_implicit_headers") else ())})
        return extension if is_python_module else None

    def _load_inline_of_package(self, name, cpp_sources=None, cuda_sources=None, functions=None,
                                is_python_module=True, **others):
        """load_inline of an answer's own package. Such loaders hand one text to the device's
        compiler, so kernels may lie in the C++ sources, and functions are bound behind them all."""
        texts = _texts(cpp_sources)
        if not any("__global__" in text for text in texts):
            return self.load_inline(name, cpp_sources, cuda_sources, functions,
                                    is_python_module=is_python_module, **others)
        texts += sum((_texts(given) for keyword, given in
                      {"cuda_sources": cuda_sources, **others}.items() if keyword in _SOURCES), [])
        names = [str(item) for item in _texts(functions)]
        if names and not any("PYBIND11_MODULE" in text for text in texts):
            texts[-1] += _BINDING.format(lines="\n".join(f'  m.def("{item}", &{item});'
                                                         for item in names))
        return self.load_inline(name, None, texts, is_python_module=is_python_module,
                                **{keyword: given for keyword, given in others.items()
                                   if keyword not in _SOURCES})

    def load(self, name, sources, extra_cflags=None, extra_cuda_cflags=None, extra_ldflags=None,
             extra_include_paths=None, is_python_module=True, **_ignored):
        extension = self._from_files(name, sources, extra_include_paths, extra_cflags, extra_cuda_cflags)
        return extension if is_python_module else None

    def _from_files(self, name, sources, folders, cpp_flags, device_flags, defines=()):
        paths = [str(path) for path in _texts(sources)]
        native = [path for path in paths if path.endswith(_DEVICE_SUFFIXES)]
        plain = [path for path in paths if path not in native]
        device_texts = [_read(path) for path in native]
        return self._extension({
            "name": str(name), "cpp_sources": [_read(path) for path in plain],
            "cuda_sources": device_texts,
            "headers": _headers(paths, [str(folder) for folder in folders or []]),
            "functions": [], "cpp_defines": [*_defines(cpp_flags), *defines],
            "defines": [*self._device_defines(device_flags, device_texts), *defines]})

    def _setup(self, ext_modules=(), **_ignored):
        for item in ext_modules:
            name, sources, options = item
            flags = options.get("extra_compile_args")
            if not isinstance(flags, dict):
                flags = dict.fromkeys(("cxx", "nvcc"), flags)
            built = self._from_files(name, sources, options.get("include_dirs"), flags.get("cxx"),
                                     [flags[side] for side in flags if side != "cxx"],
                                     [[key, value or ""] for key, value in options.get("define_macros") or []])
            sys.modules[str(name)] = built

    def install(self):
        self._parts = parts = {"load": self.load, "load_inline": self.load_inline,
                 "CppExtension": _described, "BuildExtension": _BuildExtension,
                 "include_paths": lambda *_, **__: [], "library_paths": lambda *_, **__: [],
                 "is_ninja_available": lambda: True, "verify_ninja_availability": lambda: None,
                 "get_default_build_root": lambda: _BUILD_ROOT,
                 "get_compiler_abi_compatibility_and_version": lambda *_: (True, "12.0"),
                 "check_compiler_ok_for_platform": lambda *_: True,
                 "check_compiler_is_gcc": lambda *_: True, "get_cxx_compiler": lambda: "c++",
                 "COMMON_NVCC_FLAGS": self.common_flags, "COMMON_HIP_FLAGS": [], "TORCH_LIB_PATH": "/usr/lib",
                 "IS_WINDOWS": False, "IS_MACOS": False, "IS_LINUX": True, "ROCM_HOME": None,
                 "CUDNN_HOME": None, "IS_HIP_EXTENSION": False, "ROCM_VERSION": None}
        for backend in BACKENDS:
            parts[f"{backend.title}Extension"] = _described
            parts[f"{backend.title}_HOME"] = f"/usr/local/{backend.name}"
        for name in _MODULES:
            parent = name.rpartition(".")[0]
            if parent not in sys.modules:
                if parent.partition(".")[0] not in sys.modules:
                    continue  # The parent is a package of another backend.
                sys.modules[parent] = types.ModuleType(parent)
            self._add(name, parts)
        setuptools = types.ModuleType("setuptools")
        setuptools.setup = self._setup
        setuptools.Extension = _described
        setuptools.find_packages = lambda *_, **__: []
        sys.modules["setuptools"] = setuptools

    @staticmethod
    def _add(name, parts):
        module = types.ModuleType(name)
        vars(module).update(parts)
        sys.modules[name] = module
        parent = name.rpartition(".")[0]
        if parent:
            setattr(sys.modules[parent], name.rpartition(".")[2], module)

    def provide(self, names):
        """Adds loaders that an answer imports from packages of its own, and these packages."""
        for name in sorted(names):
            parts = name.split(".")
            for count in range(1, len(parts)):
                package = ".".join(parts[:count])
                if package not in sys.modules:
                    self._add(package, {"__path__": []})
            self._add(name, {**self._parts, "load_inline": self._load_inline_of_package})

    def loader(self, runtime):
        """Makes km_cuda load libraries. A library is an object, or registers itself in
        torch.ops."""
        def load(library):
            loaded = runtime.load(library["path"])
            return torch.ops if library["torch_library"] else loaded
        self._load = load


def _described(name, sources, *_, **options):
    """An extension that a text describes for setup()."""
    return str(name), sources, options


class _BuildExtension:
    @classmethod
    def with_options(cls, **_options):
        return cls
