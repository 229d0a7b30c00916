// Every configuration key there is, in the order in which `kernelmill config` lists them.
#pragma once

#include <vector>

#include "manifests/config.h"

namespace kernelmill {

const std::vector<ConfigKey>& ConfigurationKeys();

}  // namespace kernelmill
