#include "corpora/records/task_contract.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace kernelmill {
namespace {

// The words for one part of a contract, first the one for less.
using Words = std::array<std::string_view, 2>;
constexpr Words kShapes = {"fixed_shapes", "any_shape"};
constexpr Words kLayouts = {"contiguous", "any_layout"};
constexpr Words kValues = {"usual_values", "any_values"};
constexpr Words kState = {"outputs_alone", "module_buffers"};

}  // namespace

TaskContract TaskContract::With(const TaskContract& other) const {
  return {any_shape || other.any_shape, any_layout || other.any_layout,
          any_values || other.any_values, module_buffers || other.module_buffers};
}

std::string TaskContract::Text() const {
  return std::string(kShapes[any_shape]) + "," + std::string(kLayouts[any_layout]) + "," +
         std::string(kValues[any_values]) + (module_buffers ? "," + std::string(kState[true]) : "");
}

Result<TaskContract> TaskContract::Parse(std::string_view text) {
  std::optional<bool> shape, layout, values, state;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    bool known = false;
    for (const bool any : {false, true}) {
      for (const auto& [words, part] : {std::pair(kShapes, &shape), std::pair(kLayouts, &layout),
                                        std::pair(kValues, &values), std::pair(kState, &state)}) {
        if (word != words[any]) continue;
        known = part->value_or(any) == any;
        *part = any;
      }
    }
    if (!known) {
      return Status(ErrorCode::kUsage,
                    "a contract is fixed_shapes or any_shape, contiguous or any_layout, "
                    "usual_values or any_values, and outputs_alone or module_buffers, separated by "
                    "commas; '" +
                        std::string(word) + "' does not fit");
    }
  }
  return TaskContract{shape.value_or(false), layout.value_or(false), values.value_or(false),
                      state.value_or(false)};
}

}  // namespace kernelmill
