#include "stages/mine/slice_kernels_step.h"

#include "manifests/json_fields.h"
#include "parsers/kernel_slices/kernel_slicer.h"
#include "stages/mine/mined_items.h"
#include "stages/mine/native_lane.h"
#include "stages/publishable/forbidden_text.h"
#include "stages/publishable/redaction.h"

namespace kernelmill {
SliceKernelsStep::SliceKernelsStep(std::shared_ptr<IndexCache> indices, MiningOptions options,
                                   Derivation mined)
    : indices_(std::move(indices)), options_(std::move(options)), mined_(std::move(mined)) {}

Json SliceKernelsStep::Parameters() const {
  return Json::Object{{"kernel_lines", options_.kernel_slice.lines},
                      {"licences", ToJson(options_.licences)}};
}

Result<std::unique_ptr<Lane>> SliceKernelsStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<NativeLane>());
}

Result<Outcome> SliceKernelsStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(const MinedKernel entry, MinedKernel::FromText(input.body));
  KM_ASSIGN(const std::shared_ptr<const NativeRepository> repository,
            indices_->GetNative(entry.repository_key));
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
  KernelCut cut =
      CutKernel(static_cast<NativeLane&>(lane).UnitsOf(entry.repository_key, repository), at,
                item_at, options_.kernel_slice);
  if (const std::string_view why = RefuseText(cut.kernel.code); !why.empty()) {
    return reject(std::string(why), "");
  }
  Redacted redacted = RedactWholeText(cut.kernel.code);
  cut.kernel.code = std::move(redacted.text);
  Record record;
  record.kind = RecordKind::kKernel;
  std::string refused;
  record.licences = AllowedLicences(*repository, cut.files, options_.licences, &refused);
  if (!refused.empty()) return reject("licence", refused);
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
