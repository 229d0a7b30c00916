// The gate "extract": an answer must contain Python code. The request that parses it also applies
// the rules of the gate "legality", which takes its findings from here. Whether the code defines
// ModelNew turns out when it is imported, in the run of the gate "correctness"; a candidate without
// one ends at "extract" all the same.
#include <utility>

#include "manifests/json_fields.h"
#include "parsers/byte_order_mark.h"
#include "stages/verify/gates/examination.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMaxCode = 1 << 20;

Result<VerdictFinding> FindingOf(const Json& json) {
  VerdictFinding finding;
  finding.file = kCandidateFile;
  JsonFields fields(json, "finding");
  fields.Read("reason", &finding.reason);
  fields.Read("line", &finding.line);
  fields.Read("detail", &finding.detail);
  KM_RETURN_IF_ERROR(fields.Finish());
  return finding;
}

}  // namespace

Result<GateResult> ParseCode(Examination& examination) {
  const std::optional<std::string>& answer = examination.answer();
  if (!answer) return examination.End(VerdictStatus::kNoAnswer, "no_code");
  if (answer->size() > kMaxCode) return examination.End(VerdictStatus::kNoAnswer, "too_long");
  if (!IsUtf8(*answer)) {
    return examination.End(VerdictStatus::kNoAnswer, "syntax_error", "it is not UTF-8");
  }
  examination.code = WithoutByteOrderMark(*answer);
  // The request parses the text and applies the rules of legality.py in one pass.
  KM_ASSIGN(TorchWorker* const reader, examination.workers().ForReferences());
  KM_ASSIGN(const Json reply, reader->Call(Json::Object{{"kind", "legality"},
                                                        {"code", examination.code},
                                                        {"limits", WorkerLimits().ToJson()}}));
  const std::string& end = reply.Find("end")->as_string();
  if (end != "legality") {
    const std::string detail = reply.TextAt("detail"), text = detail.empty() ? end : detail;
    examination.verdict().findings.push_back(
        {"syntax_error", kCandidateFile, reply.IntegerAt("line"), text});
    return examination.End(VerdictStatus::kNoAnswer, "syntax_error", text);
  }
  for (const Json& item : reply.Find("findings")->as_array()) {
    KM_ASSIGN(VerdictFinding finding, FindingOf(item));
    examination.text_findings.push_back(std::move(finding));
  }
  return GateResult::kPassed;
}

}  // namespace kernelmill
