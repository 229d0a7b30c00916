#include "tools/cli/configuration.h"

#include "stages/recipes/step_table.h"

namespace kernelmill {

const std::vector<ConfigKey>& ConfigurationKeys() {
  static const std::vector<ConfigKey> keys = KeysOf(StepTable());
  return keys;
}

std::string DefaultOutput(const std::string& configuration) {
  const std::size_t slash = configuration.rfind('/');
  const std::string name = configuration.substr(slash == std::string::npos ? 0 : slash + 1);
  return "out/" + name.substr(0, name.rfind('.'));
}

}  // namespace kernelmill
