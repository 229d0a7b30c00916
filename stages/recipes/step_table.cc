#include "stages/recipes/step_table.h"

#include <algorithm>
#include <cassert>

#include "stages/admit/admit_spec.h"
#include "stages/answer/answer_spec.h"
#include "stages/buffer/buffer_spec.h"
#include "stages/check/check_spec.h"
#include "stages/compile/compile_ports_spec.h"
#include "stages/dedup/dedup_spec.h"
#include "stages/fetch/fetch_spec.h"
#include "stages/generate/generate_spec.h"
#include "stages/join/join_spec.h"
#include "stages/measure/measure_spec.h"
#include "stages/mine/mining_specs.h"
#include "stages/mix/mix_spec.h"
#include "stages/pack/pack_spec.h"
#include "stages/perturb/perturb_spec.h"
#include "stages/recall/recall_spec.h"
#include "stages/recipes/source_entries.h"
#include "stages/render/render_spec.h"
#include "stages/reward/reward_spec.h"
#include "stages/sample/sample_spec.h"
#include "stages/select/select_spec.h"
#include "stages/supply/supply_spec.h"
#include "stages/verify/run/verify_spec.h"

namespace kernelmill {

const std::vector<StepSpec>& StepTable() {
  static const std::vector<StepSpec> table = {
      FetchSpec(),      WalkSpec(),         ReadSpec(),         IndexSpec(),
      SliceSpec(),      IndexKernelsSpec(), SliceKernelsSpec(), IndexPortsSpec(),
      SlicePortsSpec(), SampleSpec(),       GenerateSpec(),     SupplySpec(),
      RecallSpec(),     AdmitSpec(),        CompilePortsSpec(), DedupSpec(),
      AnswerSpec(),     PerturbSpec(),      CheckSpec(),        JoinSpec(),
      VerifySpec(),     BufferSpec(),       SelectSpec(),       RewardSpec(),
      RenderSpec(),     MeasureSpec(),      MixSpec(),          PackSpec(),
  };
  return table;
}

const std::vector<Recipe>& AllRecipes() {
  static const std::vector<Recipe> recipes = {
      {"mine",
       {"fetch", "walk", "read", "index", "slice", "index_kernels", "slice_kernels", "index_ports",
        "slice_ports", "sample"}},
      {"sft",
       {"fetch",         "walk",          "read",        "index",  "slice",    "index_kernels",
        "slice_kernels", "index_ports",   "slice_ports", "sample", "generate", "supply",
        "admit",         "compile_ports", "dedup",       "answer", "perturb",  "check",
        "render",        "measure",       "mix",         "pack"}},
      {"rft",
       {"supply", "recall", "admit", "join", "verify", "buffer", "select", "reward", "render",
        "measure", "mix", "pack"}},
      {"ask", {"supply", "recall", "admit"}},
  };
  return recipes;
}

std::vector<StepSpec> StepsOf(std::string_view name, const std::vector<StepSpec>& table,
                              const std::vector<Recipe>& recipes) {
  const auto recipe = std::find_if(recipes.begin(), recipes.end(),
                                   [&](const Recipe& one) { return one.name == name; });
  assert(recipe != recipes.end());
  std::vector<StepSpec> steps;
  for (const std::string_view step : recipe->steps) {
    const StepSpec* const spec = FindStep(table, step);
    assert(spec != nullptr);
    steps.push_back(*spec);
  }
  return steps;
}

std::vector<std::string> NamesOfSteps(const std::vector<StepSpec>& steps) {
  std::vector<std::string> names;
  for (const StepSpec& step : steps) {
    if (step.make != nullptr) names.emplace_back(step.name);
  }
  return names;
}

std::vector<ConfigKey> KeysOf(const std::vector<StepSpec>& steps) {
  std::vector<ConfigKey> keys = RunKeys();
  for (const StepSpec& step : steps) {
    if (step.keys == nullptr) continue;
    for (ConfigKey& key : step.keys()) keys.push_back(std::move(key));
  }
  return keys;
}

Status CheckSettings(const std::vector<StepSpec>& steps, const Config& config) {
  for (const StepSpec& step : steps) {
    if (step.validate != nullptr) KM_RETURN_IF_ERROR(step.validate(config));
  }
  return Status::Ok();
}

}  // namespace kernelmill
