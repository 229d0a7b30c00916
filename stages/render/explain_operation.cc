#include "stages/render/explain_operation.h"

#include "corpora/records/kernel_source.h"
#include "generators/kernel_prose/kernel_knowledge.h"
#include "parsers/cuda_kernel_facts.h"

namespace kernelmill {
namespace {

UntrustedReply Explain(const Json& request, OpenRepository&) {
  const Result<KernelSource> source = KernelSource::FromJson(*request.Find("kernel"));
  if (!source.ok()) return UntrustedReply::Reject("parser_crashed", source.status().message(), "");
  const Result<Digest> id = Digest::FromHex(request.TextAt("id"));
  if (!id.ok()) return UntrustedReply::Reject("parser_crashed", id.status().message(), "");
  Json::Array rows;
  if (const auto facts = ReadKernelFacts(source->code, source->name, source->line)) {
    for (const TrainingRecord& row :
         WriteKernelKnowledge(*id, *source, *facts, request.IntegerAt("seed"))) {
      rows.push_back(row.ToJson());
    }
  }
  return UntrustedReply::Keep(Json(std::move(rows)).Dump());
}

}  // namespace

const UntrustedOperation kExplainOperation = {"explain", Explain};

Result<UntrustedReply> ExplainKernel(UntrustedChild& child, const Digest& id, const Json& kernel,
                                     std::int64_t seed) {
  return child.Ask(kExplainOperation, {{"id", id.Hex()}, {"kernel", kernel}, {"seed", seed}});
}

}  // namespace kernelmill
