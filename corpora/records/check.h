// A check: Python code that accepts right implementations of a task and rejects wrong ones, with
// the candidates that it was tried on.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/record.h"

namespace kernelmill {

// One property that a check tests.
struct CheckAspect {
  std::string name;  // "fresh_values", "tails", "layout" …
  std::string what;  // For example "one less in dimension 1 of x".
  std::string why;   // A clause: what goes undetected without it.

  Json ToJson() const;
  static Result<CheckAspect> FromJson(const Json& json);
  friend bool operator==(const CheckAspect&, const CheckAspect&) = default;
};

struct Check {
  Digest task;          // content_id of the task.
  std::string backend;  // "cuda" or "musa": the device it runs on.
  // Python text that defines check(ModelNew), to be placed after the task's own text. It returns
  // for a right implementation and raises for a wrong one.
  std::string code;
  // How it iterates over cases and how it compares, for example "generator, scaled".
  std::string construction;
  std::vector<CheckAspect> aspects;  // In the order of the text.
  // The content_ids of the candidates that it was tried on: `passed` are right answers, all of
  // which it accepts; `caught` and `missed` are mutants.
  std::vector<std::string> passed, caught, missed;

  Json ToJson() const;
  static Result<Check> FromJson(const Json& json);
};

}  // namespace kernelmill
