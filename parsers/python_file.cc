#include "parsers/python_file.h"

#include <algorithm>
#include <array>

#include "parsers/python_scopes.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {
namespace {

constexpr std::size_t kLongestLiteral = 400;

// Whether it is a literal: numbers, strings, True, False, None, and tuples, lists and dictionaries
// of them.
bool IsLiteral(const SyntaxNode& root) {
  if (root.Text().size() > kLongestLiteral) return false;
  static constexpr std::array<std::string_view, 16> kKinds = {
      "integer",        "float",          "true",
      "false",          "none",           "string",
      "string_start",   "string_content", "string_end",
      "tuple",          "list",           "dictionary",
      "pair",           "unary_operator", "parenthesized_expression",
      "escape_sequence"};
  SyntaxCursor cursor(root);
  do {
    const SyntaxNode node = cursor.Node();
    if (node.IsNamed() && std::find(kKinds.begin(), kKinds.end(), node.Kind()) == kKinds.end()) {
      return false;
    }
  } while (cursor.ToNext());
  return true;
}

bool IsChain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c == '.' || c == '_' || c >= 0x80 || std::isalnum(c);
  });
}

PythonCall ReadCall(std::string_view callee, const SyntaxNode& arguments) {
  PythonCall call;
  call.callee = callee;
  for (const SyntaxNode& child : arguments.Children()) {
    PythonArgument argument;
    SyntaxNode value = child;
    if (child.Is("keyword_argument")) {
      argument.name = child.Field("name").Text();
      value = child.Field("value");
    } else if (child.Is("list_splat")) {
      argument.name = "*";
    } else if (child.Is("dictionary_splat")) {
      argument.name = "**";
    }
    if (value && IsLiteral(value)) argument.expression = value.Text();
    call.arguments.push_back(std::move(argument));
  }
  return call;
}

// Collects calls of names whose last part starts with a capital letter and that pass at least one
// literal.
void CollectCalls(const SyntaxNode& root, std::vector<PythonCall>* calls) {
  static const std::uint16_t call_symbol = SymbolOf(Grammar::kPython, "call");
  SyntaxCursor cursor(root);
  do {
    const SyntaxNode node = cursor.Node();
    if (node.Symbol() == call_symbol) {
      const std::string_view callee = node.Field("function").Text();
      const auto dot = callee.rfind('.');
      const char initial = callee[dot == std::string_view::npos ? 0 : dot + 1];
      const SyntaxNode arguments = node.Field("arguments");
      if (initial >= 'A' && initial <= 'Z' && IsChain(callee) && arguments.Is("argument_list")) {
        PythonCall call = ReadCall(callee, arguments);
        if (std::any_of(call.arguments.begin(), call.arguments.end(),
                        [](const PythonArgument& a) { return !a.expression.empty(); })) {
          calls->push_back(std::move(call));
        }
      }
    }
  } while (cursor.ToNext());
}

void ReadClass(const SyntaxNode& node, PythonStatement* statement) {
  if (const SyntaxNode bases = node.Field("superclasses")) {
    for (const SyntaxNode& base : bases.Children()) {
      if (base.Is("keyword_argument")) continue;
      statement->bases.emplace_back(IsChain(base.Text()) ? base.Text() : std::string_view());
    }
  }
  const SyntaxNode body = node.Field("body");
  if (!body) return;
  for (const SyntaxNode& child : body.Children()) {
    const SyntaxNode method = child.Is("decorated_definition") ? child.Field("definition") : child;
    if (method.Is("function_definition"))
      statement->methods.emplace_back(method.Field("name").Text());
  }
}

PythonStatementKind KindOf(const SyntaxNode& node, PythonStatement* statement) {
  SyntaxNode definition = node.Is("decorated_definition") ? node.Field("definition") : node;
  if (definition.Is("class_definition")) {
    ReadClass(definition, statement);
    return PythonStatementKind::kClass;
  }
  if (definition.Is("function_definition")) return PythonStatementKind::kFunction;
  const std::string_view kind = node.Kind();
  if (kind == "import_statement" || kind == "import_from_statement" ||
      kind == "future_import_statement") {
    return PythonStatementKind::kImport;
  }
  if (kind == "expression_statement") {
    const auto children = node.Children();
    const bool assigns = children.size() == 1 &&
                         (children[0].Is("assignment") || children[0].Is("augmented_assignment"));
    return assigns ? PythonStatementKind::kAssignment : PythonStatementKind::kOther;
  }
  if (kind == "type_alias_statement") return PythonStatementKind::kAssignment;
  if (kind == "if_statement" || kind == "try_statement" || kind == "for_statement" ||
      kind == "while_statement" || kind == "with_statement" || kind == "match_statement") {
    return PythonStatementKind::kCompound;
  }
  return PythonStatementKind::kOther;
}

}  // namespace

bool PythonStatement::Binds(std::string_view name) const {
  return std::any_of(bindings.begin(), bindings.end(),
                     [&](const PythonBinding& binding) { return binding.name == name; });
}

PythonFile PythonFile::Parse(std::string source) {
  PythonFile file;
  file.source = std::move(source);
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, file.source);
  for (const SyntaxNode& node : tree.Root().Children()) {
    PythonStatement statement;
    statement.first = static_cast<std::int64_t>(node.First());
    statement.last = static_cast<std::int64_t>(node.Last());
    statement.first_line = static_cast<std::int64_t>(node.FirstLine());
    statement.last_line = static_cast<std::int64_t>(node.LastLine());
    statement.has_error = node.HasError();
    statement.kind = KindOf(node, &statement);
    ResolveNames(node, &statement);
    file.statements.push_back(std::move(statement));
  }
  CollectCalls(tree.Root(), &file.calls);
  return file;
}

}  // namespace kernelmill
