// A rate over tasks with its confidence interval: every score is the mean of one value per task.
//
// The interval is Wilson's score interval. Unlike the normal one it stays within 0 and 1 and is not
// empty when every task passes or none does, which is common here. Samples of one task resemble
// each other, so the unit is the task: the tasks are taken as drawn at random from the tasks that
// the model could be asked. For values of 0 and 1, one a task, it is Wilson's interval with the
// number of tasks n. Values between vary less than that, so n becomes the effective number
// p (1 − p) / s² · tasks, where p is the mean and s² the variance of the values (as in the design
// effect of Korn and Graubard, "Confidence intervals for proportions with small expected number of
// positive counts", 1998), but at most the number of samples.
#pragma once

#include <cstdint>
#include <vector>

#include "manifests/json.h"

namespace kernelmill {

// The confidence of every interval.
inline constexpr double kConfidence = 0.95;

struct Rate {
  double value = 0;  // The mean over the tasks, 0 to 1.
  double low = 0;    // The interval that holds the true mean with probability kConfidence.
  double high = 0;
  std::int64_t tasks = 0;  // That the mean is over.

  // {"value", "low", "high", "tasks"}.
  Json ToJson() const;
};

// The rate of tasks with these values, each 0 to 1, which `samples` samples in all gave. Requires a
// task, and at least one sample for each.
Rate RateOf(const std::vector<double>& values, std::int64_t samples);

}  // namespace kernelmill
