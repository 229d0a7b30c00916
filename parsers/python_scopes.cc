#include "parsers/python_scopes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace kernelmill {
namespace {

// The kinds of nodes that matter for names.
enum class Kind : std::uint8_t {
  kOther,
  kIdentifier,
  kAttribute,
  kFunction,
  kLambda,
  kParameters,
  kDefaultParameter,
  kTypedParameter,
  kClass,
  kComprehension,
  kForIn,
  kFor,
  kAssignment,
  kAugmented,
  kPattern,
  kAsTarget,
  kWalrus,
  kKeyword,
  kGlobal,
  kNonlocal,
  kDelete,
  kImport,
  kExcept,
  kCasePattern,
  kDottedName,
  kSubscript,
};

constexpr std::pair<std::string_view, Kind> kKindNames[] = {
    {"identifier", Kind::kIdentifier},
    {"attribute", Kind::kAttribute},
    {"function_definition", Kind::kFunction},
    {"lambda", Kind::kLambda},
    {"parameters", Kind::kParameters},
    {"lambda_parameters", Kind::kParameters},
    {"default_parameter", Kind::kDefaultParameter},
    {"typed_default_parameter", Kind::kDefaultParameter},
    {"typed_parameter", Kind::kTypedParameter},
    {"class_definition", Kind::kClass},
    {"list_comprehension", Kind::kComprehension},
    {"set_comprehension", Kind::kComprehension},
    {"dictionary_comprehension", Kind::kComprehension},
    {"generator_expression", Kind::kComprehension},
    {"for_in_clause", Kind::kForIn},
    {"for_statement", Kind::kFor},
    {"assignment", Kind::kAssignment},
    {"augmented_assignment", Kind::kAugmented},
    {"pattern_list", Kind::kPattern},
    {"tuple_pattern", Kind::kPattern},
    {"list_pattern", Kind::kPattern},
    {"list_splat_pattern", Kind::kPattern},
    {"dictionary_splat_pattern", Kind::kPattern},
    {"splat_pattern", Kind::kPattern},
    {"as_pattern_target", Kind::kAsTarget},
    {"named_expression", Kind::kWalrus},
    {"keyword_argument", Kind::kKeyword},
    {"global_statement", Kind::kGlobal},
    {"nonlocal_statement", Kind::kNonlocal},
    {"delete_statement", Kind::kDelete},
    {"import_statement", Kind::kImport},
    {"import_from_statement", Kind::kImport},
    {"future_import_statement", Kind::kImport},
    {"except_clause", Kind::kExcept},
    {"case_pattern", Kind::kCasePattern},
    {"dotted_name", Kind::kDottedName},
    {"subscript", Kind::kSubscript},
};

struct Grammars {
  std::vector<Kind> kinds;
  std::uint16_t name, parameters, return_type, body, superclasses, left, value, object, attribute,
      alias, type;

  Grammars() : kinds(SymbolCount(Grammar::kPython), Kind::kOther) {
    for (const auto& [text, kind] : kKindNames) kinds[SymbolOf(Grammar::kPython, text)] = kind;
    const auto field = [](std::string_view text) { return FieldId(Grammar::kPython, text); };
    name = field("name");
    parameters = field("parameters");
    return_type = field("return_type");
    body = field("body");
    superclasses = field("superclasses");
    left = field("left");
    value = field("value");
    object = field("object");
    attribute = field("attribute");
    alias = field("alias");
    type = field("type");
  }
  // A symbol with two numbers is in the table only under the first.
  Kind Of(const SyntaxNode& node) const {
    const std::uint16_t symbol = node.Symbol();
    return symbol < kinds.size() ? kinds[symbol] : Kind::kOther;
  }
};

const Grammars& Python() {
  static const Grammars grammars;
  return grammars;
}

const std::unordered_set<std::string_view>& UnsafeAttributes() {
  static const std::unordered_set<std::string_view> names = {
      "__globals__", "__builtins__",  "__subclasses__",  "__code__",   "__closure__",
      "__loader__",  "__spec__",      "__import__",      "__bases__",  "__mro__",
      "f_globals",   "f_locals",      "f_back",          "f_builtins", "gi_frame",
      "cr_frame",    "ag_frame",      "tb_frame",        "_getframe",  "currentframe",
      "__reduce__",  "__reduce_ex__", "__getattribute__"};
  return names;
}

enum class Role : std::uint8_t { kUse, kBind, kUseAndBind, kSkip, kGlobal, kNonlocal };
enum class ScopeKind : std::uint8_t { kModule, kFunction, kClass, kComprehension };

struct Scope {
  ScopeKind kind;
  int parent;
  bool eager;                                        // Its code runs when the module is imported.
  // Maps to false when the name is declared global or nonlocal.
  std::unordered_map<std::string_view, bool> bound;
  std::unordered_set<std::string_view> global;
};

struct Occurrence {
  std::string_view name;
  std::string_view chain;  // For a use: the source from the name to the end of its attributes.
  std::size_t offset;
  int scope;
  bool binds;
};

struct Frame {
  Kind kind = Kind::kOther;
  Role role = Role::kUse;
  int scope = 0;  // The scope of the node itself.
  int inner = 0;  // The scope of its body, if it opens one, or of a parameter's name.
  std::size_t chain_last = 0;
};

class Resolver {
 public:
  Resolver(const SyntaxNode& root, PythonStatement* statement) : root_(root), out_(statement) {
    scopes_.push_back({ScopeKind::kModule, -1, true, {}, {}});
  }

  void Run() {
    SyntaxCursor cursor(root_);
    std::vector<Frame> stack;
    Frame frame = Enter(cursor.Node(), 0, Frame());
    for (;;) {
      stack.push_back(frame);
      bool moved = frame.role != Role::kSkip && cursor.ToFirstChild();
      if (!moved) {
        stack.pop_back();
        while (!(moved = cursor.ToNextSibling())) {
          if (stack.empty() || !cursor.ToParent()) break;
          stack.pop_back();
        }
        if (!moved) break;
      }
      frame = Enter(cursor.Node(), cursor.Field(), stack.empty() ? Frame() : stack.back());
      if (stack.empty()) break;
    }
    Report();
  }

 private:
  int OpenScope(ScopeKind kind, int parent) {
    const bool eager = scopes_[parent].eager && kind != ScopeKind::kFunction;
    scopes_.push_back({kind, parent, eager, {}, {}});
    return static_cast<int>(scopes_.size()) - 1;
  }

  // The scope in which an assignment expression inside a comprehension binds.
  int OutsideComprehensions(int scope) const {
    while (scopes_[scope].kind == ScopeKind::kComprehension) scope = scopes_[scope].parent;
    return scope;
  }

  // Sets the role and scope of a node from those of its parent and the field that it fills.
  void Inherit(std::uint16_t field, const Frame& parent, Frame* frame) const {
    const Grammars& python = Python();
    frame->role = Role::kUse;
    frame->scope = parent.scope;
    frame->inner = parent.inner;
    switch (parent.kind) {
      case Kind::kFunction:
      case Kind::kLambda:
        if (field == python.name) frame->role = Role::kBind;
        if (field == python.body) frame->scope = parent.inner;
        break;
      case Kind::kClass:
        if (field == python.name) frame->role = Role::kBind;
        if (field == python.body) frame->scope = parent.inner;
        break;
      case Kind::kParameters:
        frame->role = Role::kBind;
        if (frame->kind != Kind::kDefaultParameter && frame->kind != Kind::kTypedParameter) {
          frame->scope = parent.inner;
        }
        break;
      case Kind::kDefaultParameter:
      case Kind::kTypedParameter:
        if (field != python.value && field != python.type) {
          frame->role = Role::kBind;
          frame->scope = parent.inner;
        }
        break;
      case Kind::kComprehension:
        frame->scope = parent.inner;
        break;
      case Kind::kForIn:
      case Kind::kFor:
      case Kind::kAssignment:
        if (field == python.left) frame->role = Role::kBind;
        break;
      case Kind::kAugmented:
        if (field == python.left) frame->role = Role::kUseAndBind;
        break;
      case Kind::kPattern:
      case Kind::kAsTarget:
        frame->role = parent.role == Role::kUse ? Role::kBind : parent.role;
        break;
      case Kind::kWalrus:
        if (field == python.name) {
          frame->role = Role::kBind;
          frame->scope = OutsideComprehensions(parent.scope);
        }
        break;
      case Kind::kKeyword:
        if (field == python.name) frame->role = Role::kSkip;
        break;
      case Kind::kAttribute:
        if (field == python.attribute) frame->role = Role::kSkip;
        break;
      case Kind::kGlobal:
        frame->role = Role::kGlobal;
        break;
      case Kind::kNonlocal:
        frame->role = Role::kNonlocal;
        break;
      case Kind::kExcept:
        if (field == python.alias) frame->role = Role::kBind;
        break;
      case Kind::kCasePattern:
        if (frame->kind == Kind::kDottedName) frame->role = Role::kBind;
        break;
      case Kind::kDottedName:
        frame->role = parent.role;
        break;
      default:
        break;
    }
  }

  Frame Enter(const SyntaxNode& node, std::uint16_t field, const Frame& parent) {
    const Grammars& python = Python();
    Frame frame;
    frame.kind = python.Of(node);
    Inherit(field, parent, &frame);
    if (frame.role == Role::kSkip) {
      if (parent.kind == Kind::kAttribute && UnsafeAttributes().contains(node.Text())) {
        attributes_.insert(std::string(node.Text()));
      }
      return frame;
    }
    switch (frame.kind) {
      case Kind::kFunction:
      case Kind::kLambda:
        frame.inner = OpenScope(ScopeKind::kFunction, frame.scope);
        break;
      case Kind::kClass:
        frame.inner = OpenScope(ScopeKind::kClass, frame.scope);
        break;
      case Kind::kComprehension:
        frame.inner = OpenScope(ScopeKind::kComprehension, frame.scope);
        break;
      case Kind::kAsTarget:
        frame.role = Role::kBind;
        break;
      case Kind::kAttribute:
        frame.chain_last = parent.kind == Kind::kAttribute ? parent.chain_last : node.Last();
        break;
      case Kind::kImport:
        BindImports(node, frame.scope);
        frame.role = Role::kSkip;
        break;
      case Kind::kIdentifier:
        Identifier(node, field, parent, frame);
        break;
      // A dotted name in a pattern binds only if it is a single name.
      case Kind::kDottedName:
        if (node.Text().find('.') != std::string_view::npos) {
          const std::string_view text = node.Text();
          Add({text.substr(0, text.find('.')), text, node.First(), frame.scope, false});
          frame.role = Role::kSkip;
        }
        break;
      default:
        break;
    }
    return frame;
  }

  void Identifier(const SyntaxNode& node, std::uint16_t field, const Frame& parent,
                  const Frame& frame) {
    const std::string_view name = node.Text();
    if (name.empty()) return;
    Scope& scope = scopes_[frame.scope];
    switch (frame.role) {
      case Role::kGlobal:
        scope.global.insert(name);
        Add({name, name, node.First(), frame.scope, scope.kind == ScopeKind::kModule});
        return;
      case Role::kNonlocal:
        scope.bound.emplace(name, false);
        return;
      case Role::kBind:
      case Role::kUseAndBind:
        scope.bound.emplace(name, true);
        Add({name, name, node.First(), frame.scope, true});
        return;
      default:
        break;
    }
    std::string_view chain = name;
    if (parent.kind == Kind::kAttribute && field == Python().object) {
      chain = root_text().substr(node.First() - root_.First(), parent.chain_last - node.First());
    }
    Add({name, chain, node.First(), frame.scope, false});
  }

  std::string_view root_text() const { return root_.Text(); }
  void Add(const Occurrence& occurrence) { occurrences_.push_back(occurrence); }

  void BindImports(const SyntaxNode& node, int scope) {
    for (PythonImport& import : ReadImports(node)) {
      if (!import.alias.empty()) {
        // The map's keys must live as long as the tree, so use the alias in the source text.
        const std::size_t at = node.Text().rfind(import.alias);
        const std::string_view alias = node.Text().substr(at, import.alias.size());
        scopes_[scope].bound.emplace(alias, true);
        if (scope == 0) Add({alias, alias, node.First() + at, 0, true});
      }
      out_->imports.push_back(std::move(import));
    }
  }

  // The scope that binds `name` for code in `scope`; 0 when it is the module's scope or none.
  int Lookup(std::string_view name, int scope) const {
    for (bool own = true; scope > 0; scope = scopes_[scope].parent, own = false) {
      const Scope& current = scopes_[scope];
      if (current.global.contains(name)) return 0;
      if (current.kind == ScopeKind::kClass && !own) continue;
      const auto found = current.bound.find(name);
      if (found != current.bound.end() && found->second) return scope;
      // In a class body, a comprehension sees the names of the class only in its first iterable.
      // Ignoring this loses nothing, because the module rarely has the same names.
      if (current.kind == ScopeKind::kComprehension) {
        const int parent = current.parent;
        if (scopes_[parent].kind == ScopeKind::kClass && scopes_[parent].bound.contains(name)) {
          return parent;
        }
      }
    }
    return 0;
  }

  void Report() {
    std::map<std::string_view, PythonBinding> bindings;
    struct Key {
      std::string chain;
      bool eager;
      auto operator<=>(const Key&) const = default;
    };
    std::map<Key, PythonUse> uses;
    for (const Occurrence& found : occurrences_) {
      const int scope = found.scope == 0 ? 0 : Lookup(found.name, found.scope);
      if (scope != 0) continue;
      const auto offset = static_cast<std::int64_t>(found.offset);
      if (found.binds && found.scope == 0) {
        PythonBinding& binding = bindings[found.name];
        binding.name = found.name;
        binding.offsets.push_back(offset);
        continue;
      }
      const std::string chain = Plain(found.chain, found.name);
      PythonUse& use = uses[{chain, scopes_[found.scope].eager}];
      use.chain = chain;
      use.eager = scopes_[found.scope].eager;
      use.offsets.push_back(offset);
    }
    for (auto& [name, binding] : bindings) out_->bindings.push_back(std::move(binding));
    for (auto& [key, use] : uses) out_->uses.push_back(std::move(use));
    out_->attributes.assign(attributes_.begin(), attributes_.end());
  }

  // The chain, or only `name` if white space or comments are inside of the chain.
  static std::string Plain(std::string_view chain, std::string_view name) {
    const bool plain = std::none_of(chain.begin(), chain.end(), [](char c) {
      return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '#' || c == '\\' || c == '(';
    });
    return std::string(plain ? chain : name);
  }

  SyntaxNode root_;
  PythonStatement* out_;
  std::vector<Scope> scopes_;
  std::vector<Occurrence> occurrences_;
  std::set<std::string> attributes_;
};

}  // namespace

void ResolveNames(const SyntaxNode& node, PythonStatement* statement) {
  Resolver(node, statement).Run();
}

std::vector<PythonImport> ReadImports(const SyntaxNode& node) {
  std::vector<PythonImport> imports;
  PythonImport base;
  base.first = static_cast<std::int64_t>(node.First());
  base.last = static_cast<std::int64_t>(node.Last());
  const bool from = !node.Is("import_statement");
  SyntaxNode module = node.Field("module_name");
  if (node.Is("future_import_statement")) {
    base.module = "__future__";
  } else if (from) {
    const std::string_view text = module ? module.Text() : std::string_view();
    for (char c : text) {
      if (c == '.') {
        ++base.level;
      } else if (c != ' ') {
        break;
      }
    }
    const auto name = text.find_first_not_of(". ");
    if (name != std::string_view::npos) base.module = text.substr(name);
  }
  for (const SyntaxNode& child : node.Children()) {
    if (module && child.First() == module.First()) continue;
    PythonImport import = base;
    SyntaxNode target = child;
    if (child.Is("aliased_import")) {
      target = child.Field("name");
      import.alias = child.Field("alias").Text();
    }
    if (child.Is("wildcard_import")) {
      import.name = "*";
    } else if (!target.Is("dotted_name")) {
      continue;
    } else if (from) {
      import.name = target.Text();
      if (import.alias.empty()) import.alias = import.name;
    } else {
      import.module = target.Text();
      // "import a.b" binds a, "import a.b as c" binds a.b to c.
      if (import.alias.empty()) import.alias = import.module.substr(0, import.module.find('.'));
    }
    imports.push_back(std::move(import));
  }
  return imports;
}

}  // namespace kernelmill
