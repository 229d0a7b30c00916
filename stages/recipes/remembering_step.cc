#include "stages/recipes/remembering_step.h"

#include <filesystem>
#include <set>
#include <utility>

#include "stages/engine/progress.h"
#include "stages/worker/instruction_set.h"
#include "stages/worker/limit_ends.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

struct LateLane : Lane {
  std::unique_ptr<Lane> lane;  // Null until it is needed.
};

// The names and versions of the Python packages, with which workers run references.
std::string InstalledPackages() {
  namespace fs = std::filesystem;
  std::set<std::string> names;
  std::error_code error;
  for (const auto& version : fs::directory_iterator(CheckoutRoot() / ".venv" / "lib", error)) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(version.path() / "site-packages", none)) {
      if (entry.path().extension() == ".dist-info") names.insert(entry.path().filename());
    }
  }
  std::string all;
  for (const std::string& name : names) all += name + "\n";
  return all;
}

}  // namespace

Result<std::unique_ptr<Step>> RememberingStep::Around(std::unique_ptr<Step> step,
                                                      const std::string& folder, const Digest& tool,
                                                      std::chrono::milliseconds worth) {
  KM_ASSIGN(OutcomeStore store, OutcomeStore::Open(folder));
  return std::unique_ptr<Step>(new RememberingStep(std::move(step), std::move(store), tool, worth));
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
                    .Field(InstalledPackages())
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
  KM_ASSIGN(std::optional<Outcome> known, store_.Find(key));
  if (known) return *std::move(known);
  auto& own = static_cast<LateLane&>(lane);
  if (own.lane == nullptr) {
    KM_ASSIGN(own.lane, step_->OpenLane());
  }
  const std::int64_t limits = LimitEnds();
  const auto begin = std::chrono::steady_clock::now();
  KM_ASSIGN(Outcome outcome, step_->Process(input, *own.lane));
  const auto took = std::chrono::steady_clock::now() - begin;
  // A limit that another thread met in between keeps this outcome out too, which only costs work.
  if (took >= worth_ && LimitEnds() == limits) Keep(key, outcome);
  return outcome;
}

void RememberingStep::Keep(const std::string& key, const Outcome& outcome) {
  const Status status = store_.Keep(key, outcome);
  if (status.ok()) return;
  const std::lock_guard lock(mutex_);
  if (!warned_) Warn("a later run will do this work again: " + status.message());
  warned_ = true;
}

}  // namespace kernelmill
