#include "generators/task_rows/mutant_facts.h"

#include <algorithm>

#include "generators/fenced_code.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostPlaces = 4;

}  // namespace

std::string MutantFacts::Place() const {
  std::vector<std::string> lines;
  bool missing = true;
  for (const LineChange& change : changes) {
    missing = missing && change.was.empty();
    if (lines.size() < kMostPlaces) lines.push_back(std::to_string(change.line));
  }
  const std::string word = lines.size() == 1 ? "line " : "lines ";
  return (missing ? "after " : "") + word + Listed(lines);
}

std::string MutantFacts::Diff() const {
  std::string text;
  for (const LineChange& change : changes) {
    if (!text.empty()) text += "…\n";
    for (const std::string& line : change.was) text += '-' + line + '\n';
    for (const std::string& line : change.is) text += '+' + line + '\n';
  }
  return Fenced("diff", text);
}

std::vector<MutantFacts> MutantsOf(const KnownTask& known) {
  std::vector<MutantFacts> all;
  for (const KnownCandidate& mutant : known.candidates) {
    const BugClass* const bug = FindBug(mutant.candidate.bug);
    if (bug == nullptr) continue;
    const auto right = std::find_if(
        known.candidates.begin(), known.candidates.end(),
        [&](const KnownCandidate& one) { return one.id.Hex() == mutant.candidate.parent; });
    if (right == known.candidates.end() || !right->IsAnswer()) continue;
    all.push_back(
        {&mutant, &*right, bug, LineChanges(mutant.candidate.code, right->candidate.code)});
  }
  return all;
}

}  // namespace kernelmill
