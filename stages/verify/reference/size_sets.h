// Proposes the sizes at which a task is judged; ReferenceRuns (reference_runs.h) takes the first
// that the reference runs at within a budget. The task's own sizes are often far too large for a
// CPU, and an answer that is right at them may be right at no others, so there are several sets.
// The base set: the task's sizes, or if they do not fit the budget, the task's own but for those
// along which the reference is independent, or the nearest sizes that fit (in JSON it is called
// "own"); "feedback": other sizes, which a message to a model may name; "grading": other sizes
// again, which no message names. Three more sets are for the gate full_size where the base set has
// smaller sizes than the task: "full", the task's own; "batch", the task's own but for those along
// which the reference is independent; "each", one size or two at their own values and the others as
// in the base set or smaller. "calls" has small sizes, for many calls in one process (many_calls.h);
// "values" has sizes at which a trial for each kind of values is affordable.
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
  std::vector<std::string> names;  // The module-level names that it is bound to.
  bool inputs = false;             // get_inputs() depends on it.
  bool model = false;              // The model depends on it.

  static Result<SizeSite> FromJson(const Json& json);
};

// {site id: value}, for the sites that get another value than in the text.
using Sizes = std::map<std::int64_t, std::int64_t>;
Json ToJson(const Sizes& sizes);

// Smaller and smaller sizes, to be tried in this order. Powers of two stay powers of two as long as
// possible, other sizes leave a last tile or vector as incomplete as in the task, and sizes that
// only the inputs depend on (a batch, a height) shrink before sizes that the model depends on.
std::vector<Sizes> ShrinkingSizes(const std::vector<SizeSite>& sites);

// Sizes near `base`, to be tried in this order: first they differ from it in as many sites as
// possible, then in fewer. They are odd, so that a kernel's last block is incomplete; those of
// variant 3 are larger, and whole vectors and warps where they can be: a kernel may have a path of its
// own for such. `variant` 0 is
// for feedback, 1 to 3 are for grading; no two variants give a site that they change the same value.
std::vector<Sizes> OtherSizes(const std::vector<SizeSite>& sites, const Sizes& base, int variant);

// The task's own sizes but for these sites, which shrink to no less than `least`, to be tried in
// this order: the first are changed first, and least.
std::vector<Sizes> BatchSizes(const std::vector<SizeSite>& sites,
                              const std::vector<std::int64_t>& independent, std::int64_t least);

// The sites `own` at their own values, and the others as in the base set, then smaller and smaller,
// to be tried in this order.
std::vector<Sizes> EachSizes(const std::vector<SizeSite>& sites, const Sizes& base,
                             const std::vector<std::int64_t>& own);

// "batch_size = 4, width = 64": the values at `sizes` of the sites that `named` holds, with their
// names in the text.
std::string SiteValuesText(const std::vector<SizeSite>& sites, const Sizes& named,
                           const Sizes& sizes);

// {name: [value in the text, value at `sizes`]}, for candidates that repeat the names.
Json RenamedValues(const std::vector<SizeSite>& sites, const Sizes& sizes);

}  // namespace kernelmill
