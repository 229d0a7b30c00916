// All keys that a configuration file may set, in the order in which `kernelmill config` lists them,
// and the folder in which its dataset lies by default. For the commands that load or list
// configurations (`sft`, `mine`, `demo`, `config`) and for shell completion.
#pragma once

#include <string>
#include <vector>

#include "manifests/config.h"

namespace kernelmill {

const std::vector<ConfigKey>& ConfigurationKeys();

// The output folder of a configuration file: "corpus.yaml" → "out/corpus".
std::string DefaultOutput(const std::string& configuration);

}  // namespace kernelmill
