#include "stages/verify/legality/device_branch.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "corpora/kernel_backend.h"
#include "stages/verify/legality/input_tensors.h"

namespace kernelmill {
namespace {

// "( ! x.is_cuda() )" → "!x.is_cuda()"
std::string WithoutSpaces(std::string_view text) {
  std::string bare;
  for (char c : text) {
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') bare += c;
  }
  while (bare.size() > 2 && bare.front() == '(' && bare.back() == ')' &&
         bare.find(')') > bare.rfind('(') + 1 && bare.find("&&") == bare.npos &&
         bare.find("||") == bare.npos) {
    bare = bare.substr(1, bare.size() - 2);
  }
  return bare;
}

// 1 for a tensor on a device, -1 for one on the CPU, 0 for another test.
int DeviceTest(std::string_view text) {
  const bool negated = text.starts_with("!");
  if (negated) text.remove_prefix(1);
  while (text.starts_with("(") && text.ends_with("))")) text = text.substr(1, text.size() - 2);
  if (text.find_first_of("!&|=<>") != text.npos) return 0;
  for (const std::string& query : DeviceQueries()) {
    if (text.ends_with(query + "()")) return negated ? -1 : 1;
  }
  return text.ends_with("is_cpu()") ? (negated ? 1 : -1) : 0;
}

// Whether all parts of a condition that `sign` joins are tests of inputs with this outcome. Only
// inputs are known to be on the device: a tensor that host code makes may be on the host there too.
bool AllTest(const SyntaxTree& tree, const SyntaxNode& statement, std::string_view condition,
             std::string_view sign, int outcome) {
  for (;;) {
    const std::size_t end = std::min(condition.find(sign), condition.size());
    const std::string test = WithoutSpaces(condition.substr(0, end));
    if (DeviceTest(test) != outcome) return false;
    const std::string_view tested = std::string_view(test).substr(test.find_first_not_of("!("));
    if (!IsInputTensor(tree, statement, LeadingName(tested))) return false;
    if (end == condition.size()) return true;
    condition.remove_prefix(end + sign.size());
  }
}

}  // namespace

std::vector<TextRange> CpuBranches(const SyntaxTree& tree) {
  std::vector<TextRange> found;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    if (!node.Is("if_statement")) return;
    std::string_view condition = node.Field("condition").Text();
    if (condition.starts_with("(") && condition.ends_with(")")) {
      condition = condition.substr(1, condition.size() - 2);
    }
    const SyntaxNode taken = AllTest(tree, node, condition, "||", -1)  ? node.Field("consequence")
                             : AllTest(tree, node, condition, "&&", 1) ? node.Field("alternative")
                                                           : SyntaxNode();
    if (taken) found.push_back({taken.First(), taken.Last()});
  });
  return found;
}

}  // namespace kernelmill
