#include "stages/publishable/excluded_records.h"

#include <algorithm>
#include <utility>

#include "manifests/printable.h"

namespace kernelmill {
namespace {

constexpr std::string_view kHash = "sha256:";
constexpr char kStep[] = "step";

}  // namespace

std::string ExcludedRecords::HashName(const Digest& content_id) {
  return std::string(kHash) + DigestOf(content_id.AsKey()).Hex();
}

Result<ExcludedRecords> ExcludedRecords::Of(const std::vector<std::string>& named) {
  ExcludedRecords excluded;
  for (const std::string& name : named) {
    const bool hashed = name.starts_with(kHash);
    const Result<Digest> digest =
        Digest::FromHex(hashed ? std::string_view(name).substr(kHash.size()) : name);
    if (!digest.ok()) {
      return Status(ErrorCode::kConfig,
                    std::string(kExcludeRecordsKey) + ": '" + PrintableLine(name) +
                        "' is no content_id of 64 hexadecimal digits; `kernelmill inspect DATASET` "
                        "shows those of a dataset");
    }
    excluded.hashes_.insert(hashed ? name : HashName(*digest));
  }
  return excluded;
}

bool ExcludedRecords::Has(const Digest& content_id) const {
  return !empty() && hashes_.contains(HashName(content_id));
}

bool ExcludedRecords::Leaves(const Record& record) const {
  if (empty()) return false;
  if (Has(record.ContentId())) return true;
  for (const Derivation& derivation : record.lineage) {
    for (const Digest& input : derivation.inputs) {
      if (Has(input)) return true;
    }
  }
  return false;
}

Outcome ExcludedRecords::Without(Outcome outcome) const {
  const std::size_t erased = std::erase_if(outcome.outputs, [&](const Output& output) {
    // Outputs of the first mining steps are no records yet.
    const Result<Record> record = Record::Decode(output.body);
    return record.ok() && Leaves(*record);
  });
  if (erased == 0 || !outcome.outputs.empty()) return outcome;
  return Outcome::Drop(std::string(kRecordExcluded));
}

Json ExcludedRecords::PlannedParameters(Json step, Json named) {
  return Json::Object{{kStep, std::move(step)}, {kExcludeRecordsKey, std::move(named)}};
}

Json ExcludedRecords::StepParameters(const Json& planned) {
  const Json* const step = planned.Find(kStep);
  return step != nullptr && planned.Find(kExcludeRecordsKey) != nullptr ? *step : planned;
}

}  // namespace kernelmill
