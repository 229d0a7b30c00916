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
  std::set<std::int64_t>& taken = attempts_[{sample->task, sample->backend, sample->turn, sample->retry}];
  if (!sample->attempt) {
    // Samples that name their attempts may have taken some.
    std::int64_t next = static_cast<std::int64_t>(taken.size());
    while (taken.contains(next)) ++next;
    sample->attempt = next;
  }
  if (taken.insert(*sample->attempt).second) return std::nullopt;
  return Duplicate(*sample, "attempt " + std::to_string(*sample->attempt) + " of task " +
                                sample->task + " occurs twice");
}

}  // namespace kernelmill
