// Reasons not to train a correct sample, found in its text.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

struct SampleText {
  std::string_view message;    // The visible text, without reasoning.
  std::string_view reasoning;  // "" if there is none.
  std::string_view judged_code;
  bool cut = false;        // Stopped at a length limit, or its reasoning has no end: Sample::cut.
  bool code_only = false;  // The sample file had code and no message.
};

// A name from manifests/reason.h, or "" for a sample that may be trained:
//   cut_off            the model was stopped at a length limit, or its reasoning does not end
//   reasoning_loops    reasoning or message repeats itself (Repeats())
//   plans_fallback     reasoning or message plans to let torch or a library compute
//   (planned_fallback.h) code_differs       the last code of the message is not the code that was
//   judged
// The first that applies, in this order.
std::string_view SampleObjection(const SampleText& text);

// Whether a text goes in circles: in some window of 400 words, at least half of the sequences of
// 10 words have stood in that window before. Each Chinese character counts as a word. Code in
// fences is left out, because kernels repeat themselves lawfully.
bool Repeats(std::string_view text);

}  // namespace kernelmill
