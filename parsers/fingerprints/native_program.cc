#include "parsers/fingerprints/native_program.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "parsers/cuda_attributes.h"
#include "parsers/cuda_index.h"
#include "parsers/cuda_launches.h"
#include "parsers/cuda_uses.h"

namespace kernelmill {
namespace {

// Constants that are defined by constants, and so on.
constexpr int kDeepestConstant = 8;
constexpr std::size_t kLongestConstant = 200;

SyntaxNode FunctionDeclarator(SyntaxNode node) {
  while (node && !node.Is("function_declarator")) {
    SyntaxNode inner = node.Field("declarator");
    if (!inner && node.Is("reference_declarator")) {
      const auto children = node.Children();
      if (!children.empty()) inner = children.back();
    }
    node = inner;
  }
  return node;
}

// The last name of a declarator: "f" for A::f<T>.
std::string_view NameOf(SyntaxNode node) {
  for (;;) {
    if (node.Is("qualified_identifier") || node.Is("template_function") ||
        node.Is("template_method")) {
      node = node.Field("name");
    } else {
      return node ? node.Text() : std::string_view();
    }
  }
}

bool IsLoop(const SyntaxNode& node) {
  return node.Is("for_statement") || node.Is("while_statement") || node.Is("do_statement") ||
         node.Is("for_range_loop");
}

}  // namespace

std::string_view NodeText(const SyntaxNode& node) {
  return node ? node.Text() : std::string_view();
}

std::optional<std::int64_t> NumberOf(std::string_view literal) {
  while (!literal.empty() && std::string_view("uUlL").find(literal.back()) != literal.npos) {
    literal.remove_suffix(1);
  }
  const bool hex = literal.starts_with("0x") || literal.starts_with("0X");
  if (hex) literal.remove_prefix(2);
  std::int64_t value = 0;
  const char* const end = literal.data() + literal.size();
  const auto [last, error] = std::from_chars(literal.data(), end, value, hex ? 16 : 10);
  if (error != std::errc() || last != end || literal.empty()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> Folded(std::string_view sign, std::int64_t left, std::int64_t right) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 31;
  if (std::abs(left) > kLargest || std::abs(right) > kLargest) return std::nullopt;
  if (sign == "+") return left + right;
  if (sign == "-") return left - right;
  if (sign == "*") return left * right;
  if (sign == "/" && right != 0) return left / right;
  if (sign == "%" && right != 0) return left % right;
  if (sign == "<<" && left >= 0 && right >= 0 && right < 31) return left << right;
  if (sign == ">>" && left >= 0 && right >= 0 && right < 31) return left >> right;
  return std::nullopt;
}

NativeProgram::NativeProgram(std::string_view source)
    : text_(BlankAttributes(source).text),
      tree_(SyntaxTree::Parse(Grammar::kCuda, text_)) {
  ForEachNode(tree_.Root(), [&](const SyntaxNode& node) {
    if (node.Is("function_definition")) {
      ReadFunction(node);
    } else if (node.Is("declaration") || node.Is("field_declaration")) {
      ReadConstants(node);
    } else if (node.Is("struct_specifier") || node.Is("class_specifier")) {
      if (const SyntaxNode name = node.Field("name")) records_.insert(name.Text());
    } else if (node.Is("preproc_def") || node.Is("preproc_function_def")) {
      macros_.emplace(NodeText(node.Field("name")), NodeText(node.Field("value")));
    }
  });
}

void NativeProgram::ReadFunction(const SyntaxNode& definition) {
  const SyntaxNode declarator = FunctionDeclarator(definition.Field("declarator"));
  const SyntaxNode body = definition.Field("body");
  if (!declarator || !body) return;
  auto function = std::make_unique<NativeFunction>();
  function->name = NameOf(declarator.Field("declarator"));
  function->definition = definition;
  function->body = body;
  function->parameters = declarator.Field("parameters").Children();
  const std::string_view head = std::string_view(text_)
                                    .substr(definition.First(), body.First() - definition.First());
  function->kernel = head.find("__global__") != std::string_view::npos;
  if (function->name.empty()) return;
  by_name_[function->name].push_back(function.get());
  functions_.push_back(std::move(function));
}

// Only constants of a file or class: those of a function are variables of its own.
void NativeProgram::ReadConstants(const SyntaxNode& declaration) {
  for (SyntaxNode outer = declaration.Parent(); outer; outer = outer.Parent()) {
    if (outer.Is("compound_statement") || outer.Is("parameter_list")) return;
  }
  const std::string_view text = declaration.Text();
  if (text.find("const") == std::string_view::npos) return;
  for (const SyntaxNode& child : declaration.Children()) {
    if (child.Is("init_declarator") && child.Field("declarator").Is("identifier")) {
      constants_.emplace(NodeText(child.Field("declarator")), child.Field("value"));
    }
  }
  const SyntaxNode member = declaration.Field("declarator");
  if (member.Is("field_identifier") && declaration.Field("default_value")) {
    constants_.emplace(member.Text(), declaration.Field("default_value"));
  }
}

std::vector<const NativeFunction*> NativeProgram::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::vector<const NativeFunction*>() : found->second;
}

std::string_view NativeProgram::Macro(std::string_view name) const {
  const auto found = macros_.find(name);
  return found == macros_.end() ? std::string_view() : found->second;
}

std::optional<std::int64_t> NativeProgram::Constant(std::string_view name) const {
  return ConstantAt(name, 0);
}

std::optional<std::int64_t> NativeProgram::ConstantAt(std::string_view name, int depth) const {
  if (depth > kDeepestConstant) return std::nullopt;
  if (const auto found = constants_.find(name); found != constants_.end()) {
    return ValueOf(found->second, depth);
  }
  const std::string_view macro = Macro(name);
  if (macro.empty()) return std::nullopt;
  const std::string text = CodeOnOneLine(macro);
  if (const auto number = NumberOf(text)) return number;
  if (text.size() > kLongestConstant) return std::nullopt;
  // A macro's text is no tree. It is parsed as the value of a variable.
  const std::string statement = "int value = " + text + ";";
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kCuda, statement);
  std::optional<std::int64_t> value;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    if (node.Is("init_declarator")) value = ValueOf(node.Field("value"), depth);
  });
  return value;
}

std::optional<std::int64_t> NativeProgram::ValueOf(const SyntaxNode& expression, int depth) const {
  if (depth > kDeepestConstant) return std::nullopt;
  const SyntaxNode node = StripParenthesesAndCasts(expression);
  if (node.Is("number_literal")) return NumberOf(node.Text());
  if (node.Is("identifier")) return ConstantAt(node.Text(), depth + 1);
  if (!node.Is("binary_expression")) return std::nullopt;
  const auto left = ValueOf(node.Field("left"), depth + 1);
  const auto right = ValueOf(node.Field("right"), depth + 1);
  return left && right ? Folded(NodeText(node.Field("operator")), *left, *right) : std::nullopt;
}

std::vector<LaunchedKernel> NativeProgram::Launched(
    const std::set<std::string, std::less<>>& called) const {
  std::vector<CudaLaunch> launches;
  std::vector<CudaBinding> bindings;
  ReadHostCode(tree_.Root(), text_, {}, &launches, &bindings);
  std::set<std::string, std::less<>> wanted = called;
  for (const CudaBinding& binding : bindings) {
    if (called.contains(binding.name)) wanted.insert(binding.function);
  }
  // First the functions that Python calls, then all of them.
  for (const bool all : {false, true}) {
    std::map<const NativeFunction*, bool> kernels;  // With whether a loop launches it.
    std::set<const NativeFunction*> seen;
    std::vector<const NativeFunction*> open;
    for (const auto& function : functions_) {
      if (!function->kernel && (all || wanted.contains(function->name))) {
        open.push_back(function.get());
      }
    }
    while (!open.empty()) {
      const NativeFunction* const function = open.back();
      open.pop_back();
      if (!seen.insert(function).second) continue;
      ForEachNode(function->body, [&](const SyntaxNode& node) {
        if (!node.Is("identifier")) return;
        for (const NativeFunction* other : Find(node.Text())) {
          if (other == function) continue;
          if (!other->kernel) {
            open.push_back(other);
            continue;
          }
          bool in_loop = false;
          for (SyntaxNode outer = node; outer && outer.First() > function->body.First();
               outer = outer.Parent()) {
            in_loop = in_loop || IsLoop(outer);
          }
          kernels[other] = kernels[other] || in_loop;
        }
      });
    }
    std::vector<LaunchedKernel> result;
    for (const auto& function : functions_) {
      const auto found = kernels.find(function.get());
      if (found != kernels.end()) result.push_back({found->first, found->second});
    }
    if (!result.empty()) return result;
  }
  std::vector<LaunchedKernel> every;
  for (const auto& function : functions_) {
    if (function->kernel) every.push_back({function.get(), false});
  }
  return every;
}

std::set<std::string> NativeProgram::Libraries() const {
  static constexpr std::array<std::string_view, 10> kPrefixes = {
      "cublas", "cudnn", "cufft", "cusparse", "cusolver", "cutlass", "mublas", "mudnn", "mufft",
      "musparse"};
  std::set<std::string> libraries;
  ForEachNode(tree_.Root(), [&](const SyntaxNode& node) {
    if (!node.Is("call_expression")) return;
    const std::string callee = QualifiedNameOf(node.Field("function"));
    for (const std::string_view prefix : kPrefixes) {
      if (callee.starts_with(prefix)) libraries.emplace(prefix);
    }
  });
  return libraries;
}

}  // namespace kernelmill
