// The plan of a check, derived from the facts of a task: the inputs that the check tries, and the
// properties of results that it verifies beside their values. A check is Python that tests any
// ModelNew for the task; the step "check" plans it, has WriteCheck() (check_text.h) write it, and
// tries it on right and wrong answers.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/check.h"
#include "generators/known_task/known_task.h"

namespace kernelmill {

// One set of inputs, derived from those of get_inputs().
struct CheckCase {
  CheckAspect aspect;               // A failure is reported under its `what`.
  std::vector<std::string> inputs;  // Python expressions of CheckPlan::inputs, one an input.
};

struct CheckPlan {
  std::string device;               // "cuda" or "musa".
  std::vector<std::string> inputs;  // Python names for what get_inputs() returns.
  std::vector<int> seeds;           // Of get_inputs().
  std::vector<CheckCase> cases;
  bool seeds_models = false;     // The module has parameters.
  bool several_outputs = false;  // forward() returns a tuple.
  bool all_integers = false;     // Every output has an integer type or bool.
  bool some_integers = false;    // Some outputs have one, others do not.
  bool in_double = false;        // The reference can also run in float64.
  double tolerance = 1e-4;
  bool watches_inputs = false;     // Inputs must not be written to.
  bool calls_again = false;        // A second call, after one with other inputs, gives the same.
  // Operators that the reference runs, as torch dispatches them ("addmm"), and that must not run
  // here; empty where that is not looked at.
  std::vector<std::string> forbidden_operators;

  // All aspects that the check covers, the values of fresh inputs first.
  std::vector<CheckAspect> Aspects(const Wording& wording) const;
};

// `wording` chooses among the aspects that the task allows. Whether the reference itself passes the
// check is only known once it has run.
CheckPlan PlanCheck(const KnownTask& known, std::string_view backend, const Wording& wording);

}  // namespace kernelmill
