// A step that asks the outcome store before it does its work. run_steps.cc wraps the steps whose
// specification says that they cost much (StepSpec::remembered), unless an audit repeats them or
// the user wants all work done anew.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/digest.h"
#include "stages/engine/outcome_store.h"
#include "stages/engine/step.h"

namespace kernelmill {

class RememberingStep : public Step {
 public:
  // `folder` is that of the store; `tool` is ToolIdentity::digest. The surroundings of the step are
  // asked with its first input. What took less than `worth` is not kept, and neither is what a
  // limit of time or memory may have decided.
  static Result<std::unique_ptr<Step>> Around(
      std::unique_ptr<Step> step, const std::string& folder, const Digest& tool,
      std::chrono::milliseconds worth = std::chrono::milliseconds(50));

  std::string_view Name() const override { return step_->Name(); }
  int Version() const override { return step_->Version(); }
  Json Parameters() const override { return step_->Parameters(); }
  // The lane of the step is opened with the first input that the store does not know.
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  RememberingStep(std::unique_ptr<Step> step, OutcomeStore store, const Digest& tool,
                  std::chrono::milliseconds worth)
      : step_(std::move(step)), store_(std::move(store)), tool_(tool), worth_(worth) {}
  // An outcome that cannot be kept costs only the work of a later run: it is a warning, once.
  void Keep(const std::string& key, const Outcome& outcome);
  // The hash of everything that decides an outcome, but the input.
  Result<Digest> Deciding();

  const std::unique_ptr<Step> step_;
  const OutcomeStore store_;
  const Digest tool_;
  const std::chrono::milliseconds worth_;
  std::mutex mutex_;
  std::optional<Digest> deciding_;
  bool warned_ = false;
};

}  // namespace kernelmill
