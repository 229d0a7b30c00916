#include "generators/task_rows/bug_words.h"

#include <algorithm>

#include "generators/wording/fenced_code.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {
namespace {

// The changed line without its indentation, where the mistake is one line of code. A brace alone
// names no place.
std::string WrongLine(const MutantFacts& facts) {
  if (facts.changes.size() != 1 || facts.changes[0].was.size() != 1) return "";
  const std::string& line = facts.changes[0].was[0];
  const std::string code = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  return code.size() <= 2 || code.find('`') != code.npos ? "" : code;
}

// The code that is missing, or that stands in the place of other code: " Here `end` stands where
// `i` belongs." "" where the change is no short piece of one line.
std::string Detail(const MutantFacts& facts) {
  constexpr std::size_t kLongestLine = 90;
  const auto exchange = facts.Exchanged();
  if (exchange && !exchange->was.empty() && !exchange->is.empty()) {
    return " Here `" + exchange->was + "` stands where `" + exchange->is + "` belongs.";
  }
  if (facts.changes.size() != 1 || !facts.changes[0].was.empty() ||
      facts.changes[0].is.size() != 1) {
    return "";
  }
  const std::string& line = facts.changes[0].is[0];
  const std::string code = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  const bool quotable =
      code.size() > 2 && code.size() <= kLongestLine && code.find('`') == code.npos;
  return quotable ? " The line `" + code + "` is missing." : "";
}

}  // namespace

std::string MistakeText(const MutantFacts& facts, bool numbered) {
  const std::string code = WrongLine(facts);
  const bool missing = std::all_of(facts.changes.begin(), facts.changes.end(),
                                   [](const LineChange& change) { return change.was.empty(); });
  std::string place;
  if (numbered) {
    const bool slow = facts.bug->failure == FailureClass::kSlowness;
    place = missing ? "Something is missing " + facts.Place()
                    : Capital(facts.Place()) + (facts.changes.size() == 1 ? " is" : " are") +
                          (slow ? " the reason" : " wrong");
    if (!code.empty()) place += ": `" + code + "`";
    place += ". ";
  } else if (!code.empty()) {
    place = "The mistake is in `" + code + "`: ";
  }
  const std::string cause(facts.bug->cause);
  return place + (place.ends_with(": ") ? cause : Capital(cause)) + "." + Detail(facts);
}

std::string FixText(const MutantFacts& facts) {
  std::string text = Capital(facts.bug->remedy) + ":\n\n" + facts.Diff();
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace kernelmill
