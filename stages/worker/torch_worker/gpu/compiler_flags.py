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
# Flags that pass others on to the host's compiler.
_PASS_ON = ("-Xcompiler", "--compiler-options", "-Wp,", "-Xpreprocessor")
# Flags whose value may be the next word.
_WITH_VALUE = ("-I", "-L", "-l", "-O", "-std", "--std", "-arch", "--gpu-architecture", "-code", "--gpu-code",
               "-gencode", "--generate-code", "-Xptxas", "--ptxas-options", "-Xlinker", "-Xcudafe",
               "-maxrregcount", "--maxrregcount", "-t", "--threads", "--include-path", "--library",
               "-diag-suppress", "--diag-suppress", "-isystem", "-ccbin", "-m")
_KNOWN = ("-O", "-std", "--std", "-I", "-L", "-l", "-isystem", "--include-path", "--library", "-W", "--W", "-w",
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


def definitions(words):
    """[[name, value]] of the macros that the words define. Raises NotHere for an unknown flag."""
    words, found = list(words), []
    while words:
        word = words.pop(0).strip()
        define = next((flag for flag in _DEFINES if word.startswith(flag)), "")
        if word in _FAST_MATH:
            found.append(_macro("__USE_FAST_MATH__=1"))  # As nvcc does, among other things.
        elif (flag := word.replace("--", "-", 1).partition("="))[0] in _NUMERIC:
            value = flag[2] or (words.pop(0) if words else "")
            if value == _NUMERIC[flag[0]]:
                found.append([flag[0], value])
        elif define:
            text = word[len(define):].lstrip("=") or (words.pop(0) if words else "")
            if text and not text.startswith("-"):
                found.append(_macro(text))
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
