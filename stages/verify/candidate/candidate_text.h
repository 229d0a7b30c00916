// The code of an answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernelmill {

// A model's message: what stands in its first fenced block that defines ModelNew, else in its first
// fenced block. Reasoning before a closing </think> is passed over. A text without a fence is code
// as a whole when it defines ModelNew. Nothing otherwise.
std::optional<std::string> FindCandidateCode(std::string_view message);

}  // namespace kernelmill
