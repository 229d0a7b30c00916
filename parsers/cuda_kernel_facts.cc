#include "parsers/cuda_kernel_facts.h"

#include <algorithm>
#include <map>

#include "parsers/cuda_attributes.h"
#include "parsers/cuda_body_facts.h"
#include "parsers/cuda_uses.h"
#include "parsers/function_declarator.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {
namespace {

constexpr std::size_t kLongestCode = 128 << 10;

struct Function {
  SyntaxNode definition;
  SyntaxNode whole;  // The definition with its template header.
  std::string name;
  bool kernel = false;
};

// The functions of the source (nested functions excluded) and its macros.
struct Source {
  std::vector<Function> functions;
  NameSet opaque_macros;  // Macros whose replacement has a call or a statement.
};

Source Survey(const SyntaxNode& root, std::string_view text) {
  Source source;
  std::vector<std::pair<SyntaxNode, SyntaxNode>> open = {{root, SyntaxNode()}};
  while (!open.empty()) {
    const auto [node, header] = open.back();
    open.pop_back();
    if (node.Is("function_definition")) {
      Function function{node, header ? header : node, "", false};
      const SyntaxNode declarator = DeclaratorOfFunction(node);
      if (!declarator || !node.Field("body")) continue;
      function.name = LastNameOf(QualifiedNameOf(declarator.Field("declarator")));
      for (const SyntaxNode& child : node.AllChildren()) {
        if (child.Is("__global__")) function.kernel = true;
      }
      source.functions.push_back(std::move(function));
      continue;
    }
    if (node.Is("preproc_def") || node.Is("preproc_function_def")) {
      const SyntaxNode value = node.Field("value");
      const std::string_view replacement =
          value ? text.substr(value.First(), value.Last() - value.First()) : std::string_view();
      if (node.Is("preproc_function_def") || replacement.find(';') != std::string_view::npos ||
          replacement.find("__") != std::string_view::npos) {
        source.opaque_macros.emplace(node.Field("name").Text());
      }
      continue;
    }
    const bool container = node.Is("translation_unit") || node.Is("namespace_definition") ||
                           node.Is("declaration_list") || node.Is("linkage_specification") ||
                           node.Is("template_declaration") || node.Kind().starts_with("preproc_") ||
                           node.Is("ERROR");
    if (!container) continue;
    for (const SyntaxNode& child : node.Children()) {
      open.push_back({child, node.Is("template_declaration") ? node : SyntaxNode()});
    }
  }
  std::sort(source.functions.begin(), source.functions.end(),
            [](const Function& a, const Function& b) {
              return a.definition.First() < b.definition.First();
            });
  return source;
}

void ReadParameters(const Function& kernel, std::string_view code, KernelFacts* facts) {
  const auto text = [&](const SyntaxNode& node) {
    return CodeOnOneLine(code.substr(node.First(), node.Last() - node.First()));
  };
  if (const SyntaxNode list = kernel.whole.Field("parameters")) {
    for (const SyntaxNode& child : list.Children()) {
      facts->template_parameters.push_back(text(child));
    }
  }
  const SyntaxNode list = DeclaratorOfFunction(kernel.definition).Field("parameters");
  if (!list) return;
  for (const SyntaxNode& child : list.Children()) {
    KernelParameter parameter;
    parameter.text = text(child);
    parameter.pointer = child.Field("declarator").Is("pointer_declarator");
    const std::string before = parameter.text.substr(0, parameter.text.find('*'));
    parameter.constant = before.starts_with("const ") || before.find(" const") != std::string::npos;
    const CudaNames names = CollectNames(child, {}, static_cast<std::size_t>(-1));
    if (names.declared.size() != 1) continue;
    parameter.name = *names.declared.begin();
    facts->parameters.push_back(std::move(parameter));
  }
}

void ReadHelpers(const Source& source, const Function& kernel, KernelFacts* facts) {
  NameSet called;
  for (const SyntaxNode& call : CallsIn(kernel.definition)) {
    called.emplace(LastNameOf(QualifiedNameOf(call.Field("function"))));
  }
  std::map<std::string, NameSet> collectives;
  for (const Function& function : source.functions) {
    if (function.kernel || !called.contains(function.name)) continue;
    NameSet& found = collectives[function.name];
    for (const SyntaxNode& call : CallsIn(function.definition)) {
      const std::string name = CalleeOf(call);
      if (IsBarrier(name) || IsWarpFunction(name) || IsAtomic(name)) found.insert(name);
    }
  }
  for (auto& [name, found] : collectives) {
    facts->helpers.push_back({name, {found.begin(), found.end()}});
  }
}

}  // namespace

std::optional<KernelFacts> ReadKernelFacts(const std::string& code, std::string_view name,
                                           std::int64_t line) {
  if (code.size() > kLongestCode) return std::nullopt;
  const BlankedSource blanked = BlankAttributes(code);
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kCuda, blanked.text);
  const Source source = Survey(tree.Root(), code);
  const auto kernel =
      std::find_if(source.functions.begin(), source.functions.end(), [&](const Function& function) {
        return function.kernel && function.name == name &&
               static_cast<std::int64_t>(function.whole.LastLine()) >= line;
      });
  if (kernel == source.functions.end() || kernel->whole.HasError()) return std::nullopt;
  KernelFacts facts;
  facts.name = name;
  ReadParameters(*kernel, code, &facts);
  for (const BlankedAttribute& attribute : blanked.attributes) {
    if (attribute.first >= kernel->whole.First() && attribute.first < kernel->whole.Last() &&
        attribute.name.find("BOUNDS") != std::string_view::npos) {
      facts.launch_bounds = CodeOnOneLine(
          std::string_view(code).substr(attribute.first, attribute.last - attribute.first));
    } else if (attribute.name == "__launch_bounds__" && attribute.first >= kernel->whole.First() &&
               attribute.first < kernel->whole.Last()) {
      facts.launch_bounds = CodeOnOneLine(
          std::string_view(code).substr(attribute.first, attribute.last - attribute.first));
    }
  }
  ReadBodyFacts(kernel->definition.Field("body"), code, &facts);
  ReadHelpers(source, *kernel, &facts);
  facts.uses_macros = Mentions(kernel->definition, source.opaque_macros);
  return facts;
}

}  // namespace kernelmill
