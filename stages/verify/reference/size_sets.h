// At which sizes a task is judged. A task's own are often far too large for a CPU, and an answer
// that is right there may be right nowhere else: so there are three sets. "own": the task's sizes,
// or the nearest that fit a budget; "feedback": others, which a message may name; "grading": others
// again, which no message names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// A number in the task's text that decides a size (stages/worker/torch_worker/task_sizes.py).
struct SizeSite {
  std::int64_t id = 0;
  std::int64_t value = 0;
  std::vector<std::string> names;  // Of the module-level names that it is bound to.
  bool inputs = false;             // get_inputs() depends on it,
  bool model = false;              // and so does the model.

  static Result<SizeSite> FromJson(const Json& json);
};

// {site id: value} of the sites that get another value.
using Sizes = std::map<std::int64_t, std::int64_t>;
Json ToJson(const Sizes& sizes);

// Smaller and smaller sizes. Powers of two stay such as long as they can, and what only the inputs
// depend on (a batch, a height) shrinks before what the model is made of.
std::vector<Sizes> ShrinkingSizes(const std::vector<SizeSite>& sites);

// Sizes near `own` that differ from it in as many sites as possible, then in fewer: odd ones, so
// that tails exist. `variant` 0 is for feedback, 1 and 2 are for grading; no two of them agree in a
// site that they change.
std::vector<Sizes> OtherSizes(const std::vector<SizeSite>& sites, const Sizes& own, int variant);

// {name: [old value, value at `sizes`]}: for the names that a candidate repeats.
Json RenamedValues(const std::vector<SizeSite>& sites, const Sizes& sizes);

}  // namespace kernelmill
