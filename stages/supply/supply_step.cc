#include "stages/supply/supply_step.h"

#include <algorithm>
#include <cstdio>

#include "corpora/records/task.h"
#include "manifests/ascii.h"
#include "manifests/json_fields.h"
#include "manifests/printable.h"
#include "stages/publishable/excluded_source.h"
#include "stages/publishable/forbidden_text.h"
#include "stages/publishable/licence_map.h"
#include "stages/publishable/redaction.h"
#include "stages/supply/text_operation.h"
#include "stages/task_files/supplied_rows.h"
#include "stages/untrusted/untrusted_lane.h"

namespace kernelmill {
namespace {

constexpr char kNoAssertion[] = "NOASSERTION";
constexpr std::size_t kLongestName = 120, kLongestLicence = 120;

// The expression with its identifiers spelled as in `licences`; SPDX identifiers ignore case.
std::string Spelled(const std::string& expression, const std::vector<std::string>& licences) {
  std::string spelled;
  for (std::string_view rest = expression; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(" ()"), rest.size());
    const std::string_view word = rest.substr(0, end);
    const auto known = std::find_if(licences.begin(), licences.end(), [&](const auto& licence) {
      return SameInAnyCase(licence, word);
    });
    spelled += known == licences.end() ? word : *known;
    spelled += rest.substr(end, 1);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return spelled;
}

std::string NameOf(const SuppliedRow& row) {
  std::string name = PrintableLine(row.name, kLongestName);
  return RefuseText(name).empty() ? name : "";
}

}  // namespace

SupplyOptions SupplyOptions::Of(const Config& config) {
  return {.largest = config.Integer("mine.max_file_bytes"),
          .licences = config.Strings("mine.licences"),
          .exclude_sources = config.Strings("exclude_sources")};
}

Json SupplyStep::Parameters() const {
  return Json::Object{{"largest", options_.largest},
                      {"licences", ToJson(options_.licences)},
                      {"exclude_sources", ToJson(options_.exclude_sources)}};
}

Result<std::unique_ptr<Lane>> SupplyStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<UntrustedLane>(options_.child_program));
}

Run::Propose SupplyStep::Inputs(const std::vector<TaskSource>& sources,
                                const OriginFilter& wanted) const {
  return [this, &sources, wanted](const Run::Emit& emit) -> Status {
    for (const TaskSource& source : sources) {
      std::int64_t number = 0;
      KM_RETURN_IF_ERROR(
          ForEachRow(source, options_.largest, [&](const SuppliedRow& row) -> Status {
            ++number;
            if (wanted && !wanted({row.origin})) return Status::Ok();
            char digits[16];
            std::snprintf(digits, sizeof digits, "%012lld", static_cast<long long>(number));
            return emit(source.Key() + "/" + digits, row.Encode());
          }));
    }
    return Status::Ok();
  };
}

Result<Outcome> SupplyStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(const SuppliedRow row, SuppliedRow::Decode(input.body));
  const auto reject = [&](std::string reason, std::string detail) {
    Outcome outcome =
        Outcome::Reject(std::move(reason), std::move(detail), QuarantinedText(row.bytes));
    outcome.origins.push_back(row.origin);
    return outcome;
  };
  if (IsExcluded(row.origin.url, options_.exclude_sources)) {
    Outcome outcome = Outcome::Drop("source_excluded");
    outcome.origins.push_back(row.origin);
    return outcome;
  }
  if (!row.reason.empty()) return reject(row.reason, row.detail);
  const std::string licence =
      row.licence.empty() ? kNoAssertion : Spelled(row.licence, options_.licences);
  const LicenceEvidence declared{licence, LicenceLevel::kDeclared, row.origin.path,
                                 row.origin.sha256};
  const std::optional<LicenceEvidence> evidence =
      licence == kNoAssertion ? declared : AllowedEvidence(declared, options_.licences);
  if (!evidence) return reject("licence", PrintableLine(licence, kLongestLicence));
  KM_ASSIGN(UntrustedReply reply, RedactText(static_cast<UntrustedLane&>(lane).child, row.bytes));
  if (!reply.reason.empty()) return reject(reply.reason, reply.detail);
  Task task;
  task.code = std::move(reply.body);
  Record record;
  record.kind = RecordKind::kTask;
  record.payload = task.ToJson();
  record.attributes = {{"name", NameOf(row)}};
  record.origins = {row.origin};
  record.licences = {*evidence};
  record.lineage = {{.step = std::string(Name()),
                     .version = Version(),
                     .parameters = DigestOf(Parameters().Dump()),
                     .inputs = {}}};
  return Outcome::Keep({{std::string(record.ContentId().AsKey()), record.Encode()}});
}

}  // namespace kernelmill
