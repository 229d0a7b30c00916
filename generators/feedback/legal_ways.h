// What an answer that is illegal should do instead, one sentence for each reason, for feedback on
// its verdict (verdict_feedback.h).
#pragma once

#include <string_view>

namespace kernelmill {

// A clause in the imperative for a reason of "illegal" (corpora/records/verdict.cc); empty for
// other names.
std::string_view LegalWay(std::string_view reason);

}  // namespace kernelmill
