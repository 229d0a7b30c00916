#include "parsers/cuda_items.h"

#include <algorithm>
#include <array>
#include <set>

#include "parsers/cuda_uses.h"

namespace kernelmill {
namespace {

constexpr std::size_t kNoName = static_cast<std::size_t>(-1);

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The function declarator under pointers, references and parentheses; empty when there is none.
SyntaxNode FunctionDeclaratorOf(const SyntaxNode& definition) {
  SyntaxNode node = definition.Field("declarator");
  while (node && !node.Is("function_declarator")) {
    SyntaxNode inner = node.Field("declarator");
    if (!inner && (node.Is("reference_declarator") || node.Is("parenthesized_declarator"))) {
      const auto children = node.Children();
      if (!children.empty()) inner = children.back();
    }
    node = inner;
  }
  if (!node) return node;
  // `void (*f)(int)` declares a variable, not a function.
  return node.Field("declarator").Is("parenthesized_declarator") ? SyntaxNode() : node;
}

SyntaxNode NameNodeOf(SyntaxNode declarator) {
  while (declarator) {
    SyntaxNode inner = declarator.Field("declarator");
    if (!inner &&
        (declarator.Is("reference_declarator") || declarator.Is("parenthesized_declarator"))) {
      const auto children = declarator.Children();
      if (!children.empty()) inner = children.back();
    }
    if (!inner) return declarator;
    declarator = inner;
  }
  return declarator;
}

bool IsWord(const SyntaxNode& child, std::string_view word) {
  return child.Kind() == word ||
         ((child.Is("type_qualifier") || child.Is("storage_class_specifier")) &&
          child.Text() == word);
}

bool HasWord(const SyntaxNode& definition, std::initializer_list<std::string_view> words) {
  for (const SyntaxNode& child : definition.AllChildren()) {
    if (child.Is("compound_statement")) break;
    for (std::string_view word : words) {
      if (IsWord(child, word)) return true;
    }
  }
  return false;
}

// The named types of a function's parameters, without its template parameters.
std::vector<std::string> ParameterTypes(const SyntaxNode& declarator,
                                        const std::set<std::string, std::less<>>& declared) {
  std::set<std::string> types;
  const SyntaxNode list = declarator.Field("parameters");
  if (!list) return {};
  for (const SyntaxNode& parameter : list.Children()) {
    const SyntaxNode type = parameter.Field("type");
    if (!type) continue;
    const std::string name(LastNameOf(QualifiedNameOf(type)));
    if (!name.empty() && !type.Is("primitive_type") && !declared.contains(name)) types.insert(name);
  }
  return {types.begin(), types.end()};
}

}  // namespace

bool CudaItemReader::HasAttributeIn(std::size_t first, std::size_t last) const {
  const auto& attributes = blanked_.attributes;
  const auto at = std::lower_bound(
      attributes.begin(), attributes.end(), first,
      [](const BlankedAttribute& a, std::size_t offset) { return a.first < offset; });
  return at != attributes.end() && at->first < last;
}

bool CudaItemReader::IsForDevice(const SyntaxNode& definition) const {
  if (HasWord(definition, {"__device__", "__global__", "constexpr", "consteval"})) return true;
  // A macro among the specifiers or directly before them may make it device code.
  std::size_t first = definition.First();
  while (first > 0 && IsSpace(blanked_.text[first - 1])) --first;
  const SyntaxNode declarator = definition.Field("declarator");
  return HasAttributeIn(first, declarator ? declarator.First() : definition.Last());
}

void CudaItemReader::TakeAttributes(CudaItem* item) const {
  auto first = static_cast<std::size_t>(item->first);
  while (first > 0 && IsSpace(blanked_.text[first - 1])) --first;
  const auto& attributes = blanked_.attributes;
  auto at = std::lower_bound(
      attributes.begin(), attributes.end(), first,
      [](const BlankedAttribute& a, std::size_t offset) { return a.first < offset; });
  std::set<std::string> uses(item->uses.begin(), item->uses.end());
  for (; at != attributes.end() && at->first < static_cast<std::size_t>(item->last); ++at) {
    // An attribute that was blanked before the item belongs to it.
    item->first = std::min(item->first, static_cast<std::int64_t>(at->first));
    if (!at->name.starts_with("__")) {
      item->specifiers.emplace_back(at->name);
      uses.emplace(at->name);
    }
    const std::string_view arguments =
        source_.substr(at->first + at->name.size(), at->last - at->first - at->name.size());
    for (std::string_view name : IdentifiersIn(arguments)) uses.emplace(name);
  }
  item->uses.assign(uses.begin(), uses.end());
}

void CudaItemReader::ReadFunction(const SyntaxNode& definition, const SyntaxNode& declarator,
                                  CudaItem* item) {
  item->kind = CudaItemKind::kFunction;
  item->kernel = HasWord(definition, {"__global__"});
  item->device = item->kernel || HasWord(definition, {"__device__", "constexpr", "consteval"});
  const SyntaxNode body = definition.Field("body");
  item->body = static_cast<bool>(body);
  const SyntaxNode name = NameNodeOf(declarator);
  own_name_ = name.First();
  SyntaxNode last = name;
  while (last.Is("qualified_identifier")) {
    const SyntaxNode inner = last.Field("name");
    if (!inner) break;
    last = inner;
  }
  if (last.Is("template_function")) last = last.Field("name");
  item->name = CodeOnOneLine(last.Text());
  if (item->name.starts_with("operator ")) item->name.erase(8, 1);
  if (name.Is("qualified_identifier")) {
    const std::string chain = QualifiedNameOf(name);
    const auto end = chain.rfind("::");
    if (end != std::string::npos) {
      item->owner = LastNameOf(std::string_view(chain).substr(0, end));
    } else if (const SyntaxNode scope = name.Field("scope")) {
      item->owner = QualifiedNameOf(scope);
    }
  }
  item->defines.push_back(item->name);
}

void CudaItemReader::ReadRecord(const SyntaxNode& record, CudaItem* item) {
  item->kind = CudaItemKind::kRecord;
  item->device = true;
  const SyntaxNode name = record.Field("name");
  if (name) {
    item->name = LastNameOf(QualifiedNameOf(name));
    if (!item->name.empty()) item->defines.push_back(item->name);
  }
  const SyntaxNode body = record.Field("body");
  item->body = static_cast<bool>(body);
  if (!body) return;
  for (const SyntaxNode& child : body.Children()) {
    SyntaxNode member = child;
    if (child.Is("template_declaration")) {
      const auto parts = child.Children();
      if (!parts.empty()) member = parts.back();
    }
    const bool function = member.Is("function_definition") ||
                          ((member.Is("declaration") || member.Is("field_declaration")) &&
                           FunctionDeclaratorOf(member));
    if (!function || IsForDevice(member)) continue;
    const auto parts = member.Children();
    if (!parts.empty() &&
        (parts.back().Is("default_method_clause") || parts.back().Is("delete_method_clause"))) {
      continue;
    }
    host_nodes_.push_back(child);
    item->host_parts.push_back(
        {static_cast<std::int64_t>(child.First()), static_cast<std::int64_t>(child.Last())});
  }
}

void CudaItemReader::ReadEnum(const SyntaxNode& enumeration, CudaItem* item) {
  item->kind = CudaItemKind::kEnum;
  item->device = item->body = true;
  if (const SyntaxNode name = enumeration.Field("name")) {
    item->name = LastNameOf(QualifiedNameOf(name));
    if (!item->name.empty()) item->defines.push_back(item->name);
  }
  const SyntaxNode body = enumeration.Field("body");
  if (!body) return;
  for (const SyntaxNode& child : body.Children()) {
    if (child.Is("enumerator")) item->defines.emplace_back(child.Field("name").Text());
  }
}

bool CudaItemReader::ReadType(const SyntaxNode& type, CudaItem* item) {
  if (type.Is("struct_specifier") || type.Is("class_specifier") || type.Is("union_specifier")) {
    ReadRecord(type, item);
  } else if (type.Is("enum_specifier")) {
    ReadEnum(type, item);
  } else {
    return false;
  }
  return true;
}

bool CudaItemReader::ReadAlias(const SyntaxNode& alias, CudaItem* item) {
  if (alias.Is("alias_declaration")) {
    item->name = alias.Field("name").Text();
    item->defines.push_back(item->name);
  } else {
    const SyntaxNode type = alias.Field("type");
    if (type && type.Field("body")) ReadType(type, item);
    for (const SyntaxNode& child : alias.Children()) {
      if (child.First() == type.First()) continue;
      const SyntaxNode name = NameNodeOf(child);
      if (!name.Is("type_identifier") && !name.Is("identifier") && !name.Is("primitive_type")) {
        continue;
      }
      item->name = name.Text();
      item->defines.push_back(item->name);
    }
  }
  item->kind = CudaItemKind::kAlias;
  item->device = item->body = true;
  return !item->name.empty();
}

bool CudaItemReader::ReadDeclaration(const SyntaxNode& declaration, CudaItem* item) {
  if (const SyntaxNode declarator = FunctionDeclaratorOf(declaration)) {
    ReadFunction(declaration, declarator, item);
    return true;
  }
  const SyntaxNode type = declaration.Field("type");
  const bool defines_type = type && type.Field("body") && ReadType(type, item);
  bool valued = false;
  for (const SyntaxNode& child : declaration.Children()) {
    if (child.First() == type.First()) continue;
    if (child.Is("init_declarator")) valued = true;
    const SyntaxNode name = NameNodeOf(child);
    if (!name.Is("identifier") && !name.Is("qualified_identifier")) continue;
    const std::string chain = QualifiedNameOf(name);
    item->name = LastNameOf(chain);
    if (name.Is("qualified_identifier") && chain.size() > item->name.size() + 2) {
      item->owner =
          LastNameOf(std::string_view(chain).substr(0, chain.size() - item->name.size() - 2));
    }
    item->defines.push_back(item->name);
  }
  if (defines_type) return true;
  item->kind = CudaItemKind::kVariable;
  item->device = HasWord(declaration, {"__device__", "__constant__", "__managed__", "__shared__",
                                       "constexpr"}) ||
                 (valued && HasWord(declaration, {"const"}));
  return !item->name.empty();
}

bool CudaItemReader::ReadMacro(const SyntaxNode& macro, CudaItem* item) {
  item->kind = CudaItemKind::kMacro;
  item->device = item->body = true;
  item->name = macro.Field("name").Text();
  item->defines.push_back(item->name);
  std::set<std::string_view> parameters;
  if (const SyntaxNode list = macro.Field("parameters")) {
    for (std::string_view name : IdentifiersIn(list.Text())) parameters.insert(name);
  }
  std::set<std::string> uses;
  if (const SyntaxNode value = macro.Field("value")) {
    // Uses the original text, because attributes in a macro were blanked for the parser.
    for (std::string_view name :
         IdentifiersIn(source_.substr(value.First(), value.Last() - value.First()))) {
      if (!parameters.contains(name) && name != item->name) uses.emplace(name);
    }
  }
  item->uses.assign(uses.begin(), uses.end());
  return !item->name.empty();
}

bool CudaItemReader::ReadInvocation(const SyntaxNode& statement, CudaItem* item) {
  const auto children = statement.Children();
  if (children.empty() || !children[0].Is("call_expression")) return false;
  const SyntaxNode callee = children[0].Field("function");
  if (!callee.Is("identifier")) return false;
  item->kind = CudaItemKind::kInvocation;
  item->body = true;
  item->name = callee.Text();
  for (std::string_view name : IdentifiersIn(children[0].Field("arguments").Text())) {
    item->defines.emplace_back(name);
  }
  return true;
}

bool CudaItemReader::ReadDefinition(const SyntaxNode& inner, CudaItem* item) {
  const std::string_view kind = inner.Kind();
  if (kind == "function_definition") {
    const SyntaxNode declarator = FunctionDeclaratorOf(inner);
    if (!declarator) return false;
    ReadFunction(inner, declarator, item);
    return !item->name.empty();
  }
  if (kind == "declaration") return ReadDeclaration(inner, item);
  if (kind == "type_definition" || kind == "alias_declaration") return ReadAlias(inner, item);
  if (kind == "expression_statement") return ReadInvocation(inner, item);
  if (kind == "using_declaration") {
    item->kind = CudaItemKind::kUsing;
    item->device = item->body = true;
    const auto children = inner.Children();
    if (children.empty()) return false;
    const std::string chain = QualifiedNameOf(children[0]);
    item->name = LastNameOf(chain);
    item->uses.push_back(chain);
    for (const SyntaxNode& child : inner.AllChildren()) {
      if (child.Is("namespace")) item->quoted = true;
    }
    if (!item->quoted) item->defines.push_back(item->name);
    return !chain.empty();
  }
  if (kind == "namespace_alias_definition") {
    item->kind = CudaItemKind::kNamespaceAlias;
    item->device = item->body = true;
    item->name = inner.Field("name").Text();
    item->defines.push_back(item->name);
    return true;
  }
  return ReadType(inner, item);
}

std::optional<CudaItem> CudaItemReader::Read(const SyntaxNode& node) {
  CudaItem item;
  item.first = static_cast<std::int64_t>(node.First());
  item.last = static_cast<std::int64_t>(node.Last());
  item.has_error = node.HasError();
  host_nodes_.clear();
  own_name_ = kNoName;
  if (node.Is("preproc_include")) {
    const SyntaxNode path = node.Field("path");
    if (!path || path.Text().size() < 2) return std::nullopt;
    item.kind = CudaItemKind::kInclude;
    item.quoted = path.Is("string_literal");
    item.name = path.Text().substr(1, path.Text().size() - 2);
  } else if (node.Is("preproc_def") || node.Is("preproc_function_def")) {
    if (!ReadMacro(node, &item)) return std::nullopt;
  } else if (node.Is("preproc_call")) {
    if (node.Field("directive").Text() != "#undef" || !node.Field("argument")) return std::nullopt;
    item.kind = CudaItemKind::kUndef;
    item.name = CodeOnOneLine(node.Field("argument").Text());
  } else {
    SyntaxNode inner = node;
    while (inner.Is("template_declaration")) {
      const auto children = inner.Children();
      if (children.empty()) return std::nullopt;
      inner = children.back();
    }
    if (!ReadDefinition(inner, &item)) return std::nullopt;
    CudaNames names = CollectNames(node, host_nodes_, own_name_);
    // Names declared inside of a definition do not matter to others, except for a record's members.
    for (const std::string& name : item.defines) names.declared.erase(name);
    if (item.kind == CudaItemKind::kRecord || item.kind == CudaItemKind::kAlias) {
      item.members.assign(names.declared.begin(), names.declared.end());
    }
    std::erase_if(names.uses, [&](const std::string& use) {
      return use == item.name && item.kind != CudaItemKind::kFunction &&
             item.kind != CudaItemKind::kInvocation;
    });
    item.uses.insert(item.uses.end(), names.uses.begin(), names.uses.end());
    item.conditions.assign(names.conditions.begin(), names.conditions.end());
    item.operators.assign(names.operators.begin(), names.operators.end());
    if (item.kind == CudaItemKind::kFunction) {
      item.types = ParameterTypes(FunctionDeclaratorOf(inner), names.declared);
      if (!item.device || item.kernel) {
        ReadHostCode(inner, source_, binding_macros_, &item.launches, bindings_);
        for (CudaLaunch& launch : item.launches) launch.launch.function = item.name;
      }
    }
    TakeAttributes(&item);
    const bool closed = source_[static_cast<std::size_t>(item.last) - 1] == ';';
    if (!closed && item.kind != CudaItemKind::kFunction) {
      auto end = static_cast<std::size_t>(item.last);
      while (end < source_.size() && IsSpace(source_[end])) ++end;
      if (end < source_.size() && source_[end] == ';') {
        item.last = static_cast<std::int64_t>(end + 1);
      }
    }
  }
  while (item.last > item.first && IsSpace(source_[static_cast<std::size_t>(item.last) - 1])) {
    --item.last;
  }
  return item;
}

}  // namespace kernelmill
