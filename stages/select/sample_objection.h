// Reasons not to train a correct sample, found in its text.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

struct SampleText {
  std::string_view message;    // The visible text, without reasoning.
  std::string_view reasoning;  // "" if there is none.
  std::string_view judged_code;
  std::string_view finish_reason;  // As the format gives it: "stop", "length"; "" if unknown.
  bool reasoning_closed = true;    // False for a <think> without its end.
  bool code_only = false;          // The sample file had code and no message.
};

// A name from manifests/reason.h, or "" for a sample that may be trained:
//   cut_off            the model was stopped at a length limit, or its reasoning does not end
//   reasoning_loops    reasoning or message repeats itself (Repeats())
//   plans_fallback     reasoning or message plans to let torch or a library compute
//   code_differs       the last code of the message is not the code that was judged
// The first that applies, in this order.
std::string_view SampleObjection(const SampleText& text);

// Whether a text goes in circles: in some window of 400 words, at least half of the sequences of
// 10 words have stood in that window before. Code in fences is left out, because kernels repeat
// themselves lawfully.
bool Repeats(std::string_view text);

}  // namespace kernelmill
