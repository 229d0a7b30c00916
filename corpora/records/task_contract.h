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
  // Also that forward() leaves the module's buffers as the reference does, such as the running
  // statistics of training mode: "module_buffers"; otherwise "outputs_alone".
  bool module_buffers = false;

  // What either of two contracts asks for.
  TaskContract With(const TaskContract& other) const;
  // "fixed_shapes,contiguous,usual_values": a word for the sizes, the layouts and the values, and
  // "module_buffers" if it asks for these.
  std::string Text() const;
  // Reads the words of Text() in any order; a part that no word is for asks for the less. kUsage
  // for another word, or for two that contradict each other.
  static Result<TaskContract> Parse(std::string_view text);
  bool operator==(const TaskContract&) const = default;
};

// What answers in datasets of kernelmill's own have to be right under, whatever their task asks.
inline constexpr TaskContract kAnyShapeAndLayout = {true, true};

}  // namespace kernelmill
