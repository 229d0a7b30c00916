// The reasons for which a step drops or rejects an input. Steps give them by name; the card and the
// report of a dataset show the explanations. The list is closed, so that runs can be compared and
// every name in a report has an explanation.
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
// The explanation of a reason; empty when the name is not in the list.
std::string_view ExplainReason(std::string_view name);

}  // namespace kernelmill
