// Finds the code in a model's message, or in the record of a sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "corpora/records/sample.h"

namespace kernelmill {

// The contents of the message's first fenced block that defines ModelNew, or else of its first
// fenced block. Reasoning before a closing </think> is skipped. A text without a fence is code as a
// whole if it defines ModelNew. Nothing otherwise.
std::optional<std::string> FindCandidateCode(std::string_view message);

// The candidate's Python in a sample: its code alone, or FindCandidateCode() of its message.
std::optional<std::string> CodeOfSample(const Sample& sample);

// The number of different fenced blocks that define ModelNew. A message with several of them leaves
// open which is the answer: FindCandidateCode() takes the first.
std::int64_t CountCandidates(std::string_view message);

}  // namespace kernelmill
