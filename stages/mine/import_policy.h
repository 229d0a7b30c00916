// Decides what mined Python may import and use. CutSlice() (slicer.h) rejects a class that needs
// anything else; the index of a repository and the evaluator (evaluate/functions.cc) ask which
// names are torch's or Python's. Other modules are not installed for the worker, or do things that
// no tensor program needs. This keeps tasks to tensor programs; the machine is protected by the
// worker's sandbox.
#pragma once

#include <string_view>

namespace kernelmill {

// Whether `module` belongs to a known package from outside the repository, allowed or not: torch,
// numpy, the standard library.
bool IsKnownModule(std::string_view module);
// Whether a slice may import `module`: torch, numpy, einops and harmless standard modules, without
// the parts of torch that load files, start processes or compile.
bool IsAllowedModule(std::string_view module);
// Whether a dotted name with resolved imports is refused, e.g. "torch.load".
bool IsRefusedChain(std::string_view full_name);
// Whether a builtin is refused: exec, eval, open …
bool IsRefusedBuiltin(std::string_view name);
bool IsBuiltin(std::string_view name);
// Whether the name, judged by its spelling, is that of a module class of torch.nn:
// "torch.nn.Module", "torch.nn.Conv2d", "torch.nn.modules.module.Module" …
bool IsTorchModuleClass(std::string_view full_name);

}  // namespace kernelmill
