#include "generators/task_rows/mutant_facts.h"

#include <algorithm>

#include "generators/wording/fenced_code.h"
#include "generators/wording/sentence_writer.h"
#include "manifests/ascii.h"
#include "parsers/text_lines.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostPlaces = 4;
constexpr std::size_t kLongestExchange = 48;

// Splits the line into words, operators and single other characters.
std::vector<std::string> WordsOf(const std::string& line) {
  constexpr std::string_view kSigns = "<>=!+-*/%&|:";
  const auto kind = [&](char c) {
    return IsNamePart(c) ? 1 : kSigns.find(c) != kSigns.npos ? 2 : 0;
  };
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const int of = kind(line[at]);
    if (of != 0 && at > 0 && kind(line[at - 1]) == of) {
      words.back() += line[at];
    } else {
      words.emplace_back(1, line[at]);
    }
  }
  return words;
}

bool IsBalanced(const std::string& text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (depth < 0) return false;
  }
  return depth == 0;
}

std::string Joined(const std::vector<std::string>& words, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) text += words[i];
  const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
  text.erase(0, start);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

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

std::string MutantFacts::Kernel() const {
  const std::vector<std::string_view> lines = LinesOf(mutant->candidate.code);
  std::string found;
  for (const LineChange& change : changes) {
    std::string name;
    auto line =
        std::min(static_cast<std::size_t>(std::max<std::int64_t>(1, change.line)), lines.size());
    // The closing brace of a definition stands at the start of a line.
    while (line > 1 && lines[line - 1] != "}" && !lines[line - 1].starts_with("__global__")) --line;
    if (line == 0 || !lines[line - 1].starts_with("__global__")) return "";
    std::string head;
    for (; line <= lines.size() && head.find('{') == head.npos; ++line) head += lines[line - 1];
    for (const DesignedKernel& plan : right->candidate.kernels) {
      for (const std::string& kernel : plan.kernels) {
        if (head.find(' ' + kernel + '(') != head.npos) name = kernel;
      }
    }
    if (name.empty() || (!found.empty() && found != name)) return "";
    found = name;
  }
  return found;
}

std::optional<MutantFacts::Exchange> MutantFacts::Exchanged() const {
  if (changes.size() != 1 || changes[0].was.size() > 1 || changes[0].is.size() > 1) {
    return std::nullopt;
  }
  const std::vector<std::string> was =
      WordsOf(changes[0].was.empty() ? "" : changes[0].was[0]);
  const std::vector<std::string> is = WordsOf(changes[0].is.empty() ? "" : changes[0].is[0]);
  std::size_t front = 0, back = 0;
  while (front < std::min(was.size(), is.size()) && was[front] == is[front]) ++front;
  while (back < std::min(was.size(), is.size()) - front &&
         was[was.size() - 1 - back] == is[is.size() - 1 - back]) {
    ++back;
  }
  Exchange exchange = {Joined(was, front, was.size() - back), Joined(is, front, is.size() - back)};
  const std::string both = exchange.was + exchange.is;
  if (both.empty() || both.find('`') != both.npos || exchange.was.size() > kLongestExchange ||
      exchange.is.size() > kLongestExchange || !IsBalanced(exchange.was) ||
      !IsBalanced(exchange.is)) {
    return std::nullopt;
  }
  return exchange;
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
    if (right == known.candidates.end() || !right->candidate.IsTaught()) continue;
    all.push_back(
        {&mutant, &*right, bug, LineChanges(mutant.candidate.code, right->candidate.code)});
  }
  return all;
}

}  // namespace kernelmill
