// Step "generate": draws random tasks (generators/graphs/generated_task.h), which are a source of
// tasks besides repositories and users' files. Runs in the recipe "sft"; "admit" runs and checks
// the tasks.
#pragma once

#include "generators/graphs/sampler_options.h"
#include "manifests/config.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"

namespace kernelmill {

std::vector<ConfigKey> GenerateKeys();

struct GenerateOptions {
  std::int64_t count = 0;
  SamplerOptions sampler;
  std::vector<std::string> targets;  // As written in the configuration.

  // kConfig for an invalid value; the message names the key.
  static Result<GenerateOptions> Of(const Config& config);
};

// Input: the index of a task in the sequence of the seed, in decimal. Output: that task as an
// encoded record (TaskGenerator::ToRecord) under its content_id.
class GenerateStep : public Step {
 public:
  explicit GenerateStep(GenerateOptions options) : options_(std::move(options)) {}

  std::string_view Name() const override { return "generate"; }
  int Version() const override { return 4; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // The first `count` indices whose graphs are all different; with `wanted`, only those with these
  // origins.
  Run::Propose Inputs(const OriginFilter& wanted = nullptr) const;

 private:
  // The parameters that a single output depends on: all but the count.
  Json OfOneTask() const;

  GenerateOptions options_;
};

}  // namespace kernelmill
