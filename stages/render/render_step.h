// Facts become text, and only here: one task or kernel with what is known about it in, its training
// records out (stages/render/renderer.h).
#pragma once

#include "corpora/records/record.h"
#include "manifests/config.h"
#include "manifests/origin.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"

namespace kernelmill {

std::vector<ConfigKey> RenderKeys();

class RenderStep : public Step {
 public:
  // `child_program` runs as the confined child, see UntrustedChild.
  explicit RenderStep(const Config& config, std::string child_program = "/proc/self/exe");

  std::string_view Name() const override { return "render"; }
  int Version() const override { return 11; }
  Json Parameters() const override { return parameters_; }
  Result<std::unique_ptr<Lane>> OpenLane() override;
  // `input.body`: a JSON array of the encoded records about one subject, itself first. Outputs: the
  // same records and those rendered from them, each under its content_id.
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // Groups the records that finished steps left by the subject they are about: one input each. With
  // `wanted`, only records of such origins.
  static Run::Propose Inputs(const Run& run, std::vector<std::string> steps,
                             const OriginFilter& wanted = nullptr);
  // The records of such an input.
  static Result<std::vector<Record>> RecordsIn(std::string_view body);
  // Joins the records of one subject that came separately. For Run::Do.
  static Result<std::string> Merge(std::string_view a, std::string_view b);

 private:
  const std::string child_program_;
  Json parameters_;
  std::int64_t seed_;
  std::string split_salt_;
  double validation_share_;
};

}  // namespace kernelmill
