// The gate "legality": what the candidate's text says already. The builds and the runs find more
// (CandidateLibraries, Examination::JudgeOperators(), the gate "decoy").
#include "stages/verify/gates/examination.h"

namespace kernelmill {
namespace {

// Most refused answers call torch; a finding of another kind says more about them.
const VerdictFinding& MostTelling(const std::vector<VerdictFinding>& findings) {
  for (const VerdictFinding& finding : findings) {
    if (finding.kind != "torch_compute" && finding.kind != "layer_called") return finding;
  }
  return findings.front();
}

}  // namespace

Result<GateResult> JudgeText(Examination& candidate) {
  if (!candidate.policy().syntax || candidate.text_findings.empty()) return GateResult::kPassed;
  Verdict& verdict = candidate.verdict();
  verdict.findings.insert(verdict.findings.end(), candidate.text_findings.begin(),
                          candidate.text_findings.end());
  const VerdictFinding& worst = MostTelling(verdict.findings);
  return candidate.EndIllegal(worst.kind, worst.detail);
}

}  // namespace kernelmill
