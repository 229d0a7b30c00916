"""What the flags of a candidate's extension say to the judge's build: the macros that they define.

Optimisation, warnings, architectures, libraries and folders change nothing here. A flag that is not known
could change what the text means for a real compiler alone, so that it is not judged.
"""

from torch_worker.gpu.gpu_illusion import NotHere

_FAST_MATH = ("-use_fast_math", "--use_fast_math")
# Flags that change what kernels compute, and the value by which they do. No macro tells of them, so that they are
# listed under a name that no text can ask for (stages/verify/build/extension.h).
_NUMERIC = {"-ftz": "true", "-fmad": "false"}
_DEFINES = ("-D", "--define-macro")
_UNDEFINES = ("-U", "--undefine-macro")
# The name that the language is listed under, and languages by how -std= ends; dialects of GNU count as these.
LANGUAGE = "-std"
_LANGUAGES = {"11": "c++11", "0x": "c++11", "14": "c++14", "1y": "c++14", "17": "c++17", "1z": "c++17",
              "20": "c++20", "2a": "c++20", "23": "c++20", "2b": "c++20"}
# Flags that pass others on to the host's compiler.
_PASS_ON = ("-Xcompiler", "--compiler-options", "-Wp,", "-Xpreprocessor")
# Flags whose value may be the next word.
_WITH_VALUE = ("-I", "-L", "-l", "-O", "-arch", "--gpu-architecture", "-code", "--gpu-code",
               "-gencode", "--generate-code", "-Xptxas", "--ptxas-options", "-Xlinker", "-Xcudafe",
               "-maxrregcount", "--maxrregcount", "-t", "--threads", "--include-path", "--library",
               "-diag-suppress", "--diag-suppress", "-isystem", "-ccbin", "-m")
_KNOWN = ("-O", "-I", "-L", "-l", "-isystem", "--include-path", "--library", "-W", "--W", "-w",
          "-g", "-G", "-v", "--verbose", "--device-debug", "--debug", "-lineinfo", "--generate-line-info",
          "--source-in-ptx", "--resource-usage", "-res-usage", "-arch", "--gpu-architecture", "-code", "--gpu-code",
          "-gencode", "--generate-code", "-Xptxas", "--ptxas-options", "-Xcudafe", "-Xlinker", "-maxrregcount",
          "--maxrregcount", "-expt-", "--expt-", "-extended-lambda", "--extended-lambda",
          "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt", "-extra-device-vectorization",
          "--extra-device-vectorization", "-diag-", "--diag-", "-t", "--threads", "-m", "-fPIC", "-ffast-math",
          "-fopenmp", "-funroll-", "-fno-", "-fstrict-aliasing", "-fvisibility", "-fpermissive", "-ftree-",
          "-fomit-frame-pointer", "-ffp-contract", "-finline", "-allow-unsupported-compiler", "-ccbin", "-pthread",
          "-pipe", "--disable-warnings", "-Mllvm", "--musa-")


def _macro(text):
    name, given, value = text.partition("=")
    return [name, value if given else "1"]


def _language(name):
    _, plus, ending = name.rpartition("++")
    if not plus or ending not in _LANGUAGES:
        raise NotHere(f"the compiler's flag -std={name:.20}")
    return [LANGUAGE, _LANGUAGES[ending]]


def _without(found, name):
    """What -U of a name leaves."""
    left = [pair for pair in found if pair[0] != name]
    if len(left) == len(found) and name.startswith("_") and not name.startswith("__CUDA_NO_"):
        raise NotHere(f"the compiler's flag -U{name:.40}")  # It could be a compiler's own.
    return left


def definitions(words):
    """[[name, value]] of the macros that the words define, and of the other flags that say something to the build.
    Raises NotHere for an unknown flag."""
    words, found = list(words), []
    while words:
        word = words.pop(0).strip()
        define = next((flag for flag in _DEFINES if word.startswith(flag)), "")
        undefine = next((flag for flag in _UNDEFINES if word.startswith(flag)), "")
        if word in _FAST_MATH:
            found.append(_macro("__USE_FAST_MATH__=1"))  # As nvcc does, among other things.
        elif (flag := word.replace("--", "-", 1).partition("="))[0] in _NUMERIC:
            value = flag[2] or (words.pop(0) if words else "")
            if value == _NUMERIC[flag[0]]:
                found.append([flag[0], value])
        elif define:
            text = word[len(define):].lstrip("=") or (words.pop(0) if words else "")
            if text and not text.startswith("-"):
                found = [pair for pair in found if pair[0] != _macro(text)[0]]
                found.append(_macro(text))
        elif undefine:
            text = word[len(undefine):].lstrip("=") or (words.pop(0) if words else "")
            found = _without(found, text.strip())
        elif word.startswith(("-std", "--std")):
            found = [pair for pair in found if pair[0] != LANGUAGE]
            found.append(_language(word.partition("=")[2] or (words.pop(0) if words else "")))
        elif word.startswith(_PASS_ON):
            flag = next(flag for flag in _PASS_ON if word.startswith(flag))
            text = word[len(flag):].lstrip("= ") or (words.pop(0) if words else "")
            words[:0] = text.replace(",", " ").split()
        elif " " in word:
            words[:0] = word.split()
        elif word in _WITH_VALUE:
            del words[:1]
        elif word.startswith(("-", "@")) and not word.startswith(_KNOWN) or word.startswith("-Wa,"):
            raise NotHere(f"the compiler's flag {word:.60}")
    return [pair for index, pair in enumerate(found) if pair not in found[:index]]
