// All configuration keys, in the order in which `kernelmill config` lists them.
#pragma once

#include <string>
#include <vector>

#include "manifests/config.h"

namespace kernelmill {

const std::vector<ConfigKey>& ConfigurationKeys();

// The output folder of a configuration file: "corpus.yaml" → "out/corpus".
std::string DefaultOutput(const std::string& configuration);

}  // namespace kernelmill
