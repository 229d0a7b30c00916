// What mined Python may import and reach. Modules outside of the list are not installed for the
// worker, or give a slice powers that no tensor program needs; the sandbox is what protects the
// machine, this list keeps tasks to what they are about.
#pragma once

#include <string_view>

namespace kernelmill {

// A package that is not the repository's own, allowed or not: torch, numpy, the standard library.
bool IsKnownModule(std::string_view module);
// Whether a slice may import it: DESIGN's list, without the parts of torch that load files, start
// processes or compile.
bool IsAllowedModule(std::string_view module);
// A dotted name as written after its imports are resolved, e.g. "torch.load": refused ones.
bool IsRefusedChain(std::string_view full_name);
// A builtin that is refused: exec, eval, open …
bool IsRefusedBuiltin(std::string_view name);
bool IsBuiltin(std::string_view name);
// "torch.nn.Module", "torch.nn.Conv2d", "torch.nn.modules.module.Module" …
bool IsTorchModuleClass(std::string_view full_name);

}  // namespace kernelmill
