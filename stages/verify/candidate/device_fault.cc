#include "stages/verify/candidate/device_fault.h"

#include "manifests/json_fields.h"
#include "stages/verify/candidate/candidate_run.h"

namespace kernelmill {
namespace {

struct Said {
  std::string status, reason, message, file;
  std::int64_t line = 0;
};

Result<Said> ReadSaid(const Json& json) {
  Said said;
  JsonFields fields(json, "fault");
  fields.Read("kind", &said.status);
  fields.Read("reason", &said.reason);
  fields.Read("message", &said.message);
  fields.Read("file", &said.file);
  fields.Read("line", &said.line);
  KM_RETURN_IF_ERROR(fields.Finish());
  return said;
}

}  // namespace

void SetDeviceFault(const Json& json, CandidateFault* fault) {
  fault->status = VerdictStatus::kCrashed;
  fault->reason = "device_fault";
  fault->gate = GateId::kCorrectness;
  const Result<Said> said = ReadSaid(json);
  if (!said.ok()) return;
  fault->detail = said->message;
  fault->finding = VerdictFinding{said->reason, said->file, said->line, said->message};
  for (const VerdictReason& reason : AllVerdictReasons()) {
    if (StatusName(reason.status) != said->status) continue;
    // All unsupported features have the same reason; the detail names the feature.
    if (reason.name != said->reason && reason.status != VerdictStatus::kUnsupported) continue;
    fault->status = reason.status;
    fault->reason = reason.name;
    return;
  }
}

Result<VerdictFinding> DeviceFinding(const Json& json) {
  KM_ASSIGN(const Said said, ReadSaid(json));
  return VerdictFinding{said.reason, said.file, said.line, said.message};
}

}  // namespace kernelmill
