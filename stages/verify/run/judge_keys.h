// The configuration keys "judge.…", which say how samples of models are judged, for the entry of
// the step "verify" in the step table (verify_spec.h) and for "join", which needs the backend.
#pragma once

#include <string>
#include <vector>

#include "manifests/config.h"
#include "stages/verify/judge/cpu_judge.h"

namespace kernelmill {

inline constexpr char kJudgeBackendKey[] = "judge.backend";
std::vector<ConfigKey> JudgeKeys();

// The choice that the keys make, without a secret. kConfig, with the key, for a value that no judge
// accepts.
Result<JudgingChoice> JudgingChoiceOf(const Config& config);
// Whether inputs follow from a secret, because `judge.seed` names no public seed.
bool JudgesInSecret(const Config& config);

}  // namespace kernelmill
