// Step "render": turns the records about one task or native kernel into training records. Runs in
// the recipe "sft" after "check"; "measure" counts the tokens of its rows. No other step writes
// messages. A renderer for each kind of subject (renderer.h) calls the writers of rows
// (generators/task_rows/task_rows.h).
#pragma once

#include "corpora/records/record.h"
#include "manifests/config.h"
#include "stages/engine/step.h"

namespace kernelmill {

std::vector<ConfigKey> RenderKeys();

class RenderStep : public Step {
 public:
  // `child_program`: the program of the confined child (UntrustedChild).
  explicit RenderStep(const Config& config, std::string child_program = "/proc/self/exe");

  std::string_view Name() const override { return "render"; }
  int Version() const override { return 19; }
  Json Parameters() const override { return parameters_; }
  Result<std::unique_ptr<Lane>> OpenLane() override;
  // `input.body`: the records about one subject (stages/engine/subject_records.h). Outputs: those
  // records and the training records rendered from them, each under its content_id. A row that
  // breaks a rule becomes a rejected item.
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const std::string child_program_;
  Json parameters_;
  std::int64_t seed_;
  std::string split_salt_;
  double validation_share_;
};

}  // namespace kernelmill
