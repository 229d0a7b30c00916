#include "stages/mine/task_policy_rewrite.h"

#include <optional>

#include "parsers/syntax_tree.h"

namespace kernelmill {
namespace {

struct Edit {
  std::size_t first, last;
  std::string text;
};

std::optional<Edit> Membership(const SyntaxNode& node) {
  const auto operands = node.Children();
  const std::string_view op = node.Field("operators").Text();
  if (operands.size() != 2 || (op != "in" && op != "not in")) return std::nullopt;
  if (!operands[0].Is("string") || !operands[1].Is("call")) return std::nullopt;
  const auto arguments = operands[1].Field("arguments").Children();
  if (operands[1].Field("function").Text() != "dir" || arguments.size() != 1) return std::nullopt;
  return Edit{node.First(), node.Last(),
              (op == "in" ? "hasattr(" : "not hasattr(") + std::string(arguments[0].Text()) + ", " +
                  std::string(operands[0].Text()) + ")"};
}

std::optional<Edit> Accessor(const SyntaxNode& node) {
  const SyntaxNode function = node.Field("function");
  if (!function.Is("attribute") || function.Field("object").Text() != "self") return std::nullopt;
  const std::string_view name = function.Field("attribute").Text();
  if (name != "__setattr__" && name != "__delattr__") return std::nullopt;
  const auto arguments = node.Field("arguments").Children();
  if (arguments.size() != (name == "__setattr__" ? 2u : 1u)) return std::nullopt;
  return Edit{function.First(), arguments[0].First(),
              name == "__setattr__" ? "setattr(self, " : "delattr(self, "};
}

}  // namespace

std::string RewriteForTaskPolicy(const std::string& code) {
  // Parsing costs more than all that follows, and few modules need it.
  const bool needed = code.find("dir(") != std::string::npos ||
                      code.find("__setattr__") != std::string::npos ||
                      code.find("__delattr__") != std::string::npos;
  if (!needed) return code;
  std::string text;
  std::size_t done = 0;
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, code);
  SyntaxCursor cursor(tree.Root());
  do {
    const SyntaxNode node = cursor.Node();
    if (node.First() >= done) {
      std::optional<Edit> edit;
      if (node.Is("comparison_operator")) edit = Membership(node);
      if (node.Is("call")) edit = Accessor(node);
      if (edit) {
        text.append(code, done, edit->first - done);
        text += edit->text;
        done = edit->last;
      }
    }
  } while (cursor.ToNext());
  return text.append(code, done);
}

}  // namespace kernelmill
