// Facts become text, and only here: one task with its annotation in, its training records out.
#pragma once

#include "manifests/config.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"

namespace kernelmill {

std::vector<ConfigKey> RenderKeys();

class RenderStep : public Step {
 public:
  explicit RenderStep(const Config& config);

  std::string_view Name() const override { return "render"; }
  int Version() const override { return 1; }
  Json Parameters() const override { return parameters_; }
  // `input.body`: a JSON array of the encoded records about one subject, itself first. Outputs: the
  // same records and those rendered from them, each under its content_id.
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // Groups the records that a finished step left by the subject they are about: one input each.
  static Run::Propose Inputs(const Run& run, std::vector<std::string> steps);
  // Joins the records of one subject that came separately. For Run::Do.
  static Result<std::string> Merge(std::string_view a, std::string_view b);

 private:
  Json parameters_;
  std::int64_t seed_;
  std::string split_salt_;
  double validation_share_;
};

}  // namespace kernelmill
