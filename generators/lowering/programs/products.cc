// Element programs of einsum in general: any number of operands, with diagonals and transposes.
#include <algorithm>
#include <map>

#include "generators/lowering/element_program.h"

namespace kernelmill {
namespace {

using Axes = std::vector<std::string>;

bool Einsum(ElementProgram* p) {
  const std::string_view equation = p->Choice("equation");
  const std::size_t arrow = equation.find("->");
  if (arrow == equation.npos || equation.find('.') != equation.npos) return false;
  const std::string_view result = equation.substr(arrow + 2);
  if (static_cast<int>(result.size()) != p->result_shape().rank()) return false;
  // The coordinate name of each letter, and the sizes of the summed ones.
  std::map<char, std::string> names;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!names.emplace(result[i], p->axes()[i]).second) return false;
  }
  // The size of a letter is that of an operand that is not broadcast along it.
  std::map<char, std::string> lengths;
  const auto is_spread = [&](char letter, std::int64_t size) {
    return size == 1 && lengths.contains(letter);
  };
  std::string_view all = equation.substr(0, arrow);
  for (std::size_t operand = 0; operand < p->operands().size(); ++operand) {
    const std::string_view letters = all.substr(0, all.find(','));
    all.remove_prefix(std::min(letters.size() + 1, all.size()));
    const int k = static_cast<int>(operand);
    if (static_cast<int>(letters.size()) != p->shape(k).rank()) return false;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (p->shape(k)[static_cast<int>(i)] != 1) lengths.emplace(letters[i], p->Sizes(k)[i]);
    }
  }
  std::vector<std::pair<std::string, std::string>> loops;
  std::string product;
  std::string_view rest = equation.substr(0, arrow);
  for (std::size_t operand = 0; operand < p->operands().size(); ++operand) {
    const std::string_view letters = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(letters.size() + 1, rest.size()));
    const int k = static_cast<int>(operand);
    const Axes sizes = p->Sizes(k);
    if (letters.size() != sizes.size()) return false;
    Axes at;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const std::string name = std::string("sum_") + letters[i];
      const bool spread = is_spread(letters[i], p->shape(k)[static_cast<int>(i)]);
      const std::string& length = spread ? lengths.at(letters[i]) : sizes[i];
      if (names.emplace(letters[i], name).second) loops.push_back({name, length});
      at.push_back(spread ? "0" : names.at(letters[i]));
    }
    product += (product.empty() ? "" : " * ") + p->Read(k, at);
  }
  if (!rest.empty()) return false;
  if (loops.empty()) {
    p->Result(product);
    return true;
  }
  std::string text = "result += " + product + ";\n";
  for (std::size_t i = loops.size(); i-- > 0;) {
    text = FillHoles("for (@index@ @axis@ = 0; @axis@ < @size@; ++@axis@) {\n  @text@\n}\n",
                     {{"index", p->Index()},
                      {"axis", loops[i].first},
                      {"size", loops[i].second},
                      {"text", text}});
  }
  p->Line(p->ResultType() + " result = 0;");
  p->Line(text);
  return true;
}

}  // namespace

void AddProductPrograms(std::vector<ProgramRow>* rows) {
  rows->push_back({"einsum", Einsum, "sums the products that the equation names"});
}

}  // namespace kernelmill
