#include "corpora/records/sandbox_attack.h"

#include <algorithm>

#include "manifests/is_one_of.h"

namespace kernelmill {
namespace {

// A forbidden import is mostly one of os, ctypes or subprocess. Where it is an innocent one,
// leaving the code out costs one entry.
constexpr std::string_view kAttacks[] = {"forbidden_import",    "forbidden_symbol",
                                         "observer_disabled",   "patches_torch",
                                         "reaches_interpreter", "tensor_subclass"};

}  // namespace

bool IsSandboxAttack(std::string_view reason) { return IsOneOf(reason, kAttacks); }

bool HasSandboxAttack(const Verdict& verdict) {
  return IsSandboxAttack(verdict.reason) ||
         std::any_of(verdict.findings.begin(), verdict.findings.end(),
                     [](const VerdictFinding& finding) { return IsSandboxAttack(finding.reason); });
}

}  // namespace kernelmill
