// How the loads and the stores of a kernel use the sectors of global memory, judged separately: by
// the element types of the arrays that it really accesses, by the active lanes, and by the sectors
// that the output fills. There is a verdict only where these decide one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generators/known_task/known_task.h"
#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {

enum class AccessUse {
  kWhole,      // As few sectors as the lanes can need.
  kMore,       // Somewhat more.
  kScattered,  // Much more.
  kShared,     // Fewer: lanes access the same elements.
  kMixed,      // Elements of several widths: the average decides nothing.
  kFilled,     // Stores: the sectors that the output fills, once each.
  kWasted,     // Stores: more sectors than the output fills.
};

struct GlobalAccess {
  bool load = true;  // Or a store.
  AccessUse use = AccessUse::kWhole;
  double ratio = 0;             // Sectors of a request.
  std::int64_t sectors = 0;     // Of all requests.
  std::int64_t width = 0;       // Bytes of a lane; the widest of several.
  std::int64_t filled = 0;      // kFilled and kWasted: the sectors of the output.
  double bytes_of_request = 0;  // kWasted: of the output.
  double lanes = 0;             // Of a request, where fewer than 32 are active and known.
  // Which it accesses; of a wasteful access those whose elements may lie apart.
  std::vector<std::string> arrays;
};

// The accesses with a verdict of the launch, which was counted; the loads first.
std::vector<GlobalAccess> GlobalAccessesOf(const KnownTask& known, const Candidate& answer,
                                           const AnswerCode& code, const VerdictLaunch& launch);
inline std::vector<GlobalAccess> GlobalAccessesOf(const ReasoningSubject& subject,
                                                  const VerdictLaunch& launch) {
  return GlobalAccessesOf(subject.known, subject.answer, subject.code, launch);
}

// Whether the access needs more sectors than it has to, by much.
bool IsWasteful(const GlobalAccess& access);
// Whether these are loads and stores, both whole and of one width and ratio.
bool AreWholeAlike(const std::vector<GlobalAccess>& accesses);
// How many times the fewest sectors an access touches.
double TimesOfFewest(const GlobalAccess& access);

// "An intermediate result": an array that one kernel of the plan stores and another one loads.
bool IsIntermediate(const AnswerCode& code, const AnswerKernel& kernel, const std::string& array);

// An array that two kernels of one plan load and none stores: no intermediate result.
struct SecondLoad {
  std::string array, first, second;
};
std::optional<SecondLoad> LoadedAgain(const AnswerCode& code);

// The kernel of the launch; null when it could not be parsed.
const AnswerKernel* KernelOf(const AnswerCode& code, const VerdictLaunch& launch);

}  // namespace kernelmill
