// Step "select": decides which judged samples are trained, which serve as mistakes to repair, and
// which are not used. Runs in the recipe "rft" after "verify"; "render" writes the rows. All
// samples decide together (selection.h), so decisions are made when the inputs are proposed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "manifests/config.h"
#include "parsers/tokenizer.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"
#include "stages/samples/sample_measurements.h"
#include "stages/select/selection.h"

namespace kernelmill {

struct SelectOptions {
  SelectionOptions selection;
  std::int64_t repairs = 2;      // The most mistakes of one task and backend that are repaired.
  bool allow_protected = false;  // Whether problems of benchmarks are trained.
  SampleMeasurements measurements;
  std::int64_t seed = 0;  // The run's; it decides on the wording of prompts.
  std::optional<Tokenizer> tokenizer;                  // If absent, tokens are estimated.
  bool memory_checked = false, races_checked = false;  // By the judge.

  static Result<SelectOptions> Of(const Config& config);
};
std::vector<ConfigKey> SelectKeys();

// The file in the folder of a run's steps with SampleSelection::ToJson().
inline constexpr char kSelectionStateName[] = "steps/selection.json";

class SelectStep : public Step {
 public:
  explicit SelectStep(SelectOptions options) : options_(std::move(options)) {}

  std::string_view Name() const override { return "select"; }
  int Version() const override { return 3; }
  Json Parameters() const override;
  // Input: a sample with its verdict and what was decided about it. Kept: the record of the sample,
  // and of its code as a candidate; the first kept sample of a task brings the records of the task
  // and its annotation along. Dropped and rejected: samples that are not used, with the reason;
  // those rejected are what must not be trained although it is correct.
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // The joined and judged samples of the run. Also writes the file kSelectionStateName. The
  // verdicts of all samples are in memory while the inputs are proposed, their texts one by one.
  Run::Propose Inputs(const Run& run) const;

 private:
  const SelectOptions options_;
};

}  // namespace kernelmill
