#include "parsers/cuda_uses.h"

#include <array>
#include <map>

#include "manifests/is_one_of.h"
#include "parsers/cuda_attributes.h"

namespace kernelmill {
namespace {

// Node kinds whose field "declarator" (or "name") declares something.
constexpr std::array<std::string_view, 11> kDeclarations = {"declaration",
                                                            "parameter_declaration",
                                                            "optional_parameter_declaration",
                                                            "variadic_parameter_declaration",
                                                            "field_declaration",
                                                            "for_range_loop",
                                                            "function_definition",
                                                            "type_definition",
                                                            "condition_declaration",
                                                            "lambda_declarator",
                                                            "catch_declarator"};
constexpr std::array<std::string_view, 9> kNamed = {
    "alias_declaration",   "namespace_alias_definition",
    "struct_specifier",    "class_specifier",
    "union_specifier",     "enum_specifier",
    "enumerator",          "preproc_def",
    "preproc_function_def"};
constexpr std::array<std::string_view, 4> kTypeParameters = {
    "type_parameter_declaration", "optional_type_parameter_declaration",
    "variadic_type_parameter_declaration", "template_template_parameter_declaration"};
constexpr std::array<std::string_view, 8> kDeclarators = {"pointer_declarator",
                                                          "reference_declarator",
                                                          "array_declarator",
                                                          "function_declarator",
                                                          "init_declarator",
                                                          "parenthesized_declarator",
                                                          "structured_binding_declarator",
                                                          "variadic_declarator"};
constexpr std::array<std::string_view, 4> kOperations = {
    "binary_expression", "unary_expression", "update_expression", "assignment_expression"};

struct Frame {
  std::string_view kind;
  bool declaring = false;  // Names below are declared here.
  bool chained = false;    // Names below are part of a qualified name that was recorded as a whole.
  bool condition = false;  // Names below are macros that a preprocessor condition tests.
  // In `LOOP(i, n) {` in a body: what the grammar reads as a function is a macro with its
  // arguments.
  bool invocation = false, argument = false;
};

// Whether it looks like the name of a constant: "BLOCK", "kRows".
bool IsConstantName(std::string_view name) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  return upper(name[0]) || (name.size() > 1 && name[0] == 'k' && upper(name[1]));
}

bool Declares(const Frame& parent, std::string_view field, std::string_view kind) {
  if (IsOneOf(parent.kind, kDeclarations)) return field == "declarator";
  if (IsOneOf(parent.kind, kNamed)) return field == "name";
  if (IsOneOf(parent.kind, kTypeParameters)) {
    return kind == "type_identifier" && field != "default_type";
  }
  if (!parent.declaring) return false;
  if (!IsOneOf(parent.kind, kDeclarators)) return false;
  return (field.empty() || field == "declarator") &&
         (kind == "identifier" || kind == "type_identifier" || kind == "field_identifier" ||
          IsOneOf(kind, kDeclarators));
}

class Collector {
 public:
  Collector(const std::vector<SyntaxNode>& skipped, std::size_t own_name_offset, CudaNames* names)
      : own_name_(own_name_offset), names_(names) {
    for (const SyntaxNode& part : skipped) skipped_.emplace(part.First(), part);
  }

  void Walk(const SyntaxNode& root) {
    SyntaxCursor cursor(root);
    std::vector<Frame> frames = {{"", false, false}};
    for (;;) {
      const SyntaxNode node = cursor.Node();
      const Frame frame = Enter(node, frames.size() == 1 ? "" : cursor.FieldName(), frames.back());
      if (Descends(node) && cursor.ToFirstChild()) {
        frames.push_back(frame);
        continue;
      }
      while (frames.size() > 1 && !cursor.ToNextSibling()) {
        cursor.ToParent();
        frames.pop_back();
      }
      if (frames.size() == 1) return;
    }
  }

 private:
  bool Descends(const SyntaxNode& node) const {
    const std::string_view kind = node.Kind();
    if (kind == "comment" || kind == "attribute_declaration" || kind == "using_declaration" ||
        kind == "preproc_arg" || kind == "string_literal" || kind == "preproc_params" ||
        kind == "preproc_call") {
      return false;
    }
    const auto part = skipped_.find(node.First());
    return part == skipped_.end() || part->second.Last() != node.Last() ||
           part->second.Symbol() != node.Symbol();
  }

  Frame Enter(const SyntaxNode& node, std::string_view field, const Frame& parent) {
    Frame frame;
    frame.kind = node.Kind();
    // C++ has no function in the body of another one.
    frame.invocation = frame.kind == "function_definition"
                           ? parent.kind == "compound_statement" && !node.Field("type")
                           : parent.invocation && frame.kind != "compound_statement";
    frame.argument = frame.invocation && (parent.argument || frame.kind == "parameter_list");
    frame.declaring = !frame.invocation && Declares(parent, field, frame.kind);
    frame.condition =
        parent.condition || (parent.kind.starts_with("preproc_") &&
                             (field == "condition" || (field == "name" && !frame.declaring)));
    frame.chained = parent.chained && frame.kind != "template_argument_list";
    if (frame.kind == "identifier" || frame.kind == "type_identifier" ||
        frame.kind == "namespace_identifier" || frame.kind == "field_identifier") {
      TakeName(node, frame);
    } else if (frame.kind == "qualified_identifier" && !frame.chained) {
      if (node.First() != own_name_) names_->uses.insert(QualifiedNameOf(node));
      frame.chained = true;
      frame.declaring = false;
    } else if (frame.kind == "primitive_type") {
      if (node.Text().ends_with("_t")) names_->uses.emplace(node.Text());
    } else if (frame.kind == "preproc_arg") {
      for (std::string_view name : IdentifiersIn(node.Text())) names_->uses.emplace(name);
    } else if (frame.kind == "preproc_params") {
      for (std::string_view name : IdentifiersIn(node.Text())) names_->declared.emplace(name);
    } else if (frame.kind == "using_declaration") {
      const auto children = node.Children();
      if (!children.empty()) {
        const std::string chain = QualifiedNameOf(children[0]);
        names_->uses.insert(chain);
        names_->declared.emplace(LastNameOf(chain));
      }
    } else if (IsOneOf(frame.kind, kOperations)) {
      if (const SyntaxNode sign = node.Field("operator")) names_->operators.emplace(sign.Text());
      if (frame.kind == "binary_expression") TakeHiddenDeclaration(node);
    }
    return frame;
  }

  // Recognizes `tile<32> warp = f();`, which the grammar reads as two comparisons and an assignment
  // when nothing shows that `tile` is a template.
  void TakeHiddenDeclaration(const SyntaxNode& node) {
    const SyntaxNode left = node.Field("left"), right = node.Field("right");
    if (node.Field("operator").Text() != ">" || !left.Is("binary_expression") ||
        !right.Is("assignment_expression") || left.Field("operator").Text() != "<") {
      return;
    }
    const SyntaxNode name = right.Field("left");
    if (name.Is("identifier")) names_->declared.emplace(name.Text());
  }

  void TakeName(const SyntaxNode& node, const Frame& frame) {
    if (node.First() == own_name_) return;
    if (frame.condition) {
      names_->conditions.emplace(node.Text());
    } else if (frame.declaring || (frame.argument && !IsConstantName(node.Text()))) {
      // The macro declares some of its arguments, and others are declared before.
      names_->declared.emplace(node.Text());
    } else if (!frame.chained && frame.kind != "field_identifier") {
      names_->uses.emplace(node.Text());
    }
  }

  std::map<std::size_t, SyntaxNode> skipped_;  // By the offset of the first byte.
  const std::size_t own_name_;
  CudaNames* const names_;
};

}  // namespace

std::string QualifiedNameOf(const SyntaxNode& node) {
  std::string chain;
  SyntaxNode part = node;
  for (;;) {
    if (part.Is("qualified_identifier")) {
      if (const SyntaxNode scope = part.Field("scope")) {
        const SyntaxNode name = scope.Field("name");
        chain += name ? name.Text() : scope.Text();
      }
      chain += "::";
      part = part.Field("name");
    } else if (part.Is("template_type") || part.Is("template_function") ||
               part.Is("template_method")) {
      part = part.Field("name");
    } else if (part.Is("dependent_name")) {
      const auto children = part.Children();
      part = children.empty() ? SyntaxNode() : children.back();
    } else {
      if (part.Is("identifier") || part.Is("type_identifier") || part.Is("namespace_identifier") ||
          part.Is("field_identifier") || part.Is("primitive_type")) {
        chain += part.Text();
      }
      break;
    }
  }
  if (chain.starts_with("::")) chain.erase(0, 2);
  return chain;
}

std::string_view LastNameOf(std::string_view chain) {
  const auto colon = chain.rfind("::");
  return colon == std::string_view::npos ? chain : chain.substr(colon + 2);
}

CudaNames CollectNames(const SyntaxNode& node, const std::vector<SyntaxNode>& skipped,
                       std::size_t own_name_offset) {
  CudaNames names;
  Collector(skipped, own_name_offset, &names).Walk(node);
  std::erase_if(names.uses, [&](const std::string& use) {
    return use.empty() || names.declared.contains(use.substr(0, use.find("::")));
  });
  return names;
}

}  // namespace kernelmill
