#include "parsers/statement_grams.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "parsers/gram_set.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {
namespace {

using Names = std::unordered_set<std::string_view>;

// Broken code lacks nodes.
std::string_view TextOf(const SyntaxNode& node) { return node ? node.Text() : std::string_view(); }

// The names that a program defines.
struct OwnNames {
  Names variables;   // With functions, classes, parameters and aliases of imports.
  Names attributes;  // That it assigns to, and its methods.
  Names receivers;   // What methods call their object, usually self.
  Names modules;     // What imports bind.
};

bool IsComprehensionOrLoop(const SyntaxNode& node) {
  return node.Is("for_statement") || node.Is("for_in_clause");
}

// Adds the names that a target of an assignment binds.
void AddTarget(const SyntaxNode& target, OwnNames* own) {
  if (!target) return;
  SyntaxCursor cursor(target);
  bool into = true;
  do {
    const SyntaxNode node = cursor.Node();
    if (node.Is("identifier")) own->variables.insert(node.Text());
    if (node.Is("attribute")) own->attributes.insert(TextOf(node.Field("attribute")));
    into = !node.Is("attribute") && !node.Is("subscript");
  } while (cursor.ToNext(into));
}

void AddParameters(const SyntaxNode& parameters, OwnNames* own) {
  for (const SyntaxNode& parameter : parameters.Children()) {
    SyntaxNode name = parameter.Field("name");
    const std::vector<SyntaxNode> parts = parameter.Children();
    if (!name && parameter.Is("typed_parameter") && !parts.empty()) name = parts.front();
    AddTarget(name ? name : parameter, own);
  }
}

void AddFunction(const SyntaxNode& function, OwnNames* own) {
  own->variables.insert(TextOf(function.Field("name")));
  SyntaxNode outer = function.Parent();
  if (outer.Is("decorated_definition")) outer = outer.Parent();
  if (!outer.Parent().Is("class_definition")) return;
  own->attributes.insert(TextOf(function.Field("name")));
  const SyntaxNode list = function.Field("parameters");
  const std::vector<SyntaxNode> parameters = list ? list.Children() : std::vector<SyntaxNode>();
  if (!parameters.empty()) own->receivers.insert(parameters.front().Text());
}

void AddImport(const SyntaxNode& statement, OwnNames* own) {
  const SyntaxNode source = statement.Field("module_name");
  for (const SyntaxNode& child : statement.Children()) {
    if (child.Is("aliased_import")) {
      own->modules.insert(TextOf(child.Field("alias")));
    } else if (child.Is("dotted_name") && (!source || child.First() != source.First())) {
      const std::vector<SyntaxNode> parts = child.Children();
      if (!parts.empty()) own->modules.insert(parts.front().Text());
    }
  }
}

OwnNames OwnNamesOf(const SyntaxNode& root) {
  OwnNames own;
  ForEachNode(root, [&](const SyntaxNode& node) {
    if (node.Is("function_definition")) {
      AddFunction(node, &own);
    } else if (node.Is("class_definition")) {
      own.variables.insert(TextOf(node.Field("name")));
    } else if (node.Is("parameters") || node.Is("lambda_parameters")) {
      AddParameters(node, &own);
    } else if (node.Is("assignment") || IsComprehensionOrLoop(node)) {
      AddTarget(node.Field("left"), &own);
    } else if (node.Is("named_expression")) {
      AddTarget(node.Field("name"), &own);
    } else if (node.Is("as_pattern_target")) {
      AddTarget(node, &own);
    } else if (node.Is("import_statement") || node.Is("import_from_statement")) {
      AddImport(node, &own);
    }
  });
  return own;
}

// Whether the attributes before the last dot are all of a module: torch.nn in torch.nn.Linear. Not
// of a longer chain: it is asked at each level of a chain, which could take the square of its
// length.
bool IsModule(SyntaxNode object, const OwnNames& own) {
  constexpr int kLongestChain = 16;
  for (int length = 0; object.Is("attribute"); ++length) {
    if (length == kLongestChain) return false;
    object = object.Field("object");
  }
  return object.Is("identifier") && own.modules.contains(object.Text());
}

bool BeginsRun(const SyntaxNode& node) {
  const std::string_view kind = node.Kind();
  return kind.ends_with("_statement") || kind.ends_with("_definition") || kind == "block" ||
         (kind.ends_with("_clause") && !IsComprehensionOrLoop(node) && kind != "if_clause");
}

bool IsDocstring(const SyntaxNode& node) {
  if (!node.Is("expression_statement")) return false;
  const std::vector<SyntaxNode> children = node.Children();
  return children.size() == 1 && children[0].Is("string");
}

bool IsLeftOut(const SyntaxNode& node) {
  const std::string_view role = node.Role();
  if (node.Is("comment") || node.Is(";") || node.Is("->") || IsDocstring(node)) return true;
  if (node.Is("import_statement") || node.Is("import_from_statement")) return true;
  if (node.Is("future_import_statement")) return true;
  if (role == "type" || role == "return_type") return true;
  const SyntaxNode parent = node.Parent();
  // The colon of an annotation.
  if (node.Is(":") && (parent.Is("typed_parameter") || parent.Is("typed_default_parameter") ||
                       parent.Is("assignment"))) {
    return true;
  }
  if (parent.Is("parenthesized_expression")) return node.Is("(") || node.Is(")");
  // super(Model, self) is super().
  return node.Is("argument_list") && parent.Is("call") &&
         TextOf(parent.Field("function")) == "super";
}

// A comma before a closing bracket, which formatters add.
bool IsLastComma(const SyntaxNode& comma) {
  const SyntaxNode list = comma.Parent();
  const std::string_view rest = list.Text().substr(comma.Last() - list.First());
  const std::size_t next = rest.find_first_not_of(" \t\r\n");
  return next != rest.npos && (rest[next] == ')' || rest[next] == ']' || rest[next] == '}');
}

// The characters of a string without its quotes.
std::string_view ContentOf(const SyntaxNode& string) {
  std::string_view text = string.Text();
  const std::size_t first = text.find_first_of("\"'");
  if (first == text.npos) return text;
  const char quote = text[first];
  text.remove_prefix(first);
  while (text.size() > 1 && text.front() == quote && text.back() == quote) {
    text.remove_prefix(1);
    text.remove_suffix(1);
  }
  return text;
}

// The names that a statement of the file binds.
Names NamesDefinedBy(const SyntaxNode& statement) {
  OwnNames own;
  SyntaxNode definition = statement;
  if (statement.Is("decorated_definition")) definition = statement.Field("definition");
  if (definition.Is("function_definition") || definition.Is("class_definition")) {
    return {TextOf(definition.Field("name"))};
  }
  ForEachNode(statement, [&](const SyntaxNode& node) {
    if (node.Is("assignment") || node.Is("augmented_assignment") || IsComprehensionOrLoop(node)) {
      AddTarget(node.Field("left"), &own);
    } else if (node.Is("function_definition") || node.Is("class_definition")) {
      own.variables.insert(TextOf(node.Field("name")));  // In an if or a try.
    }
  });
  return own.variables;
}

// Whether a token tells what is computed: not names of the program's own, brackets, and the words
// that any class of torch has.
bool Tells(const SyntaxNode& node, std::string_view token) {
  constexpr std::string_view kNothing[] = {"_", "def", "class", "super", "__init__",
                                           "Module", "pass", "=", ",", ".",
                                           ":", "(", ")", "[", "]"};
  if (std::ranges::find(kNothing, token) != std::end(kNothing)) return false;
  const SyntaxNode parent = node.Parent();
  // *settings and **settings.
  return !parent.Is("list_splat") && !parent.Is("list_splat_pattern") &&
         !parent.Is("dictionary_splat") && !parent.Is("dictionary_splat_pattern");
}

// The token of a node whose children are not looked at; empty if they are.
std::string_view TokenOf(const SyntaxNode& node, const OwnNames& own) {
  constexpr std::string_view kOwn = "_";
  if (node.Is("string")) return ContentOf(node).empty() ? "''" : ContentOf(node);
  if (node.Is("identifier")) {
    const SyntaxNode parent = node.Parent();
    const std::string_view role = node.Role();
    // Names of a call's arguments are those of the function, which may be a library's.
    if (parent.Is("keyword_argument") && role == "name") return node.Text();
    if (parent.Is("attribute") && role == "attribute") {
      const SyntaxNode object = parent.Field("object");
      const bool is_own = object.Is("identifier") && own.receivers.contains(object.Text()) &&
                          own.attributes.contains(node.Text());
      return is_own ? kOwn : node.Text();
    }
    return own.variables.contains(node.Text()) ? kOwn : node.Text();
  }
  if (node.Is("attribute") && IsModule(node.Field("object"), own)) {
    return TextOf(node.Field("attribute"));
  }
  SyntaxCursor cursor(node);
  return cursor.ToFirstChild() ? std::string_view() : node.Text();
}

// Adds the grams of a part of the program.
void AddGrams(const SyntaxNode& root, const OwnNames& own, bool only_telling, GramSet* grams) {
  SyntaxCursor cursor(root);
  bool into = true;
  do {
    const SyntaxNode node = cursor.Node();
    if (BeginsRun(node)) grams->EndRun();
    // Whether a value is returned or has a name first makes no difference.
    if (only_telling && node.Role() == "right" && node.Parent().Is("assignment")) grams->EndRun();
    into = !IsLeftOut(node);
    if (!into) continue;
    const std::string_view token = TokenOf(node, own);
    into = token.empty();
    if (into || (node.Is(",") && IsLastComma(node))) continue;
    if (only_telling && node.Is("return")) continue;
    grams->AddToken(token, !only_telling || Tells(node, token));
  } while (cursor.ToNext(into));
  grams->EndRun();
}

// The statements of the file that `name` is defined in, and those that define what they use.
std::vector<SyntaxNode> StatementsBehind(const SyntaxNode& root, std::string_view name) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> defining;
  const std::vector<SyntaxNode> statements = root.Children();
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (const std::string_view defined : NamesDefinedBy(statements[i])) {
      defining[defined].push_back(i);
    }
  }
  std::vector<bool> reached(statements.size());
  std::vector<SyntaxNode> open, behind;
  const auto reach = [&](std::string_view used) {
    const auto found = defining.find(used);
    if (found == defining.end()) return;
    for (const std::size_t i : std::exchange(found->second, {})) {
      if (!reached[i]) open.push_back(statements[i]);
      reached[i] = true;
    }
  };
  for (reach(name); !open.empty();) {
    behind.push_back(open.back());
    open.pop_back();
    ForEachNode(behind.back(), [&](const SyntaxNode& node) {
      if (node.Is("identifier")) reach(node.Text());
    });
  }
  return behind;
}

}  // namespace

std::vector<std::uint64_t> StatementGrams(std::string_view python) {
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, python);
  GramSet grams;
  AddGrams(tree.Root(), OwnNamesOf(tree.Root()), /*only_telling=*/false, &grams);
  return grams.Take();
}

std::vector<std::uint64_t> ModuleGrams(std::string_view python, std::string_view module) {
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, python);
  const OwnNames own = OwnNamesOf(tree.Root());
  GramSet grams;
  for (const SyntaxNode& statement : StatementsBehind(tree.Root(), module)) {
    AddGrams(statement, own, /*only_telling=*/true, &grams);
  }
  return grams.Take();
}

}  // namespace kernelmill
