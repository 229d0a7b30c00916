#include "stages/retry/retry_entry.h"

#include <algorithm>

#include "corpora/kernel_backend.h"
#include "manifests/json_fields.h"
#include "stages/verify/gates/gate.h"

namespace kernelmill {
namespace {

// The names that Verdict::gate can have for a candidate that failed, in the order of the gates.
const std::vector<std::string_view>& ReportedGates() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const Gate& gate : AllGates()) {
      if (gate.reported_as == gate.id) names.push_back(gate.name);
    }
    return names;
  }();
  return kNames;
}

}  // namespace

RetryProgress RetryProgress::Of(const Verdict& verdict) {
  const std::vector<std::string_view>& gates = ReportedGates();
  const auto at = std::find(gates.begin(), gates.end(), verdict.gate);
  return {at == gates.end() ? 0 : at - gates.begin(), verdict.PassRate()};
}

double RetryProgress::Closeness() const {
  return (static_cast<double>(gate) + q) / static_cast<double>(ReportedGates().size() + 1);
}

bool CameCloser(const Verdict& a, const Digest& a_id, const Verdict& b, const Digest& b_id) {
  const RetryProgress of_a = RetryProgress::Of(a), of_b = RetryProgress::Of(b);
  return of_a == of_b ? a_id < b_id : of_a > of_b;
}

Json RetryEntry::ToJson() const {
  Json::Array samples;
  for (const Digest& sample : lineage) samples.emplace_back(sample.Hex());
  return Json::Object{
      {"task", key.task.Hex()},       {"backend", key.backend}, {"code", code},
      {"verdict", verdict.ToJson()},  {"round", round},         {"attempts", attempts},
      {"lineage", std::move(samples)}};
}

Result<RetryEntry> RetryEntry::FromJson(const Json& json) {
  RetryEntry entry;
  JsonFields fields(json, "entry");
  fields.Read("task", &entry.key.task);
  fields.Read("backend", &entry.key.backend);
  fields.Read("code", &entry.code);
  fields.ReadValue("verdict", &entry.verdict, Verdict::FromJson);
  fields.Read("round", &entry.round);
  fields.Read("attempts", &entry.attempts);
  fields.ReadArray("lineage", &entry.lineage, [](const Json& item) -> Result<Digest> {
    if (!item.is_string()) return Status(ErrorCode::kCorrupt, "its items must be digests");
    return Digest::FromHex(item.as_string());
  });
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(CheckBackendName("entry", entry.key.backend));
  if (entry.code.empty() || entry.lineage.empty()) {
    return Status(ErrorCode::kCorrupt, "entry: it has no code, or no lineage");
  }
  return entry;
}

}  // namespace kernelmill
