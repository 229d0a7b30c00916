#include "stages/mine/slice_ports_step.h"

#include "corpora/kernel_backend.h"
#include "generators/kernel_prose/port_changes.h"
#include "manifests/json_fields.h"
#include "parsers/kernel_slices/port_slicer.h"
#include "stages/mine/mined_items.h"
#include "stages/mine/native_lane.h"
#include "stages/publishable/forbidden_text.h"
#include "stages/publishable/redaction.h"

namespace kernelmill {

SlicePortsStep::SlicePortsStep(std::shared_ptr<IndexCache> indices, MiningOptions options,
                               Derivation mined)
    : indices_(std::move(indices)), options_(std::move(options)), mined_(std::move(mined)) {}

Json SlicePortsStep::Parameters() const {
  return Json::Object{{"kernel_lines", options_.kernel_slice.lines},
                      {"licences", ToJson(options_.licences)}};
}

Result<std::unique_ptr<Lane>> SlicePortsStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<NativeLane>());
}

Result<Outcome> SlicePortsStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(const MinedPort entry, MinedPort::FromText(input.body));
  KM_ASSIGN(const std::shared_ptr<const NativeRepository> repository,
            indices_->GetNative(entry.repository_key));
  const NativeIndex& index = repository->index;
  const KernelTwins twins{{index.FileAt(entry.path), static_cast<int>(entry.item)},
                          {index.FileAt(entry.port_path), static_cast<int>(entry.port_item)},
                          FindKernelBackend(entry.port_backend)};
  if (twins.kernel.file < 0 || twins.port.file < 0 || twins.backend == nullptr) {
    return Status(ErrorCode::kInternal, "port " + input.key + " is in no file that was read");
  }
  std::vector<Origin> origins;
  std::string text;  // Of both kernels, for quarantine.
  bool has_error = false;
  for (const FunctionPlace& place : {twins.kernel, twins.port}) {
    const NativeFile& file = index.files()[place.file];
    const CudaItem& item = index.item(place.file, place.item);
    origins.push_back({entry.url, entry.commit, file.blob, file.path, item.name, item.first_line,
                       item.last_line});
    text += file.cuda.source.substr(static_cast<std::size_t>(item.first),
                                    static_cast<std::size_t>(item.last - item.first)) +
            "\n";
    has_error = has_error || item.has_error;
  }
  Unite(&origins, {});
  const auto reject = [&](std::string reason, std::string detail) {
    Outcome outcome = Outcome::Reject(std::move(reason), std::move(detail), QuarantinedText(text));
    outcome.origins = origins;
    return outcome;
  };
  const auto drop = [&](std::string reason, std::string detail) {
    Outcome outcome = Outcome::Drop(std::move(reason), std::move(detail));
    outcome.origins = origins;
    return outcome;
  };
  if (has_error) return reject("parse_error", "");
  PortCut cut = CutPort(static_cast<NativeLane&>(lane).UnitsOf(entry.repository_key, repository),
                        twins, options_.kernel_slice);
  std::int64_t redactions = 0;
  for (std::string* code : {&cut.port.code, &cut.port.port_code}) {
    if (const std::string_view refused = RefuseText(*code); !refused.empty()) {
      return reject(std::string(refused), "");
    }
    Redacted redacted = RedactWholeText(*code);
    *code = std::move(redacted.text);
    redactions += redacted.count;
  }
  Record record;
  record.kind = RecordKind::kPort;
  std::string refused;
  record.licences = AllowedLicences(*repository, cut.files, options_.licences, &refused);
  if (!refused.empty()) return reject("licence", refused);
  const PortChanges changes = PortChangesOf(cut.port);
  if (changes.Empty()) return drop("same_port", "");
  if (!cut.same_hosts) return drop("unexplained_port", "only one version has host code");
  if (changes.too_large) {
    return drop("unexplained_port", "they differ in more than names and a few statements");
  }
  record.payload = cut.port.ToJson();
  record.attributes["name"] = entry.symbol;
  record.origins = std::move(origins);
  record.lineage = {mined_,
                    {.step = std::string(Name()),
                     .version = Version(),
                     .parameters = DigestOf(Parameters().Dump()),
                     .inputs = {}}};
  Outcome outcome = Outcome::Keep({{input.key, record.Encode()}});
  outcome.counters = {{"names_only", changes.others.empty() ? 1 : 0}, {"redacted", redactions}};
  return outcome;
}

}  // namespace kernelmill
