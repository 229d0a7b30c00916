// Numbers the samples of a file and finds those that occur twice.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "parsers/samples/sample_format.h"

namespace kernelmill {

// One object serves one file; samples are added in the order of the file.
class SampleNumbers {
 public:
  // Fills in the attempt of a sample that names none: the first number from that of the attempts so
  // far on that no sample of its task and backend has, in whatever turn, because nothing says which
  // conversation it goes on with. Answers to repair prompts are counted apart. The problem
  // "duplicate_sample" if an earlier sample has its id, or its task, backend, attempt, turn and
  // retry.
  std::optional<SampleProblem> Add(ModelSample* sample);

 private:
  // Task, backend, retry.
  using Group = std::tuple<std::string, const KernelBackend*, std::string>;

  std::set<std::string> ids_;
  std::map<Group, std::map<std::int64_t, std::set<std::int64_t>>> turns_;  // Of each attempt.
};

}  // namespace kernelmill
