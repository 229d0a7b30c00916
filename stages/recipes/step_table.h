// The table of all steps and phases, and the recipes that list them. Dry runs, `status`, the card,
// the report and `config` read this table. A new step is a folder with a StepSpec
// (stages/engine/step_spec.h), an entry of the table, and its name in the recipes that use it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/config.h"
#include "stages/engine/step_spec.h"

namespace kernelmill {

// Every step and phase of every recipe. A step comes after the steps that it reads.
const std::vector<StepSpec>& StepTable();

// The steps that a command runs, by name and in order.
struct Recipe {
  std::string_view name;
  std::vector<std::string_view> steps;
};
const std::vector<Recipe>& AllRecipes();

// The entries of the table that the recipe `name` lists. Both must exist.
std::vector<StepSpec> StepsOf(std::string_view name,
                              const std::vector<StepSpec>& table = StepTable(),
                              const std::vector<Recipe>& recipes = AllRecipes());

// The names of those that are steps, and not phases that the command itself does.
std::vector<std::string> NamesOfSteps(const std::vector<StepSpec>& steps);

// The configuration keys of a run with these steps: those of every run, then those of each step.
std::vector<ConfigKey> KeysOf(const std::vector<StepSpec>& steps);
// kConfig or kNotFound if a step does not accept the value of one of its keys. Sources are checked
// by the recipes.
Status CheckSettings(const std::vector<StepSpec>& steps, const Config& config);

}  // namespace kernelmill
