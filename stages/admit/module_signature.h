// Reads which parameters the constructor and forward() of a mined module have, with their defaults,
// from its Python text. The repairs of "admit" use it to spell out the constructor's defaults, so
// that each can be changed, and to drop those that were not changed; AdmitStep uses it to name
// inputs that the task's record does not list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpora/records/mined_module.h"

namespace kernelmill {

struct SignatureParameter {
  std::string name;
  std::optional<std::string> default_value;  // Python source.
};

struct ModuleSignature {
  // Without self, up to the first *args or **kwargs. Empty when torch's own is inherited.
  std::vector<SignatureParameter> init;
  std::vector<SignatureParameter> forward;
};

// The signature of the class Model in `code`.
ModuleSignature ReadModuleSignature(const std::string& code);

// Adds the constructor's remaining defaults, so that each can be changed.
ArgumentSet WithDefaults(const ModuleSignature& signature, ArgumentSet arguments);
// Removes trailing arguments that equal their defaults.
ArgumentSet WithoutDefaults(const ModuleSignature& signature, ArgumentSet arguments);

}  // namespace kernelmill
