#include "stages/retry/retry_options.h"

#include <string>

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr std::string_view kFifoName = "fifo";
constexpr std::string_view kWeightedName = "weighted";

Status OutOfRange(std::string_view name, std::string_view range) {
  return Status(ErrorCode::kConfig,
                "retry." + std::string(name) + " must be " + std::string(range));
}

}  // namespace

Result<RetryChoice> RetryChoiceNamed(const std::string& name) {
  if (name == kFifoName) return RetryChoice::kFifo;
  if (name == kWeightedName) return RetryChoice::kWeighted;
  return OutOfRange("choice", "fifo or weighted, not " + name);
}

Status RetryOptions::Check() const {
  if (capacity < 1) return OutOfRange("capacity", "at least 1");
  if (time_to_live < 1) return OutOfRange("time_to_live", "at least 1 round");
  if (max_attempts < 1) return OutOfRange("max_attempts", "at least 1");
  // The negations refuse NaN too.
  if (!(max_probability >= 0 && max_probability <= 1)) {
    return OutOfRange("max_probability", "between 0 and 1");
  }
  if (full_at < 1) return OutOfRange("full_at", "at least 1");
  if (min_scored < 1) return OutOfRange("min_scored", "at least 1");
  if (!(beta >= 0 && beta <= 8)) return OutOfRange("beta", "between 0 and 8");
  if (!(half_life >= 1 && half_life <= 1e6)) {
    return OutOfRange("half_life", "between 1 and 1000000 rounds");
  }
  return Status::Ok();
}

Json RetryOptions::ToJson() const {
  return Json::Object{{"capacity", capacity},
                      {"time_to_live", time_to_live},
                      {"max_attempts", max_attempts},
                      {"max_probability", max_probability},
                      {"full_at", full_at},
                      {"min_scored", min_scored},
                      {"choice", choice == RetryChoice::kFifo ? kFifoName : kWeightedName},
                      {"beta", beta},
                      {"half_life", half_life}};
}

Result<RetryOptions> RetryOptions::FromJson(const Json& json) {
  RetryOptions options;
  std::string choice;
  JsonFields fields(json, "options");
  fields.Read("capacity", &options.capacity);
  fields.Read("time_to_live", &options.time_to_live);
  fields.Read("max_attempts", &options.max_attempts);
  fields.Read("max_probability", &options.max_probability);
  fields.Read("full_at", &options.full_at);
  fields.Read("min_scored", &options.min_scored);
  fields.Read("choice", &choice);
  fields.Read("beta", &options.beta);
  fields.Read("half_life", &options.half_life);
  KM_RETURN_IF_ERROR(fields.Finish());
  const Result<RetryChoice> named = RetryChoiceNamed(choice);
  if (!named.ok()) return Status(ErrorCode::kCorrupt, named.status().message());
  options.choice = *named;
  if (const Status status = options.Check(); !status.ok()) {
    return Status(ErrorCode::kCorrupt, status.message());
  }
  return options;
}

}  // namespace kernelmill
