#include "parsers/cuda_launches.h"

#include <algorithm>
#include <set>

#include "corpora/kernel_backend.h"
#include "parsers/cuda_attributes.h"
#include "parsers/cuda_uses.h"

namespace kernelmill {
namespace {

constexpr std::size_t kLongestExpression = 400;
constexpr std::size_t kMostSetup = 8;
// The maximum distance in bytes from a macro's #define to its .def().
constexpr std::size_t kFarthestDefine = 200;
constexpr std::size_t kMostLaunches = 256;  // Per function.

// A statement that assigns a variable.
struct Assignment {
  std::string_view variable;
  SyntaxNode statement;
  bool declares = false;
  std::size_t scope_last = 0;  // The end of the enclosing block.
};

struct HostCode {
  std::vector<SyntaxNode> launches;
  std::vector<SyntaxNode> calls;
  std::vector<Assignment> assignments;
};

// The variable that a declarator or the left side of an assignment refers to: "grid" for grid.x.
std::string_view VariableOf(SyntaxNode node) {
  while (node) {
    if (node.Is("identifier")) return node.Text();
    SyntaxNode inner = node.Field("declarator");
    if (!inner) inner = node.Field("argument");
    node = inner;
  }
  return {};
}

void AddStatement(const SyntaxNode& node, std::size_t scope_last, HostCode* code) {
  if (node.Is("declaration")) {
    for (const SyntaxNode& child : node.Children()) {
      if (!child.Is("init_declarator") && !child.Is("identifier") &&
          !child.Is("function_declarator")) {
        continue;
      }
      const std::string_view variable = VariableOf(child);
      if (!variable.empty()) code->assignments.push_back({variable, node, true, scope_last});
    }
  } else if (node.Is("expression_statement")) {
    const auto children = node.Children();
    if (children.empty() || !children[0].Is("assignment_expression")) return;
    const std::string_view variable = VariableOf(children[0].Field("left"));
    if (!variable.empty()) code->assignments.push_back({variable, node, false, scope_last});
  }
}

// Whether the node is code that may or may not run before a later launch.
bool IsScope(const SyntaxNode& node) {
  static constexpr std::string_view kKinds[] = {
      "compound_statement", "if_statement",     "else_clause",  "for_statement",
      "while_statement",    "switch_statement", "do_statement", "case_statement"};
  return std::find(std::begin(kKinds), std::end(kKinds), node.Kind()) != std::end(kKinds);
}

HostCode Gather(const SyntaxNode& function) {
  HostCode code;
  SyntaxCursor cursor(function);
  std::vector<std::size_t> scope_ends = {function.Last()};
  do {
    const SyntaxNode node = cursor.Node();
    while (node.First() >= scope_ends.back() && scope_ends.size() > 1) scope_ends.pop_back();
    if (IsScope(node) && node.Last() <= scope_ends.back()) scope_ends.push_back(node.Last());
    if (node.Is("call_expression")) {
      const auto children = node.Children();
      const bool launch = std::any_of(children.begin(), children.end(), [](const SyntaxNode& n) {
        return n.Is("kernel_call_syntax");
      });
      (launch ? code.launches : code.calls).push_back(node);
    }
    AddStatement(node, scope_ends.back(), &code);
  } while (cursor.ToNext());
  return code;
}

// cudaLaunchKernel, musaLaunchKernel.
bool IsRuntimeLaunch(std::string_view callee) {
  constexpr std::string_view kEnd = "LaunchKernel";
  return callee.ends_with(kEnd) &&
         FindKernelBackend(callee.substr(0, callee.size() - kEnd.size())) != nullptr;
}

class HostReader {
 public:
  HostReader(const HostCode& code, std::string_view source) : code_(code), source_(source) {}

  CudaLaunch Read(const SyntaxNode& call) const {
    CudaLaunch launch;
    const SyntaxNode function = call.Field("function");
    Name(function, &launch);
    for (const SyntaxNode& child : call.Children()) {
      if (!child.Is("kernel_call_syntax")) continue;
      const auto parts = child.Children();
      std::string* const fields[] = {&launch.launch.grid, &launch.launch.block,
                                     &launch.launch.shared, &launch.launch.stream};
      for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 4); ++i) {
        *fields[i] = Text(parts[i]);
      }
    }
    Finish(call, &launch);
    return launch;
  }

  // Reads cudaLaunchKernel(function, grid, block, arguments, shared, stream).
  CudaLaunch ReadRuntimeCall(const SyntaxNode& call,
                             const std::vector<SyntaxNode>& arguments) const {
    CudaLaunch launch;
    SyntaxNode function = arguments[0];
    while (function.Is("cast_expression") || function.Is("pointer_expression") ||
           function.Is("parenthesized_expression")) {
      const auto children = function.Children();
      if (children.empty()) break;
      function = children.back();
    }
    Name(function, &launch);
    launch.launch.grid = Text(arguments[1]);
    launch.launch.block = Text(arguments[2]);
    launch.launch.shared = Text(arguments[4]);
    launch.launch.stream = Text(arguments[5]);
    Finish(call, &launch);
    return launch;
  }

 private:
  std::string Text(const SyntaxNode& node) const {
    std::string text = CodeOnOneLine(source_.substr(node.First(), node.Last() - node.First()));
    return text.size() <= kLongestExpression ? text : "";
  }

  void Name(const SyntaxNode& function, CudaLaunch* launch) const {
    launch->kernel = LastNameOf(QualifiedNameOf(function));
    SyntaxNode named = function;
    while (named.Is("qualified_identifier")) named = named.Field("name");
    const SyntaxNode arguments = named ? named.Field("arguments") : SyntaxNode();
    if (arguments.Is("template_argument_list")) {
      const std::string text = Text(arguments);
      if (text.size() > 2)
        launch->launch.template_arguments = CodeOnOneLine(text.substr(1, text.size() - 2));
    }
  }

  void Finish(const SyntaxNode& call, CudaLaunch* launch) const {
    launch->line = static_cast<std::int64_t>(call.FirstLine());
    std::set<std::string_view> wanted;
    for (const std::string* text :
         {&launch->launch.grid, &launch->launch.block, &launch->launch.shared}) {
      for (std::string_view name : IdentifiersIn(*text)) wanted.insert(name);
    }
    // For each variable, the assignments from its last declaration on.
    std::vector<const Assignment*> chosen;
    for (const Assignment& assignment : code_.assignments) {
      if (assignment.statement.First() >= call.First()) break;
      if (call.First() >= assignment.scope_last || !wanted.contains(assignment.variable)) continue;
      if (assignment.declares) {
        std::erase_if(chosen,
                      [&](const Assignment* old) { return old->variable == assignment.variable; });
      }
      chosen.push_back(&assignment);
    }
    for (const Assignment* assignment : chosen) {
      const std::string text = Text(assignment->statement);
      // Skip a statement that contains the launch itself (in a lambda).
      if (text.empty() || text.find("<<<") != std::string::npos) continue;
      if (std::find(launch->launch.setup.begin(), launch->launch.setup.end(), text) ==
          launch->launch.setup.end()) {
        launch->launch.setup.push_back(text);
      }
    }
    if (launch->launch.setup.size() > kMostSetup) launch->launch.setup.clear();
  }

  const HostCode& code_;
  const std::string_view source_;
};

// Reads m.def("name", &function) and m.impl("name", function). The name ends where a schema begins.
bool ReadBinding(const SyntaxNode& call, const std::vector<SyntaxNode>& arguments,
                 CudaBinding* binding) {
  const SyntaxNode function = call.Field("function");
  if (!function.Is("field_expression")) return false;
  const std::string_view method = function.Field("field").Text();
  if ((method != "def" && method != "impl") || arguments.size() < 2 ||
      !arguments[0].Is("string_literal")) {
    return false;
  }
  const std::string_view literal = arguments[0].Text();
  const std::string_view text = literal.substr(1, literal.size() < 2 ? 0 : literal.size() - 2);
  binding->name = text.substr(0, text.find('('));
  SyntaxNode target = arguments[1];
  if (target.Is("call_expression")) {  // As in torch::dispatch(key, &function), TORCH_FN(function).
    const auto inner = target.Field("arguments").Children();
    if (inner.empty()) return false;
    target = inner.back();
  }
  if (target.Is("pointer_expression")) target = target.Field("argument");
  binding->function = LastNameOf(QualifiedNameOf(target));
  return !binding->name.empty() && !binding->function.empty();
}

}  // namespace

std::set<std::string, std::less<>> BindingMacros(std::string_view source) {
  std::set<std::string, std::less<>> macros;
  constexpr std::string_view kBinds = ".def(#", kDefine = "#define ";
  for (std::size_t at = source.find(kBinds); at != std::string_view::npos;
       at = source.find(kBinds, at + 1)) {
    const std::string_view before = source.substr(0, at);
    const std::size_t define = before.substr(at - std::min(at, kFarthestDefine)).rfind(kDefine);
    if (define == std::string_view::npos) continue;
    const std::string_view text =
        before.substr(at - std::min(at, kFarthestDefine) + define + kDefine.size());
    const std::size_t open = text.find('(');
    if (open != std::string_view::npos) macros.insert(CodeOnOneLine(text.substr(0, open)));
  }
  return macros;
}

void ReadHostCode(const SyntaxNode& function, std::string_view source,
                  const std::set<std::string, std::less<>>& binding_macros,
                  std::vector<CudaLaunch>* launches, std::vector<CudaBinding>* bindings) {
  const HostCode code = Gather(function);
  const HostReader reader(code, source);
  for (const SyntaxNode& call : code.launches) {
    if (launches->size() >= kMostLaunches) break;
    CudaLaunch launch = reader.Read(call);
    if (!launch.kernel.empty()) launches->push_back(std::move(launch));
  }
  for (const SyntaxNode& call : code.calls) {
    const SyntaxNode list = call.Field("arguments");
    if (!list) continue;
    const auto arguments = list.Children();
    const std::string_view callee = LastNameOf(call.Field("function").Text());
    if (IsRuntimeLaunch(callee) && arguments.size() == 6) {
      CudaLaunch launch = reader.ReadRuntimeCall(call, arguments);
      if (!launch.kernel.empty()) launches->push_back(std::move(launch));
    }
    CudaBinding binding;
    if (arguments.size() == 1 && arguments[0].Is("identifier") && binding_macros.contains(callee)) {
      binding.name = binding.function = arguments[0].Text();
      bindings->push_back(std::move(binding));
    } else if (ReadBinding(call, arguments, &binding))
      bindings->push_back(std::move(binding));
  }
}

}  // namespace kernelmill
