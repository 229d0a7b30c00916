#include "generators/grounding/unsupported_claims.h"

#include <algorithm>
#include <cstdlib>

#include "generators/grounding/supported_facts.h"
#include "generators/wording/tensor_text.h"
#include "manifests/ascii.h"

namespace kernelmill {
namespace {

using Names = SupportedFacts::Names;

// The numbers of the tuple "(2, 64)", "(8,)" or "[8]" that `text` begins with; empty without one.
std::vector<std::int64_t> TupleAt(std::string_view text) {
  const bool square = text[0] == '[';
  const std::size_t close = text.find(square ? ']' : ')');
  const std::string_view inner = text.substr(1, close - 1);
  if (close == text.npos || (!square && inner.find(',') == inner.npos) ||
      inner.find_first_not_of("0123456789, ") != inner.npos) {
    return {};
  }
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < inner.size();) {
    std::size_t end = at;
    while (end < inner.size() && IsDigit(inner[end])) ++end;
    if (end > at) numbers.push_back(std::atoll(std::string(inner.substr(at, end - at)).c_str()));
    at = std::max(end, at + 1);
  }
  return numbers;
}

std::string Around(std::string_view text, std::size_t at) {
  const std::size_t start = at > 30 ? at - 30 : 0;
  return WithSingleSpaces(text.substr(start, 70));
}

class Reader {
 public:
  Reader(std::string_view text, const SupportedFacts& facts) : text_(text), facts_(facts) {}

  std::vector<std::string> Read() {
    bool fenced = false;
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', start), text_.size());
      const std::string_view line = text_.substr(start, end - start);
      if (line.starts_with("```")) {
        fenced = !fenced;
      } else if (!fenced) {
        ReadLine(line);
      }
      start = end + 1;
    }
    return std::move(claims_);
  }

 private:
  void ReadLine(std::string_view line) {
    std::size_t at = 0;
    while (at < line.size() && (line[at] == '*' || line[at] == '#' || line[at] == ' ')) ++at;
    // Skip the number of a paragraph: "3. Shapes".
    std::size_t digits = at;
    while (digits < line.size() && IsDigit(line[digits])) ++digits;
    const bool numbered = line.substr(digits).starts_with(". ") ||
                          line.substr(digits).starts_with(") ") ||
                          (line.starts_with("#### ") && line.substr(digits).starts_with(" "));
    if (digits > at && numbered) at = digits;
    const Names traced = TraceIn(line);
    while (at < line.size()) {
      if (line[at] == '`') {
        const std::size_t end = std::min(line.find('`', at + 1), line.size());
        const std::string_view span = line.substr(at + 1, end - at - 1);
        if (!facts_.SupportsCode(span)) Claim("`" + std::string(span) + "`", line, at);
        at = end + 1;
      } else if ((line[at] == '(' || line[at] == '[') && ReadTuple(line, &at)) {
        continue;
      } else if (IsDigit(line[at]) && ReadProduct(line, &at)) {
        continue;
      } else if (IsDigit(line[at]) && (at == 0 || !IsNamePart(line[at - 1]))) {
        const std::size_t start = at;
        const std::string number = NumberAt(line, &at);
        std::string_view unit = line.substr(at);
        while (unit.starts_with(' ')) unit.remove_prefix(1);
        // A line number is supported by the code that the sentence quotes.
        const std::string_view before = line.substr(0, start);
        const bool second = (before.ends_with(" and ") || before.ends_with(", ")) &&
                            before.find("ines ") != before.npos;
        if (before.ends_with("ine ") || before.ends_with("ines ") ||
            (second && facts_.SupportsLine(number, {}))) {
          if (!facts_.SupportsLine(number, SpansIn(line))) Claim("line " + number, line, start);
          continue;
        }
        if (!facts_.SupportsNumber(number, unit) && !IsPosition(line, number) &&
            !traced.contains(number)) {
          Claim(number, line, start);
        }
      } else {
        ++at;
      }
    }
  }

  static std::vector<std::string> SpansIn(std::string_view line) {
    std::vector<std::string> spans;
    for (std::size_t at = line.find('`'); at != line.npos;) {
      const std::size_t end = line.find('`', at + 1);
      if (end == line.npos) break;
      if (end > at + 1) spans.push_back(WithSingleSpaces(line.substr(at + 1, end - at - 1)));
      at = line.find('`', end + 1);
    }
    return spans;
  }

  // The numbers that "thread 3 of block 2" in the line accounts for. When no launch has such a
  // thread, or the thread has no element, the phrase itself is an unsupported claim.
  Names TraceIn(std::string_view line) {
    constexpr std::string_view kThread = "hread ", kBlock = " of block ";
    for (std::size_t at = line.find(kThread); at != line.npos; at = line.find(kThread, at + 1)) {
      std::size_t end = at + kThread.size();
      const std::string thread = NumberAt(line, &end);
      if (thread.empty() || !line.substr(end).starts_with(kBlock)) continue;
      end += kBlock.size();
      const std::string block = NumberAt(line, &end);
      if (block.empty()) continue;
      Names numbers =
          facts_.NumbersOfTrace(std::atoll(thread.c_str()), std::atoll(block.c_str()));
      if (numbers.empty()) Claim("thread " + thread + " of block " + block, line, at);
      return numbers;
    }
    return {};
  }

  // Whether the line contains the coordinates of the element at that position.
  bool IsPosition(std::string_view line, const std::string& number) const {
    for (std::size_t at = line.find('('); at != line.npos; at = line.find('(', at + 1)) {
      const std::vector<std::int64_t> numbers = TupleAt(line.substr(at));
      if (!numbers.empty() && facts_.PositionsOf(numbers).contains(number)) return true;
    }
    return false;
  }

  // Reads a tuple: the shape or strides of a tensor, or the coordinates of an element whose
  // position the line names too. Returns false when there is none at `*at`.
  bool ReadTuple(std::string_view line, std::size_t* at) {
    const std::size_t end = line.find(line[*at] == '[' ? ']' : ')', *at);
    if (end == line.npos) return false;
    const std::string tuple(line.substr(*at, end + 1 - *at));
    const std::vector<std::int64_t> numbers = TupleAt(tuple);
    if (numbers.empty()) return false;
    if (!facts_.SupportsShape(ShapeText(numbers))) {
      const Names in_line = NumberTextsIn(line);
      const Names positions = facts_.PositionsOf(numbers);
      const bool named = std::any_of(positions.begin(), positions.end(), [&](const auto& position) {
        return in_line.contains(position);
      });
      if (!named) Claim(tuple, line, *at);
    }
    *at = end + 1;
    return true;
  }

  // Reads "2×64", the shape of a tensor. Returns false when there is none at `*at`.
  bool ReadProduct(std::string_view line, std::size_t* at) {
    constexpr std::string_view kTimes = "×";
    std::vector<std::int64_t> sizes;
    std::size_t end = *at;
    for (;;) {
      const std::size_t first = end;
      while (end < line.size() && IsDigit(line[end])) ++end;
      if (end == first) return false;
      sizes.push_back(std::atoll(std::string(line.substr(first, end - first)).c_str()));
      if (!line.substr(end).starts_with(kTimes)) break;
      end += kTimes.size();
    }
    if (sizes.size() < 2) return false;
    if (!facts_.SupportsShape(ShapeText(sizes))) {
      Claim(std::string(line.substr(*at, end - *at)), line, *at);
    }
    *at = end;
    return true;
  }

  void Claim(const std::string& what, std::string_view line, std::size_t at) {
    claims_.push_back(what + " in \"" + Around(line, at) + "\"");
  }

  std::string_view text_;
  const SupportedFacts& facts_;
  std::vector<std::string> claims_;
};

}  // namespace

std::vector<std::string> UnsupportedClaims(std::string_view markdown, const KnownTask& known,
                                           const std::vector<const Candidate*>& about) {
  const SupportedFacts facts(known, about);
  return Reader(markdown, facts).Read();
}

}  // namespace kernelmill
