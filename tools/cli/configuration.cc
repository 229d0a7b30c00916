#include "tools/cli/configuration.h"

#include "stages/sft_pipeline.h"

namespace kernelmill {

const std::vector<ConfigKey>& ConfigurationKeys() {
  static const std::vector<ConfigKey> keys = SftKeys();
  return keys;
}

}  // namespace kernelmill
