#include "parsers/samples/sample_numbers.h"

namespace kernelmill {
namespace {

SampleProblem Duplicate(const ModelSample& sample, std::string detail) {
  return {.reason = "duplicate_sample",
          .detail = std::move(detail),
          .task = sample.task,
          .id = sample.id,
          .attempt = sample.attempt};
}

}  // namespace

std::optional<SampleProblem> SampleNumbers::Add(ModelSample* sample) {
  if (!sample->id.empty() && !ids_.insert(sample->id).second) {
    return Duplicate(*sample, "the id " + sample->id + " occurs twice");
  }
  auto& turns = turns_[{sample->task, sample->backend, sample->retry}];
  if (!sample->attempt) {
    // Samples that name their attempts may have taken some.
    std::int64_t next = static_cast<std::int64_t>(turns.size());
    while (turns.contains(next)) ++next;
    sample->attempt = next;
  }
  if (turns[*sample->attempt].insert(sample->turn).second) return std::nullopt;
  return Duplicate(*sample, "attempt " + std::to_string(*sample->attempt) + " of task " +
                                sample->task + " occurs twice");
}

}  // namespace kernelmill
