// Writes a task in other words, for tests that problems of benchmarks are found again: the disguises
// that a copy of a problem may have without computing anything else.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/python_signature.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

enum class Disguise { kNone, kNames, kConstants, kFormatting, kOrder, kWrapper, kFunctions };
inline constexpr Disguise kDisguises[] = {Disguise::kNone,       Disguise::kNames,
                                          Disguise::kConstants,  Disguise::kFormatting,
                                          Disguise::kOrder,      Disguise::kWrapper,
                                          Disguise::kFunctions};
inline std::string_view DisguiseName(Disguise disguise) {
  constexpr std::string_view kNames[] = {"none",  "names",   "constants", "formatting",
                                         "order", "wrapper", "functions"};
  return kNames[static_cast<int>(disguise)];
}

class DisguisedTask {
 public:
  // `code`: a task in KernelBench's convention.
  static std::string Write(const std::string& code, Disguise disguise) {
    switch (disguise) {
      case Disguise::kNone: return code;
      case Disguise::kNames: return DisguisedTask(code).Renamed(/*constants_only=*/false);
      case Disguise::kConstants: return DisguisedTask(code).Renamed(/*constants_only=*/true);
      case Disguise::kFormatting: return DisguisedTask(code).Formatted();
      case Disguise::kOrder: return DisguisedTask(code).Reordered();
      case Disguise::kWrapper: return DisguisedTask(code).Wrapped();
      case Disguise::kFunctions: return DisguisedTask(code).Split();
    }
    return code;
  }

 private:
  struct Edit {
    std::size_t first, last;
    std::string text;
  };
  using Names = std::set<std::string, std::less<>>;

  explicit DisguisedTask(const std::string& code)
      : code_(code), tree_(SyntaxTree::Parse(Grammar::kPython, code_)) {}

  std::string Edited(std::vector<Edit> edits) const {
    std::sort(edits.begin(), edits.end(),
              [](const Edit& a, const Edit& b) { return a.first < b.first; });
    std::string text;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
      if (edit.first < at) continue;
      text += code_.substr(at, edit.first - at) + edit.text;
      at = edit.last;
    }
    return text + code_.substr(at);
  }

  static void AddNames(const SyntaxNode& target, Names* variables, Names* attributes) {
    if (!target) return;
    SyntaxCursor cursor(target);
    bool into = true;
    do {
      const SyntaxNode node = cursor.Node();
      into = !node.Is("attribute") && !node.Is("subscript") && !node.Is("type");
      if (node.Is("identifier")) variables->emplace(node.Text());
      if (node.Is("attribute") && node.Field("object").Is("identifier")) {
        attributes->emplace(node.Field("attribute").Text());
      }
    } while (cursor.ToNext(into));
  }

  std::string Renamed(bool constants_only) const {
    Names variables, attributes;
    ForEachNode(tree_.Root(), [&](const SyntaxNode& node) {
      const bool top = node.Parent().Is("expression_statement") &&
                       node.Parent().Parent().Is("module");
      if (node.Is("assignment") && (top || !constants_only)) {
        AddNames(node.Field("left"), &variables, &attributes);
      }
      if (constants_only) return;
      if (node.Is("for_statement") || node.Is("for_in_clause")) {
        AddNames(node.Field("left"), &variables, &attributes);
      } else if (node.Is("function_definition")) {
        for (const PythonParameter& parameter : ReadParameters(node)) {
          variables.emplace(parameter.name);
        }
        const bool method = node.Parent().Parent().Is("class_definition");
        (method ? attributes : variables).emplace(node.Field("name").Text());
      } else if (node.Is("class_definition")) {
        variables.emplace(node.Field("name").Text());
      }
    });
    if (constants_only) attributes.clear();
    const auto fixed = [](std::string_view name) {
      return name.starts_with("__") || name == "Model" || name == "forward" ||
             name == "get_inputs" || name == "get_init_inputs";
    };
    const auto other = [&](std::string_view name) {
      return "q" + std::to_string(name.size()) + "_" + std::string(name.rbegin(), name.rend());
    };
    std::vector<Edit> edits;
    ForEachNode(tree_.Root(), [&](const SyntaxNode& node) {
      if (!node.Is("identifier") || fixed(node.Text())) return;
      const SyntaxNode parent = node.Parent();
      const bool attribute = parent.Is("attribute") && node.Role() == "attribute";
      if (parent.Is("keyword_argument") && node.Role() == "name") return;
      if (attribute && parent.Field("object").Text() != "self") return;
      const bool method = parent.Is("function_definition") &&
                          parent.Parent().Parent().Is("class_definition");
      const Names& names = attribute || method ? attributes : variables;
      if (names.contains(node.Text())) {
        edits.push_back({node.First(), node.Last(), other(node.Text())});
      }
    });
    return Edited(std::move(edits));
  }

  // Wider indentation, comments and blank lines.
  std::string Formatted() const {
    std::string text = "# A task.\n\n\n\n";
    for (std::size_t first = 0; first < code_.size();) {
      const std::size_t end = std::min(code_.find('\n', first), code_.size());
      const std::string line = code_.substr(first, end - first);
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      text += std::string(indent, ' ') + line + (line.empty() ? "# Here\n" : "\n");
      first = end + 1;
    }
    return text;
  }

  // The text of a node with its indentation.
  std::string LinesOf(const SyntaxNode& node) const {
    const std::size_t begin = code_.rfind('\n', node.First());
    return code_.substr(begin == code_.npos ? 0 : begin + 1,
                        node.Last() - (begin == code_.npos ? 0 : begin + 1)) + "\n";
  }

  // Functions before constants, classes last, methods from last to first.
  std::string Reordered() const {
    std::string imports, functions, constants, classes;
    for (const SyntaxNode& node : tree_.Root().Children()) {
      if (node.Kind().starts_with("import")) {
        imports += LinesOf(node);
      } else if (node.Is("function_definition") || node.Is("decorated_definition")) {
        functions = LinesOf(node) + functions;
      } else if (node.Is("class_definition")) {
        std::string methods;
        for (const SyntaxNode& child : node.Field("body").Children()) {
          methods = LinesOf(child) + methods;
        }
        classes += code_.substr(node.First(), node.Field("body").First() - node.First());
        classes = classes.substr(0, classes.rfind('\n') + 1) + methods;
      } else if (!node.Is("comment")) {
        constants += LinesOf(node);
      }
    }
    return imports + functions + constants + classes;
  }

  std::string Wrapped() const {
    std::vector<Edit> edits;
    ForEachNode(tree_.Root(), [&](const SyntaxNode& node) {
      if (node.Is("identifier") && node.Text() == "Model") {
        edits.push_back({node.First(), node.Last(), "Inner"});
      }
    });
    return Edited(std::move(edits)) +
           "\n\nclass Model(nn.Module):\n    def __init__(self, *settings):\n"
           "        super().__init__()\n        self.inner = Inner(*settings)\n\n"
           "    def forward(self, *tensors):\n        return self.inner(*tensors)\n";
  }

  // Each assignment and result in forward() becomes a function of the file.
  std::string Split() const {
    const SyntaxNode model = FindDefinition(tree_.Root(), "Model");
    const SyntaxNode forward = FindMethod(model, "forward");
    Names locals, unused;
    for (const PythonParameter& parameter : ReadParameters(forward)) {
      locals.emplace(parameter.name);
    }
    std::vector<Edit> edits;
    std::string functions;
    for (const SyntaxNode& statement : forward.Field("body").Children()) {
      SyntaxNode value, target;
      if (statement.Is("return_statement")) {
        value = statement.Children().front();
      } else if (statement.Is("expression_statement") &&
                 statement.Children().front().Is("assignment")) {
        value = statement.Children().front().Field("right");
        target = statement.Children().front().Field("left");
      }
      if (!value) continue;
      std::string arguments;
      Names used;
      ForEachNode(value, [&](const SyntaxNode& node) {
        const bool other = (node.Parent().Is("attribute") && node.Role() == "attribute") ||
                           (node.Parent().Is("keyword_argument") && node.Role() == "name");
        if (node.Is("identifier") && !other && locals.contains(node.Text())) {
          used.emplace(node.Text());
        }
      });
      for (const std::string& name : used) arguments += (arguments.empty() ? "" : ", ") + name;
      const std::string name = "step_" + std::to_string(edits.size());
      functions += "def " + name + "(" + arguments + "):\n    return (" +
                   std::string(value.Text()) + ")\n\n\n";
      edits.push_back({value.First(), value.Last(), name + "(" + arguments + ")"});
      AddNames(target, &locals, &unused);
    }
    edits.push_back({model.First(), model.First(), functions});
    return Edited(std::move(edits));
  }

  const std::string code_;
  const SyntaxTree tree_;
};

}  // namespace kernelmill
