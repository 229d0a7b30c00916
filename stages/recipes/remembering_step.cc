#include "stages/recipes/remembering_step.h"

#include <optional>
#include <utility>

#include "stages/worker/instruction_set.h"

namespace kernelmill {
namespace {

struct LateLane : Lane {
  std::unique_ptr<Lane> lane;  // Null until it is needed.
};

}  // namespace

Result<std::unique_ptr<Step>> RememberingStep::Around(std::unique_ptr<Step> step,
                                                      const std::string& folder,
                                                      const Digest& tool) {
  KM_ASSIGN(OutcomeStore store, OutcomeStore::Open(folder));
  return std::unique_ptr<Step>(new RememberingStep(std::move(step), std::move(store), tool));
}

Result<Digest> RememberingStep::Deciding() {
  const std::lock_guard lock(mutex_);
  if (!deciding_) {
    KM_ASSIGN(const std::string surroundings, step_->Surroundings());
    deciding_ = Sha256()
                    .Field("outcome 1")
                    .Field(tool_.Hex())
                    .Field(step_->Name())
                    .Field(std::to_string(step_->Version()))
                    .Field(step_->Parameters().Dump())
                    .Field(surroundings)
                    .Field(InstructionSet())
                    .Finish();
  }
  return *deciding_;
}

Result<std::unique_ptr<Lane>> RememberingStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<LateLane>());
}

Result<Outcome> RememberingStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(const Digest deciding, Deciding());
  const std::string key =
      Sha256().Field(deciding.Hex()).Field(input.key).Field(input.body).Finish().Hex();
  if (std::optional<Outcome> known = store_.Find(key)) return *std::move(known);
  auto& own = static_cast<LateLane&>(lane);
  if (own.lane == nullptr) {
    KM_ASSIGN(own.lane, step_->OpenLane());
  }
  KM_ASSIGN(Outcome outcome, step_->Process(input, *own.lane));
  if (IsRepeatable(outcome)) KM_RETURN_IF_ERROR(store_.Keep(key, outcome));
  return outcome;
}

}  // namespace kernelmill
