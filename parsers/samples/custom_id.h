// The names that requests for samples have (custom_id, rid), by which the answers come back joined
// to their tasks: TASK[:BACKEND][:ATTEMPT][:tTURN][:rRETRY], for example "3fa9…:cuda:2:t1".
// `export --format prompts` writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "corpora/kernel_backend.h"

namespace kernelmill {

inline constexpr std::size_t kRetryDigits = 12;
// Whether `text` is the name of a retry buffer.
bool IsRetryName(std::string_view text);

struct CustomId {
  std::string task;
  const KernelBackend* backend = nullptr;  // Null if the id names none.
  std::optional<std::int64_t> attempt;     // From 0.
  std::int64_t turn = 1;
  // Of the answer to a repair prompt: kRetryDigits hexadecimal digits that name the retry buffer
  // (stages/retry/repair_request.h). Empty for other answers.
  std::string retry;

  std::string Text() const;
  // Any text is an id: what does not follow the form is the name of the task as a whole.
  // KernelBench's names of samples, level_L_problem_P_sample_S, name a task and an attempt too.
  static CustomId Parse(std::string_view text);

  friend bool operator==(const CustomId&, const CustomId&) = default;
};

}  // namespace kernelmill
