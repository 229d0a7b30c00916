// The contract of a task: what it asks an answer to handle beside its own inputs. A verdict is
// "correct" for an answer that is right under its task's contract; what an answer does beyond it is
// graded (VerdictGenerality in verdict.h).
#pragma once

#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

struct TaskContract {
  bool any_shape = false;   // Other sizes than the task's own; otherwise "fixed_shapes".
  bool any_layout = false;  // Inputs in any memory layout; otherwise "contiguous".
  // Also rare values, such as NaN; otherwise "usual_values" (value_kinds.py).
  bool any_values = false;

  // "fixed_shapes,contiguous,usual_values": a word for the sizes, the layouts and the values.
  std::string Text() const;
  // Reads the words of Text() in any order; a part that no word is for asks for the less. kUsage
  // for another word, or for two that contradict each other.
  static Result<TaskContract> Parse(std::string_view text);
  bool operator==(const TaskContract&) const = default;
};

// What answers in datasets of kernelmill's own have to be right under, whatever their task asks.
inline constexpr TaskContract kAnyShapeAndLayout = {true, true};

}  // namespace kernelmill
