#include "parsers/samples/kernelbench_sample.h"

#include <charconv>

#include "parsers/byte_order_mark.h"

namespace kernelmill {
namespace {

constexpr std::string_view kSuffix = "_kernel.py";

// Reads `label` and a number off the front of `text`.
bool Take(std::string_view* text, std::string_view label, int* number) {
  if (!text->starts_with(label)) return false;
  text->remove_prefix(label.size());
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc() || end == text->data() || *number < 0) return false;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return true;
}

}  // namespace

std::optional<KernelBenchSampleName> KernelBenchSampleName::Parse(std::string_view name) {
  KernelBenchSampleName sample;
  const bool fits = Take(&name, "level_", &sample.level) &&
                    Take(&name, "_problem_", &sample.problem) &&
                    Take(&name, "_sample_", &sample.sample) && (name.empty() || name == kSuffix);
  return fits ? std::optional(sample) : std::nullopt;
}

bool KernelBenchSampleName::IsFile(std::string_view name) {
  return name.ends_with(kSuffix) && Parse(name);
}

std::string KernelBenchSampleName::Task() const {
  return "level_" + std::to_string(level) + "_problem_" + std::to_string(problem);
}

std::string KernelBenchSampleName::Key() const {
  return Task() + "_sample_" + std::to_string(sample);
}

ParsedSamples ParseKernelBenchFile(std::string_view name, std::string_view text) {
  const std::optional<KernelBenchSampleName> parsed = KernelBenchSampleName::Parse(name);
  if (!parsed) {
    return {{},
            {{.reason = "bad_sample",
              .detail = "the file is not named level_L_problem_P_sample_S_kernel.py"}}};
  }
  text = WithoutByteOrderMark(text);
  if (!IsUtf8(text)) {
    return {{},
            {{.reason = "not_utf8",
              .detail = "the code is not UTF-8",
              .task = parsed->Task(),
              .id = parsed->Key(),
              .attempt = parsed->sample}}};
  }
  ModelSample sample;
  sample.task = parsed->Task();
  sample.id = parsed->Key();
  sample.attempt = parsed->sample;
  sample.code_only = true;
  sample.message = text;
  sample.log_prob_problem = kLogProbsAbsent;
  return {{std::move(sample)}, {}};
}

}  // namespace kernelmill
