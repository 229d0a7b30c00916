#include "stages/verify/legality/called_names.h"

#include <vector>

#include "parsers/syntax_tree.h"

namespace kernelmill {
namespace {

constexpr std::string_view kBackward = "backward";

bool IsBackwardPass(const SyntaxNode& definition) {
  if (!definition.Is("function_definition") || definition.Field("name").Text() != kBackward) {
    return false;
  }
  SyntaxNode owner = definition.Parent();
  while (owner && !owner.Is("class_definition") && !owner.Is("function_definition")) {
    owner = owner.Parent();
  }
  if (!owner.Is("class_definition") || !owner.Field("superclasses")) return false;
  const SyntaxNode bases = owner.Field("superclasses");
  for (const SyntaxNode& base : bases.Children()) {
    const std::string_view text = base.Text();
    if (text == "Function" || text.ends_with(".Function")) return true;
  }
  return false;
}

// Whether a name gives access to attributes by names that a program computes.
bool GetsAnyAttribute(std::string_view name) {
  for (std::string_view one : {"getattr", "vars", "__dict__", "__getattribute__", "__getattr__",
                               "attrgetter", "methodcaller", "getmembers", "eval", "exec"}) {
    if (name == one) return true;
  }
  return false;
}

}  // namespace

CalledNames::CalledNames(std::string_view python) {
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, python);
  bool names_backward = false;
  std::vector<SyntaxNode> passes;
  const auto add = [&](const SyntaxNode& root) {
    SyntaxCursor cursor(root);
    bool into = true;
    do {
      const SyntaxNode node = cursor.Node();
      into = root.First() == node.First() && root.Last() == node.Last() ? true
                                                                        : !IsBackwardPass(node);
      if (!into) passes.push_back(node);
      if (!into || !node.Is("identifier")) continue;
      names_.emplace(node.Text());
      all_ = all_ || GetsAnyAttribute(node.Text());
      names_backward = names_backward || (node.Text() == kBackward && node.Role() == "attribute");
    } while (cursor.ToNext(into));
  };
  add(tree.Root());
  if (!names_backward) return;
  for (std::size_t i = 0; i < passes.size(); ++i) add(SyntaxNode(passes[i]));
}

}  // namespace kernelmill
