// The plan of a check, derived from the facts of a task: the inputs that the check tries, and the
// properties of results that it verifies beside their values. A check is Python that tests any
// ModelNew for the task; the step "check" plans it, has WriteCheck() (check_text.h) write it, and
// tries it on right and wrong answers.
#pragma once

#include <string>
#include <vector>

#include "generators/checks/value_cases.h"
#include "generators/known_task/known_task.h"

namespace kernelmill {

struct CheckPlan {
  std::string device;               // "cuda" or "musa".
  std::vector<std::string> inputs;  // Python names for what get_inputs() returns.
  std::vector<int> seeds;           // Of get_inputs().
  std::vector<CheckCase> cases;
  bool seeds_models = false;     // The module has parameters.
  bool spreads_constants =
      false;                     // Some parameters may begin as one constant, and get other values.
  bool several_outputs = false;  // forward() returns a tuple.
  bool all_integers = false;     // Every output has an integer type or bool.
  bool some_integers = false;    // Some outputs have one, others do not.
  bool in_double = false;        // The reference can also run in float64.
  double tolerance = 1e-4;
  bool watches_inputs = false;     // Inputs must not be written to.
  bool calls_again = false;        // A second call, after one with other inputs, gives the same.
  // What the task calls and computes something, as its text spells it ("linear").
  std::vector<std::string> computing_operators;
  bool adds_up = false;  // One of them adds elements up.
  // The operators that may run here, as torch dispatches them ("empty"); empty where that is not
  // looked at.
  std::vector<std::string> allowed_operators;

  // All aspects that the check covers, the values of fresh inputs first.
  std::vector<CheckAspect> Aspects(const Wording& wording) const;
};

// `wording` chooses among the aspects that the task allows. Whether the reference itself passes the
// check is only known once it has run.
CheckPlan PlanCheck(const KnownTask& known, std::string_view backend, const Wording& wording);

}  // namespace kernelmill
