#include "stages/verify/legality/host_state.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "stages/verify/legality/host_code.h"

namespace kernelmill {
namespace {

using Names = std::set<std::string_view>;

// Whether it declares variables of host code that keep their values between calls and can change.
bool IsKept(const SyntaxNode& declaration) {
  for (const std::string_view word :
       {"__device__", "__constant__", "__managed__", "__shared__", "constexpr"}) {
    if (HasWord(declaration, word)) return false;
  }
  const bool pointer = declaration.Text().find('*') != std::string_view::npos;
  if (HasWord(declaration, "const") && !pointer) return false;
  const SyntaxNode function = FunctionAround(declaration);
  if (!function) return true;
  return !IsOnDevice(function) && (HasWord(declaration, "static") ||
                                   HasWord(declaration, "thread_local"));
}

// The variable that an expression starts from: "state" of state.calls, state->calls and state[0].
std::string_view RootOf(SyntaxNode node) {
  while (node && !node.Is("identifier")) {
    const SyntaxNode argument = node.Field("argument");
    if (!argument && node.Is("parenthesized_expression") && !node.Children().empty()) {
      node = node.Children()[0];
    } else {
      node = argument;
    }
  }
  return node ? node.Text() : std::string_view();
}

// The variables of one text that keep their values, with the scopes that hide them.
class State {
 public:
  explicit State(const SyntaxTree& tree) : tree_(tree) {
    // Python keeps the objects of classes that are bound.
    const bool binds = tree.Root().Text().find("class_<") != std::string_view::npos;
    ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
      if (node.Is("field_declaration") && binds && IsKept(node)) {
        for (const SyntaxNode& child : node.Children()) {
          if (child.Is("field_identifier")) fields_.insert(child.Text());
        }
      }
      if (node.Is("declaration")) {
        const bool kept = IsKept(node);
        for (const SyntaxNode& child : node.Children()) {
          const std::string_view name = DeclaredBy(child);
          if (!name.empty()) (kept ? kept_ : locals_[FunctionOf(node)]).insert(name);
        }
      } else if (node.Is("parameter_declaration") || node.Is("optional_parameter_declaration")) {
        const std::string_view name = DeclaredBy(node.Field("declarator"));
        if (!name.empty()) locals_[FunctionOf(node)].insert(name);
      }
    });
  }

  // The variable, or the field of a kept object, that an expression starts from.
  std::string_view RootIn(const SyntaxNode& expression) const {
    for (SyntaxNode node = expression; node; node = node.Field("argument")) {
      const SyntaxNode field = node.Is("field_expression") ? node.Field("field") : SyntaxNode();
      if (field && fields_.contains(field.Text())) return field.Text();
    }
    return RootOf(expression);
  }

  // Whether the name means a variable that is kept where the node stands. A constructor makes a new
  // object, so what it changes is not.
  bool IsKeptAt(const SyntaxNode& node, std::string_view name) const {
    if (name.empty()) return false;
    if (fields_.contains(name)) {
      const SyntaxNode function = FunctionAround(node);
      if (function && function.Field("type") && !HidesField(function, name)) return true;
    }
    if (!kept_.contains(name)) return false;
    const auto found = locals_.find(FunctionOf(node));
    return found == locals_.end() || !found->second.contains(name);
  }

  // `name`, and the variables whose value comes from it.
  Names DerivedFrom(std::string_view name) const {
    Names derived = {name};
    for (std::size_t size = 0; size != derived.size();) {
      size = derived.size();
      ForEachNode(tree_.Root(), [&](const SyntaxNode& node) {
        if (IsOnDevice(FunctionAround(node))) return;
        if (node.Is("init_declarator") && Reads(node.Field("value"), derived)) {
          derived.insert(DeclaredBy(node));
        } else if (node.Is("assignment_expression") && Reads(node.Field("right"), derived)) {
          derived.insert(RootOf(node.Field("left")));
        }
      });
      derived.erase(std::string_view());
    }
    return derived;
  }

  static bool IsNamed(const SyntaxNode& part, const Names& names) {
    return (part.Is("identifier") || part.Is("field_identifier")) && names.contains(part.Text());
  }
  static bool Reads(const SyntaxNode& expression, const Names& names) {
    bool found = false;
    if (!expression) return found;
    ForEachNode(expression, [&](const SyntaxNode& part) { found = found || IsNamed(part, names); });
    return found;
  }

 private:
  // Whether a local variable or a parameter has the name of the field.
  bool HidesField(const SyntaxNode& function, std::string_view name) const {
    const auto found = locals_.find(function.First() + 1);
    return found != locals_.end() && found->second.contains(name);
  }
  static std::size_t FunctionOf(const SyntaxNode& node) {
    const SyntaxNode function = FunctionAround(node);
    return function ? function.First() + 1 : 0;
  }

  const SyntaxTree& tree_;
  Names kept_, fields_;
  std::map<std::size_t, Names> locals_;
};

// Methods of containers and atomics that change them in a way that depends on what they hold.
const Names& Growing() {
  static const Names kNames = {"push_back", "emplace_back", "push_front", "emplace_front", "push",
                               "pop_back",  "pop_front",    "pop",        "append",
                               "fetch_add", "fetch_sub",    "fetch_xor"};
  return kNames;
}

// Others, which do so if their arguments tell what it holds: values.resize(values.size() + 1).
const Names& Setting() {
  static const Names kNames = {"resize", "assign",      "insert",           "emplace", "reserve",
                               "erase",  "try_emplace", "insert_or_assign", "store",   "exchange",
                               "swap",   "operator[]"};
  return kNames;
}

// Whether an index within the expression reads one of the variables: seen[seen.size()].
bool IndexReads(const SyntaxNode& expression, const Names& names) {
  bool found = false;
  ForEachNode(expression, [&](const SyntaxNode& part) {
    found =
        found || (part.Is("subscript_expression") && State::Reads(part.Field("indices"), names));
  });
  return found;
}

// The variable that a node changes to a value that depends on the one before; "" for others.
std::string_view Changed(const SyntaxNode& node, const State& state) {
  std::string_view name;
  if (node.Is("update_expression")) {
    name = state.RootIn(node.Field("argument"));
    return state.IsKeptAt(node, name) ? name : std::string_view();
  }
  if (node.Is("assignment_expression")) {
    name = state.RootIn(node.Field("left"));
    if (!state.IsKeptAt(node, name)) return {};
    const bool plain = node.Field("operator").Text() == "=";
    const Names derived = plain ? state.DerivedFrom(name) : Names();
    if (plain && !State::Reads(node.Field("right"), derived) &&
        !IndexReads(node.Field("left"), derived)) {
      return {};
    }
    return name;
  }
  if (!node.Is("call_expression")) return {};
  const SyntaxNode function = node.Field("function");
  if (!function || !function.Is("field_expression")) return {};
  name = state.RootIn(function.Field("argument"));
  if (!state.IsKeptAt(node, name)) return {};
  const std::string_view method = function.Field("field").Text();
  const bool grows = Growing().contains(method) ||
                     (Setting().contains(method) &&
                      State::Reads(node.Field("arguments"), state.DerivedFrom(name)));
  return grows ? name : std::string_view();
}

// Whether the change is one that another call with the same arguments does not repeat: it stands in
// a loop that ends when the variable suffices ("while (capacity < needed)"), or behind a test that
// the variable is still empty.
bool IsDoneOnce(const SyntaxNode& change, std::string_view name, const State& state) {
  const Names own = {name};
  for (SyntaxNode node = change; node && !node.Is("function_definition"); node = node.Parent()) {
    const SyntaxNode parent = node.Parent();
    const SyntaxNode condition = parent ? parent.Field("condition") : SyntaxNode();
    if (!condition || condition.First() == node.First()) continue;
    if (parent.Is("while_statement") && State::Reads(condition, own)) {
      Names others = state.DerivedFrom(name);
      others.erase(name);
      if (!State::Reads(condition, others)) return true;
    }
    if (parent.Is("if_statement") &&
        condition.Text().find(std::string(name) + ".empty()") != std::string_view::npos &&
        condition.Text().find('!') == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<VerdictFinding> ConditionsOnCallCount(const SyntaxTree& tree, std::string_view file) {
  const State state(tree);
  // The variables whose value changes with every call: from each to the line that changes it.
  std::map<std::string_view, std::size_t> counting;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    const std::string_view name = Changed(node, state);
    if (name.empty() || IsOnDevice(FunctionAround(node))) return;
    if (!IsDoneOnce(node, name, state)) counting.emplace(name, node.FirstLine());
  });
  std::vector<VerdictFinding> findings;
  for (const auto& [name, line] : counting) {
    const Names derived = state.DerivedFrom(name);
    ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
      const SyntaxNode condition = node.Field("condition");
      if (!condition || IsOnDevice(FunctionAround(node))) return;
      bool reads = false;
      ForEachNode(condition, [&](const SyntaxNode& part) {
        if (!State::IsNamed(part, derived)) return;
        reads = reads || part.Text() != name || state.IsKeptAt(part, name);
      });
      if (!reads) return;
      findings.push_back(
          {"fallback", std::string(file), static_cast<std::int64_t>(node.FirstLine()),
           "the condition reads " + std::string(name) + ", which line " + std::to_string(line) +
               " changes from call to call: how often it was called decides what "
               "host code does"});
    });
  }
  return findings;
}

}  // namespace kernelmill
