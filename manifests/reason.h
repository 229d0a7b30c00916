// Why something was dropped or rejected: a closed list, so that counts can be compared between runs
// and every name in a report has an explanation.
#pragma once

#include <string_view>
#include <vector>

namespace kernelmill {

struct Reason {
  std::string_view name;
  std::string_view explanation;
};

// Every reason, sorted by name.
const std::vector<Reason>& AllReasons();
// The explanation, or an empty view when the name is not in the list.
std::string_view ExplainReason(std::string_view name);

}  // namespace kernelmill
