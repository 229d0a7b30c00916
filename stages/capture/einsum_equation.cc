#include "stages/capture/einsum_equation.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "corpora/operators/operator_table.h"

namespace kernelmill {
namespace {

constexpr std::string_view kDots = "...";

struct Equation {
  std::vector<std::string> operands;
  std::string result;

  // The equation with its letters renamed in the order of their first use.
  std::string InOrder() const {
    std::map<char, char> names;
    std::string text;
    const auto add = [&](const std::string& letters) {
      for (const char letter : letters) {
        text += names.emplace(letter, static_cast<char>('a' + names.size())).first->second;
      }
    };
    for (const std::string& letters : operands) {
      add(letters);
      text += ',';
    }
    text.back() = '>';
    add(result);
    return text;
  }
};

std::string WithoutSpaces(std::string_view text) {
  std::string kept(text);
  std::erase(kept, ' ');
  return kept;
}

Equation Parted(const std::string& text) {
  Equation equation;
  const std::size_t arrow = std::min(text.find("->"), text.size());
  std::size_t at = 0;
  while (at <= arrow) {
    const std::size_t end = std::min(text.find(',', at), arrow);
    equation.operands.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (arrow < text.size()) {
    equation.result = text.substr(arrow + 2);
    return equation;
  }
  // Without an arrow, the result has the letters that occur once, in alphabetical order.
  std::map<char, int> counts;
  bool dots = false;
  for (const std::string& letters : equation.operands) {
    dots |= letters.find(kDots) != letters.npos;
    for (const char letter : letters) counts[letter] += letter != '.';
  }
  if (dots) equation.result = kDots;
  for (const auto& [letter, count] : counts) {
    if (count == 1) equation.result += letter;
  }
  return equation;
}

// Replaces "..." by capital letters that the equation does not use, aligned at the last dimension.
bool SpellDots(std::span<const int> ranks, Equation* equation) {
  std::string all = equation->result;
  for (const std::string& letters : equation->operands) all += letters;
  std::vector<int> hidden;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::string& letters = equation->operands[i];
    const bool dots = letters.find(kDots) != letters.npos;
    hidden.push_back(ranks[i] - static_cast<int>(letters.size()) + (dots ? 3 : 0));
    if (hidden[i] < 0 || (!dots && hidden[i] > 0)) return false;
  }
  const int most = *std::max_element(hidden.begin(), hidden.end());
  std::string names;
  for (char letter = 'A'; letter <= 'Z' && static_cast<int>(names.size()) < most; ++letter) {
    if (all.find(letter) == all.npos) names += letter;
  }
  const auto spell = [&](std::string* letters, int count) {
    const std::size_t at = letters->find(kDots);
    if (at != letters->npos) {
      letters->replace(at, kDots.size(),
                       names.substr(names.size() - static_cast<std::size_t>(count)));
    }
  };
  for (std::size_t i = 0; i < ranks.size(); ++i) spell(&equation->operands[i], hidden[i]);
  spell(&equation->result, most);
  return true;
}

}  // namespace

std::optional<KnownEquation> FindEquation(std::string_view given, std::span<const int> ranks) {
  Equation equation = Parted(WithoutSpaces(given));
  if (equation.operands.size() != ranks.size() || ranks.empty()) return std::nullopt;
  if (!SpellDots(ranks, &equation)) return std::nullopt;
  const OperatorRow* const row = FindOperator("einsum");
  if (row == nullptr) return std::nullopt;
  const std::span<const std::string_view> words = row->attributes[0].choices;
  // An equation of the table with the same letters comes first: it is what the author means.
  if (std::find(words.begin(), words.end(), given) != words.end()) {
    return KnownEquation{std::string(given)};
  }
  for (const bool exchanged : {false, true}) {
    if (exchanged && equation.operands.size() != 2) break;
    if (exchanged) std::swap(equation.operands[0], equation.operands[1]);
    const std::string wanted = equation.InOrder();
    for (const std::string_view word : words) {
      if (Parted(std::string(word)).InOrder() == wanted) {
        return KnownEquation{std::string(word), exchanged};
      }
    }
  }
  return std::nullopt;
}

}  // namespace kernelmill
