#include "stages/retry/retry_changes.h"

#include "manifests/json_fields.h"

namespace kernelmill {

Status RetryChanges::Check() const {
  if (before + entered == solved + expired + evicted + parked + after) return Status::Ok();
  return Status(ErrorCode::kInternal, "retry buffer: its counts do not add up: " + ToJson().Dump());
}

Json RetryChanges::ToJson() const {
  return Json::Object{
      {"before", before},     {"after", after},
      {"entered", entered},   {"solved", solved},
      {"expired", expired},   {"evicted", evicted},
      {"parked", parked},     {"returned", returned},
      {"replaced", replaced}, {"passed_by", Json::Object(passed_by.begin(), passed_by.end())}};
}

Result<RetryChanges> RetryChanges::FromJson(const Json& json) {
  RetryChanges changes;
  Json passed_by;
  JsonFields fields(json, "changes");
  fields.Read("before", &changes.before);
  fields.Read("after", &changes.after);
  fields.Read("entered", &changes.entered);
  fields.Read("solved", &changes.solved);
  fields.Read("expired", &changes.expired);
  fields.Read("evicted", &changes.evicted);
  fields.Read("parked", &changes.parked);
  fields.Read("returned", &changes.returned);
  fields.Read("replaced", &changes.replaced);
  fields.Read("passed_by", &passed_by);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (!passed_by.is_object()) {
    return Status(ErrorCode::kCorrupt, "changes: passed_by must be an object");
  }
  for (const auto& [name, count] : passed_by.as_object()) {
    if (!count.is_int()) return Status(ErrorCode::kCorrupt, "changes: " + name + " is no count");
    changes.passed_by[name] = count.as_int();
  }
  return changes;
}

}  // namespace kernelmill
