#include "stages/publishable/excluded_source.h"

#include <algorithm>

namespace kernelmill {

bool IsExcluded(const std::string& url, const std::vector<std::string>& excluded) {
  return std::any_of(excluded.begin(), excluded.end(),
                     [&](const std::string& beginning) { return url.starts_with(beginning); });
}

}  // namespace kernelmill
