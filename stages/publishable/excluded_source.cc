#include "stages/publishable/excluded_source.h"

#include <algorithm>

namespace kernelmill {

bool IsExcluded(const std::string& url, const std::vector<std::string>& excluded) {
  return std::any_of(excluded.begin(), excluded.end(),
                     [&](const std::string& beginning) { return url.starts_with(beginning); });
}

bool AreExcluded(const std::vector<Origin>& origins, const std::vector<std::string>& excluded) {
  return !origins.empty() && std::all_of(origins.begin(), origins.end(), [&](const Origin& origin) {
    return IsExcluded(origin.url, excluded);
  });
}

}  // namespace kernelmill
