#include "stages/mine/slice_kernels_step.h"

#include <optional>

#include "manifests/json_fields.h"
#include "parsers/kernel_slices/kernel_slicer.h"
#include "stages/mine/mined_items.h"
#include "stages/publishable/forbidden_text.h"
#include "stages/publishable/redaction.h"

namespace kernelmill {
namespace {

// Inputs arrive in key order, so a lane keeps the units of one source.
struct SliceLane : Lane {
  std::string source;
  std::optional<TranslationUnits> units;
};

}  // namespace

SliceKernelsStep::SliceKernelsStep(std::shared_ptr<IndexCache> indices, MiningOptions options,
                                   Derivation mined)
    : indices_(std::move(indices)), options_(std::move(options)), mined_(std::move(mined)) {}

Json SliceKernelsStep::Parameters() const {
  return Json::Object{{"kernel_lines", options_.kernel_slice.lines},
                      {"licences", ToJson(options_.licences)}};
}

Result<std::unique_ptr<Lane>> SliceKernelsStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<SliceLane>());
}

Result<Outcome> SliceKernelsStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(const MinedKernel entry, MinedKernel::FromText(input.body));
  KM_ASSIGN(const std::shared_ptr<const NativeRepository> repository,
            indices_->GetNative(entry.repository_key));
  auto& own = static_cast<SliceLane&>(lane);
  if (!own.units || own.source != entry.repository_key) {
    // The units use the index, which the repository owns.
    own.units.emplace(std::shared_ptr<const NativeIndex>(repository, &repository->index));
    own.source = entry.repository_key;
  }
  const NativeIndex* const index = &repository->index;
  const int at = index->FileAt(entry.path);
  if (at < 0) {
    return Status(ErrorCode::kInternal, "kernel " + input.key + " is in no file that was read");
  }
  const NativeFile& file = index->files()[at];
  const int item_at = static_cast<int>(entry.item);
  const CudaItem& item = index->item(at, item_at);
  const Origin origin{entry.url,    entry.commit,    file.blob,     entry.path,
                      entry.symbol, item.first_line, item.last_line};
  const auto reject = [&](std::string reason, std::string detail) {
    Outcome outcome = Outcome::Reject(
        std::move(reason), std::move(detail),
        QuarantinedText(file.cuda.source.substr(static_cast<std::size_t>(item.first),
                                                static_cast<std::size_t>(item.last - item.first))));
    outcome.origins.push_back(origin);
    return outcome;
  };
  if (item.has_error) return reject("parse_error", "");
  KernelCut cut = CutKernel(&*own.units, at, item_at, options_.kernel_slice);
  if (const std::string_view refused = RefuseText(cut.kernel.code); !refused.empty()) {
    return reject(std::string(refused), "");
  }
  Redacted redacted = RedactWholeText(cut.kernel.code);
  cut.kernel.code = std::move(redacted.text);
  Record record;
  record.kind = RecordKind::kKernel;
  for (int file_at : cut.files) {
    const LicenceEvidence evidence = repository->LicenceOf(file_at);
    std::optional<LicenceEvidence> allowed = AllowedEvidence(evidence, options_.licences);
    if (!allowed) {
      return reject("licence", evidence.spdx + " for " + index->files()[file_at].path);
    }
    record.licences.push_back(*std::move(allowed));
  }
  Unite(&record.licences, {});
  record.payload = cut.kernel.ToJson();
  record.attributes["name"] = cut.kernel.name;
  record.attributes["launch_sites"] = ToJson(cut.launch_sites);
  record.origins.push_back(origin);
  record.lineage = {mined_,
                    {.step = std::string(Name()),
                     .version = Version(),
                     .parameters = DigestOf(Parameters().Dump()),
                     .inputs = {}}};
  Outcome outcome = Outcome::Keep({{input.key, record.Encode()}});
  outcome.counters = {{"complete", cut.kernel.Complete() ? 1 : 0},
                      {"launched", cut.kernel.launches.empty() ? 0 : 1},
                      {"bound", cut.kernel.bindings.empty() ? 0 : 1},
                      {"redacted", redacted.count}};
  return outcome;
}

}  // namespace kernelmill
