// A check: Python that tells implementations of a task that are right from those that are wrong,
// and on which candidates of the dataset it has shown that it does.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/record.h"

namespace kernelmill {

// One thing that a check looks at.
struct CheckAspect {
  std::string name;  // "fresh_values", "tails", "layout" …
  std::string what;  // "one less in dimension 1 of x".
  std::string why;   // What goes wrong without it: a clause.

  Json ToJson() const;
  static Result<CheckAspect> FromJson(const Json& json);
  friend bool operator==(const CheckAspect&, const CheckAspect&) = default;
};

struct Check {
  Digest task;          // content_id of the task.
  std::string backend;  // "cuda" or "musa": the device that it runs on.
  // Python text that defines check(ModelNew), to stand below the task's own. It returns for what is
  // right, and raises for what is not.
  std::string code;
  std::string form;  // How it is built: "generator, scaled".
  std::vector<CheckAspect> aspects;  // In the order of the text.
  // content_ids of the candidates that it was run on: right answers, all of which it lets pass, and
  // mutants of them.
  std::vector<std::string> passed, caught, missed;

  Json ToJson() const;
  static Result<Check> FromJson(const Json& json);
};

}  // namespace kernelmill
