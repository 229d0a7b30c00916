// A step whose outputs lack the records that the configuration leaves out. run_steps.cc wraps every
// step in one if the key exclude_records is set.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "stages/engine/step.h"
#include "stages/publishable/excluded_records.h"

namespace kernelmill {

class ExcludingStep : public Step {
 public:
  ExcludingStep(std::unique_ptr<Step> step, ExcludedRecords excluded, Json named)
      : step_(std::move(step)), excluded_(std::move(excluded)), named_(std::move(named)) {}

  std::string_view Name() const override { return step_->Name(); }
  int Version() const override { return step_->Version(); }
  // The lineage of records has the parameters of the step alone.
  Json Parameters() const override {
    return ExcludedRecords::PlannedParameters(step_->Parameters(), named_);
  }
  Result<std::unique_ptr<Lane>> OpenLane() override { return step_->OpenLane(); }
  Result<Outcome> Process(const Input& input, Lane& lane) override {
    KM_ASSIGN(Outcome outcome, step_->Process(input, lane));
    return excluded_.Without(std::move(outcome));
  }

 private:
  const std::unique_ptr<Step> step_;
  const ExcludedRecords excluded_;
  const Json named_;
};

}  // namespace kernelmill
