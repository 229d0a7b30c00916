// What the statements of a kernel amount to: operations with a name, diagonals of matrices, work on
// one row per launch, optional outputs, and limits that constants of the code set.
#include <regex>

#include "generators/kernel_prose/kernel_prose.h"

namespace kernelmill {
namespace {

// What a pattern in the body of a kernel means; $1, $2 … in the sentence are its groups.
struct Meaning {
  std::regex pattern;
  std::string sentence;
};

const std::vector<Meaning>& AllMeanings() {
  static const std::vector<Meaning> kMeanings = {
      {std::regex(R"(\b(\w+) /= (\w+); (?:\w+ )?\1 = tanhf\(\1\); (?:\w+ )?\1 \*= \2;)"),
       "This is a soft cap: values that are small beside `$2` hardly change, and every result lies "
       "between `-$2` and `$2`."},
      {std::regex(R"(\b(\w+) /= (\w+); (?:\w+ )?\1 = rintf\(\1\); \1 \+= (\w+); )"
                  R"(\1 = clamp\(\1, ([\w.]+), (\w+)\);)"),
       "This quantises: the value in steps of `$2` is rounded to a whole number, shifted by `$3`, "
       "and "
       "kept between `$4` and `$5`."},
      {std::regex(R"((\w+) = __hsub\(\1, (\w+)\); \1 = __hmul\(\1, (\w+)\);)"),
       "Then it dequantises again: `$2` is subtracted and the difference multiplied by `$3`, in "
       "half "
       "precision, so that the stored value is the number that the quantised one stands for."},
      {std::regex(
           R"(i < (\d+); (?:i\+\+|\+\+i)\) \{.*\|= \(\(\(?uint32_t\)? ?\w+\) << \(i \* (\d+)\)\))"),
       "This packs $1 values of $2 bits each into one 32-bit word, the first one into the lowest "
       "bits."},
  };
  return kMeanings;
}

bool IsParameter(const KernelSubject& subject, const std::string& name) {
  for (const KernelParameter& one : subject.facts.parameters) {
    if (one.name == name && !one.pointer) return true;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> ConstantIn(const KernelSubject& subject, const std::string& name) {
  const std::regex defined("(?:\\bconst(?:expr)? int " + name + " = (\\d+);|#define " + name +
                           " (\\d+)\\s)");
  std::smatch match;
  const std::string& code = subject.kernel.code;
  if (!std::regex_search(code, match, defined)) return std::nullopt;
  return std::stoll(match[1].matched ? match[1].str() : match[2].str());
}

std::string MeaningProse(const KernelSubject& subject, const std::vector<std::string>& written) {
  static const std::regex kDiagonal(R"((\w+)\[(\w+) \* \w+ \+ \2\])"),
      kRow(R"(\b(\w+) = (\w+) \* \w+ \+ (\w+);)"), kOptional(R"(if \((\w+)\) \{ ?[^{}]*\b\1\[)");
  std::string text;
  std::smatch match;
  for (const Meaning& meaning : AllMeanings()) {
    if (std::regex_search(subject.body, match, meaning.pattern)) {
      Append(&text, match.format(meaning.sentence));
    }
  }
  if (std::regex_search(subject.body, match, kDiagonal) && IsParameter(subject, match[2])) {
    Append(&text, "`" + match[0].str() + "` is element `" + match[2].str() +
                      "` of the diagonal of a matrix.");
  }
  if (std::regex_search(subject.body, match, kRow) && IsParameter(subject, match[2]) &&
      !IsParameter(subject, match[3])) {
    Append(&text, "As `" + match[2].str() + "` is a parameter, one launch works on row `" +
                      match[2].str() + "` alone.");
  }
  if (std::regex_search(subject.body, match, kOptional)) {
    for (const std::string& array : written) {
      if (array != match[1]) continue;
      Append(&text, "`" + array + "` is optional: where it is null, nothing is stored there.");
    }
  }
  return text;
}

std::string ConstantLimits(const KernelSubject& subject) {
  static const std::regex kShared(R"(__shared__ \w+ (\w+)\[(\w+)\];)"),
      kLoop(R"(for \((?:int )?(\w+) = 0; \1 < (\w+); (?:\+\+\1|\1\+\+)\))");
  std::string text;
  std::smatch array, loop;
  if (!std::regex_search(subject.body, array, kShared) ||
      !std::regex_search(subject.body, loop, kLoop) || !IsParameter(subject, loop[2])) {
    return "";
  }
  const auto size = ConstantIn(subject, array[2]);
  const std::string read = array[1].str() + "[" + loop[1].str() + "]";
  if (!size || subject.body.find(read) == std::string::npos) return "";
  return "The loop reads `" + read + "` up to `" + loop[2].str() + "`, so `" + loop[2].str() +
         "` must not exceed `" + array[2].str() + "`, which is " + std::to_string(*size) + ".";
}

}  // namespace kernelmill
