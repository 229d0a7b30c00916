// What a check looks at, decided by the task's facts: which inputs it tries, and what it asks of the
// results beside their values.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/check.h"
#include "generators/known_task/known_task.h"

namespace kernelmill {

// One set of inputs that is made from those of get_inputs().
struct CheckCase {
  CheckAspect aspect;               // What a failure names is its `what`.
  std::vector<std::string> inputs;  // Python expressions of CheckPlan::inputs, one an input.
};

struct CheckPlan {
  std::string device;               // "cuda" or "musa".
  std::vector<std::string> inputs;  // Python names for what get_inputs() returns.
  std::vector<int> seeds;           // Of get_inputs().
  std::vector<CheckCase> cases;
  bool seeds_models = false;     // The module has parameters.
  bool several_outputs = false;  // forward() returns a tuple.
  bool whole = false;            // Every output is of whole numbers or bools.
  bool whole_too = false;        // Some are, others not.
  bool in_double = false;        // The reference can be run in float64 beside.
  double tolerance = 1e-4;
  bool watches_inputs = false;     // They must not be written to.
  bool repeats = false;            // A second call, after one with other inputs, gives the same.
  // Operators that the reference runs, as torch dispatches them ("addmm"), and that must not run
  // here; empty where that is not looked at.
  std::vector<std::string> refused;

  // All that it looks at, the values of fresh inputs first.
  std::vector<CheckAspect> Aspects(const Wording& wording) const;
};

// `wording`: chooses among what the task allows. What is wanted of a check does not always hold for
// the reference itself, which only running it shows.
CheckPlan PlanCheck(const KnownTask& known, std::string_view backend, const Wording& wording);

}  // namespace kernelmill
