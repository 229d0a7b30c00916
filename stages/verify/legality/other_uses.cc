#include "stages/verify/legality/other_uses.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "corpora/kernel_backend.h"
#include "parsers/cuda_uses.h"
#include "parsers/macro_items.h"
#include "parsers/syntax_tree.h"
#include "stages/verify/legality/device_branch.h"
#include "stages/verify/legality/host_code.h"

namespace kernelmill {
namespace {

using Names = std::set<std::string, std::less<>>;

struct Text {
  explicit Text(std::string_view source)
      : readable(WithoutMacroItems(source)), tree(SyntaxTree::Parse(Grammar::kCuda, readable)) {}

  std::string readable;  // The tree points into it.
  SyntaxTree tree;
  std::vector<TextRange> others;  // Ranges of code for the CPU or for the backward pass.

  bool IsOther(const SyntaxNode& node) const {
    return std::any_of(others.begin(), others.end(),
                       [&](const TextRange& range) { return range.Holds(node); });
  }
};

// The name that a declarator declares, without its scope: "f" of "&ns::f(int)".
std::string DeclaredName(SyntaxNode node) {
  while (node && !node.Is("identifier") && !node.Is("qualified_identifier") &&
         !node.Is("field_identifier")) {
    const SyntaxNode inner = node.Field("declarator");
    if (!inner && !node.Children().empty()) {
      node = node.Children().back();
    } else {
      node = inner;
    }
  }
  return node ? std::string(LastNameOf(node.Text())) : "";
}

std::string FunctionName(const SyntaxNode& definition) {
  std::string name;
  const SyntaxNode declarator = definition.Field("declarator");
  if (!declarator) return name;
  ForEachNode(declarator, [&](const SyntaxNode& node) {
    if (name.empty() && node.Is("function_declarator"))
      name = DeclaredName(node.Field("declarator"));
  });
  return name;
}

void AddWords(std::string_view text, Names* names) {
  std::string word;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      names->insert(std::exchange(word, {}));
    }
  }
  if (!word.empty()) names->insert(word);
}

// If it is the function of m.def("name", &function) or m.impl("name", function): the text with the
// name; else an empty text.
std::string_view TextOfBinding(SyntaxNode node) {
  while ((node = node.Parent()) && !node.Is("call_expression")) {
    if (node.Is("compound_statement")) return "";
  }
  const SyntaxNode function = node ? node.Field("function") : SyntaxNode();
  if (!function || !function.Is("field_expression")) return "";
  const SyntaxNode field = function.Field("field");
  return field.Text() == "def" || field.Text() == "impl" ? node.Field("arguments").Text() : "";
}

// Whether Python calls what is bound by such a text by one of the words in it.
bool IsCalled(std::string_view text, const CalledNames& called) {
  Names words;
  AddWords(text, &words);
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return called.Contains(word); });
}

// Whether a function is a member of a class that is derived from torch::autograd::Function.
bool IsAutogradMember(SyntaxNode node) {
  while ((node = node.Parent())) {
    if (!node.Is("struct_specifier") && !node.Is("class_specifier")) continue;
    for (const SyntaxNode& part : node.Children()) {
      if (part.Is("base_class_clause") && part.Text().find("Function<") != std::string_view::npos) {
        return true;
      }
    }
  }
  return false;
}

TextRange RangeOf(const SyntaxNode& node) { return {node.First(), node.Last()}; }

struct Definition {
  Text* text;
  TextRange range;
  bool is_backward;
};

// Adds functions that are called only from such code.
void AddFunctionsOfOthers(std::deque<Text>* texts, const CalledNames& called) {
  std::map<std::string, Definition, std::less<>> defined;
  for (Text& text : *texts) {
    ForEachNode(text.tree.Root(), [&](const SyntaxNode& node) {
      if (!node.Is("function_definition")) return;
      const std::string name = FunctionName(node);
      if (name.empty()) return;
      const bool backward = (name == "backward" && IsAutogradMember(node)) ||
                            (IsBackwardName(name) && !called.Contains(name));
      defined.try_emplace(name, &text, RangeOf(node), backward);
    });
  }
  for (bool changed = true; changed;) {
    Names by_others, by_device;
    for (const Text& text : *texts) {
      SyntaxCursor cursor(text.tree.Root());
      bool into = true;
      do {
        const SyntaxNode node = cursor.Node();
        // To bind a function of the backward pass is no call of it.
        into = !node.Is("function_declarator");
        if (!node.Is("identifier")) continue;
        const std::string_view bound =
            IsBackwardName(node.Text()) ? TextOfBinding(node) : std::string_view();
        if (!bound.empty() && !IsCalled(bound, called)) continue;
        (text.IsOther(node) ? by_others : by_device).emplace(node.Text());
      } while (cursor.ToNext(into));
    }
    changed = false;
    for (auto at = defined.begin(); at != defined.end();) {
      const auto& [name, place] = *at;
      if ((place.is_backward || by_others.contains(name)) && !by_device.contains(name)) {
        place.text->others.push_back(place.range);
        at = defined.erase(at);
        changed = true;
      } else {
        ++at;
      }
    }
  }
}

bool DefinesDeviceTest(const SyntaxTree& tree) {
  bool found = false;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    if (!node.Is("function_declarator") && !node.Is("preproc_function_def") &&
        !node.Is("preproc_def")) {
      return;
    }
    const SyntaxNode name = node.Field(node.Is("function_declarator") ? "declarator" : "name");
    const std::string_view text = name ? name.Text() : std::string_view();
    const std::vector<std::string>& queries = DeviceQueries();
    found = found || text == "is_cpu" ||
            std::find(queries.begin(), queries.end(), text) != queries.end();
  });
  return found;
}

// The torch operator that a C++ operator calls on tensors.
std::string_view OperatorName(std::string_view sign) {
  static const std::map<std::string_view, std::string_view> kNames = {
      {"+", "add"},          {"-", "sub"},         {"*", "mul"},         {"/", "div"},
      {"%", "remainder"},    {">", "gt"},          {">=", "ge"},         {"<", "lt"},
      {"<=", "le"},          {"==", "eq"},         {"!=", "ne"},         {"&", "bitwise_and"},
      {"|", "bitwise_or"},   {"^", "bitwise_xor"}, {"!", "logical_not"}, {"~", "bitwise_not"},
      {"&&", "logical_and"}, {"||", "logical_or"}};
  if (sign.size() == 2 && sign[1] == '=' && std::string_view("+-*/").find(sign[0]) != sign.npos) {
    sign.remove_suffix(1);
  }
  const auto found = kNames.find(sign);
  return found == kNames.end() ? std::string_view() : found->second;
}

// All names that a text declares as tensors.
Names TensorNames(const SyntaxTree& tree) {
  Names names;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    if (!node.Is("parameter_declaration") && !node.Is("declaration")) return;
    const SyntaxNode type = node.Field("type");
    if (type && type.Text().ends_with("Tensor")) {
      const std::string name = DeclaredName(node.Field("declarator"));
      if (!name.empty()) names.insert(name);
    }
  });
  return names;
}

}  // namespace

OtherUses::OtherUses(const ExtensionSources& sources, const CalledNames& called) {
  std::deque<Text> texts;
  std::string all;
  for (const auto* list : {&sources.cpp_sources, &sources.cuda_sources}) {
    for (const std::string& text : *list) {
      texts.emplace_back(text);
      all += text;
    }
  }
  for (const auto& [name, text] : sources.headers) all += text;
  // A pasted name could be any name.
  if (all.find("##") != all.npos) return;
  bool defined = false;
  for (const Text& text : texts) defined = defined || DefinesDeviceTest(text.tree);
  if (defined) return;
  for (Text& text : texts) text.others = CpuBranches(text.tree);
  AddFunctionsOfOthers(&texts, called);
  for (const auto& [name, text] : sources.headers) AddWords(text, &elsewhere_);
  for (const Text& text : texts) {
    const Names tensors = TensorNames(text.tree);
    ForEachNode(text.tree.Root(), [&](const SyntaxNode& node) {
      const bool other = text.IsOther(node);
      Names& names = other ? there_ : elsewhere_;
      if (node.Is("preproc_def") || node.Is("preproc_function_def")) {
        AddWords(node.Text(), &elsewhere_);
      } else if (node.Is("call_expression")) {
        const SyntaxNode function = node.Field("function");
        if (!function) return;
        if (function.Is("field_expression")) {
          names.emplace(function.Field("field").Text());
          return;
        }
        const std::string chain = QualifiedNameOf(function);
        if (chain.starts_with("at::") || chain.starts_with("torch::"))
          names.emplace(LastNameOf(chain));
      } else if (node.Is("binary_expression") || node.Is("unary_expression") ||
                 node.Is("assignment_expression")) {
        const SyntaxNode sign = node.Field("operator");
        const std::string_view name = sign ? OperatorName(sign.Text()) : std::string_view();
        if (name.empty()) return;
        bool on_tensor = false;
        for (std::string_view side : {"left", "right", "argument"}) {
          const SyntaxNode operand = node.Field(side);
          on_tensor = on_tensor || (operand && tensors.contains(operand.Text()));
        }
        if (other || on_tensor) names.emplace(name);
      }
    });
  }
}

bool OtherUses::Explain(std::string_view name) const {
  name.remove_prefix(std::min(name.size(), std::string_view("aten::").size()));
  const auto within = [&](const Names& words) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return name.starts_with(word) && (name.size() == word.size() || name[word.size()] == '_');
    });
  };
  return within(there_) && !within(elsewhere_);
}

}  // namespace kernelmill
