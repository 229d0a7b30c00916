#include "stages/verify/run/verify_rank.h"

#include <unistd.h>

#include <filesystem>
#include <memory>

#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "manifests/json_fields.h"
#include "manifests/json_file.h"
#include "stages/publishable/excluded_records.h"
#include "stages/verify/run/verify_spec.h"

namespace kernelmill {
namespace {

// It goes with the steps.
constexpr char kNoteName[] = "steps/verify_ranks.json";

std::string StatePathOf(const std::string& output, const char* name) {
  return output + "/" + std::string(kRunFolderName) + "/" + name;
}

std::string NoteOf(const std::string& output) { return StatePathOf(output, kNoteName); }

}  // namespace

Status AdmitVerifyRanks(const Run& run, bool fresh) {
  const std::string path = run.StatePath(kNoteName);
  KM_RETURN_IF_ERROR(MakeFolders(FolderOf(path)));
  return ReplaceFile(path, Json(Json::Object{{"fresh", fresh}}).Pretty());
}

Status DismissVerifyRanks(const Run& run) {
  std::error_code error;
  std::filesystem::remove(run.StatePath(kNoteName), error);
  if (!error) return Status::Ok();
  return Status(ErrorCode::kIo,
                "cannot remove " + run.StatePath(kNoteName) + ": " + error.message());
}

bool AdmitsVerifyRanks(const std::string& output) {
  return access(NoteOf(output).c_str(), F_OK) == 0;
}

Result<std::unique_ptr<VerifyStep>> PlannedVerifyStep(const std::string& output, const Plan& plan,
                                                      StoreUse store_use) {
  // The verdicts are no records, so a plan that leaves some out has the same step.
  const Json parameters = ExcludedRecords::StepParameters(plan.parameters);
  std::string secret;
  if (!parameters.TextAt("secret").empty()) {
    KM_ASSIGN(secret, ReadFile(StatePathOf(output, kRunSecretName)));
  }
  return VerifyStep::FromParameters(parameters, secret, store_use);
}

Status RunVerifyRank(const std::string& output, const Share& share, int jobs, const Digest& tool) {
  KM_ASSIGN(const Json note, ReadJsonObject(NoteOf(output)));
  bool fresh = false;
  JsonFields fields(note, NoteOf(output));
  fields.Read("fresh", &fresh);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(Run run, Run::Join({.output = output, .shared = true, .jobs = jobs, .tool = tool}));
  const Result<Plan> plan = run.PlanOf("verify");
  if (plan.status().code() == ErrorCode::kNotFound) {
    return Status(ErrorCode::kBusy, output +
                                        ": the step verify has no plan yet; the command that leads "
                                        "the run makes it. Try again when it has");
  }
  KM_RETURN_IF_ERROR(plan.status());
  KM_ASSIGN(const std::unique_ptr<VerifyStep> step,
            PlannedVerifyStep(output, *plan, fresh ? StoreUse::kRenew : StoreUse::kUse));
  return run.DoShare(*step, share);
}

}  // namespace kernelmill
