// The gate "legality": ends a candidate for the forbidden code in its text that the gate "extract"
// found. Builds and runs find more of it (CandidateLibraries, Examination::JudgeOperators(), the
// gate "decoy").
#include "stages/verify/gates/examination.h"

namespace kernelmill {
namespace {

// Most refused answers call torch, so a finding of another kind is more informative.
const VerdictFinding& MostInformative(const std::vector<VerdictFinding>& findings) {
  for (const VerdictFinding& finding : findings) {
    if (finding.reason != "torch_compute" && finding.reason != "layer_called") return finding;
  }
  return findings.front();
}

}  // namespace

Result<GateResult> JudgeText(Examination& examination) {
  if (!examination.policy().has_rules || examination.text_findings.empty())
    return GateResult::kPassed;
  Verdict& verdict = examination.verdict();
  verdict.findings.insert(verdict.findings.end(), examination.text_findings.begin(),
                          examination.text_findings.end());
  const VerdictFinding& worst = MostInformative(verdict.findings);
  return examination.EndIllegal(worst.reason, worst.detail);
}

}  // namespace kernelmill
