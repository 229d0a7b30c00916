#include "stages/verify/legality/native_text.h"

#include <algorithm>
#include <array>
#include <set>

#include "corpora/operators/operator_table.h"
#include "parsers/cuda_uses.h"
#include "parsers/macro_items.h"
#include "parsers/syntax_tree.h"
#include "stages/verify/legality/asked_macros.h"
#include "stages/verify/legality/device_branch.h"
#include "stages/verify/legality/file_name_uses.h"
#include "stages/verify/legality/host_conditions.h"
#include "stages/verify/legality/host_state.h"
#include "stages/verify/legality/language_questions.h"
#include "stages/verify/legality/name_prefix.h"
#include "stages/verify/legality/tensor_operators.h"

namespace kernelmill {
namespace {

using Names = std::set<std::string_view>;

constexpr std::array<std::string_view, 15> kVendorHeaders = {
    "cublas", "cudnn", "cusolver", "cusparse", "cufft",    "cutensor", "npp",        "cblas",
    "mkl",    "dnnl",  "mublas",   "mudnn",    "musolver", "mufft",    "ATen/native"};
// Headers of Thrust without algorithms: types that kernels may use too.
constexpr std::array<std::string_view, 5> kThrustTypes = {
    "thrust/complex.h", "thrust/pair.h", "thrust/tuple.h", "thrust/functional.h", "thrust/swap.h"};
constexpr std::array<std::string_view, 8> kForbiddenHeaders = {
    "dlfcn.h",      "pthread.h",  "thread",  "future",
    "sys/ptrace.h", "sys/mman.h", "spawn.h", "sys/wait.h"};

// Functions of at:: and torch::, and tensor methods, that compute.
const Names& ComputeNames() {
  static const Names kNames = [] {
    Names names;
    for (const OperatorRow& row : Operators()) {
      names.insert(row.cpp.refused.begin(), row.cpp.refused.end());
    }
    return names;
  }();
  return kNames;
}

const Names& ForbiddenCalls() {
  static const Names kNames = {
      "dlopen", "dlsym", "dlvsym", "system", "popen", "fork", "vfork", "execve", "execv", "execvp",
      "ptrace", "pthread_create", "_exit", "quick_exit", "posix_spawn", "std::thread",
      "std::jthread", "std::async",
      // Running Python from C++.
      "py::eval", "py::exec", "py::eval_file", "py::module_::import", "py::module::import",
      "pybind11::eval", "pybind11::exec", "pybind11::module_::import"};
  return kNames;
}

// Ways to call an operator whose name does not occur in the text.
const Names& DispatcherNames() {
  static const Names kNames = {"c10::Dispatcher::singleton", "torch::jit::compile",
                               "torch::jit::load", "torch::jit::getAllOperatorsFor"};
  return kNames;
}

void CheckInclude(const SyntaxNode& node, std::string_view file,
                  std::vector<VerdictFinding>* findings) {
  std::string_view path = node.Field("path").Text();
  if (path.size() < 2) return;
  path = path.substr(1, path.size() - 2);
  const auto line = static_cast<std::int64_t>(node.FirstLine());
  const bool algorithm =
      path.starts_with("thrust/") &&
      std::find(kThrustTypes.begin(), kThrustTypes.end(), path) == kThrustTypes.end();
  if (algorithm || StartsWithAny(path, kVendorHeaders)) {
    findings->push_back(
        {"vendor_library", std::string(file), line, "includes " + std::string(path)});
  } else if (std::find(kForbiddenHeaders.begin(), kForbiddenHeaders.end(), path) !=
             kForbiddenHeaders.end()) {
    findings->push_back(
        {"forbidden_symbol", std::string(file), line, "includes " + std::string(path)});
  }
}

// The names of the functions that a text declares or defines in classes of its own, and of the
// members of such classes, which may be function objects.
Names OwnMethods(const SyntaxTree& tree) {
  Names names;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    if (!node.Is("function_declarator") && !node.Is("field_declaration")) return;
    const SyntaxNode name = node.Field("declarator");
    if (name && name.Is("field_identifier")) names.insert(name.Text());
  });
  return names;
}

// What tells when, and from where, a text is compiled. __FILE__ and __LINE__ are the same everywhere.
bool TellsOfBuild(std::string_view name) {
  return name == "__COUNTER__" || name == "__INCLUDE_LEVEL__" || name == "__BASE_FILE__" ||
         name == "__FILE_NAME__" || name == "__DATE__" || name == "__TIME__" ||
         name == "__TIMESTAMP__" || name == "__PRETTY_FUNCTION__" || name == "__FUNCSIG__" ||
         name == "source_location" || name == "__has_include" || name == "__has_include_next";
}

// Whether a name is the executor's own. Its macros say to a text who runs it.
bool IsOfExecutor(std::string_view name) {
  return name == "kernelmill" || name == "km_table" || name.starts_with("KERNELMILL") ||
         name == "KM_SITE" || name == "KM_HERE" || name == "KM_NAME" || name == "KM_BUILT_IN" ||
         name == "KM_CALLEE" || name == "KM_FAST_MATH" || name == "KM_UNWATCHED" ||
         name == "KM_NOTE_FRAME" || name == "KM_FUNCTIONS_ONLY" || name == "KM_BIND_EXTENSION";
}

void CheckName(const SyntaxNode& node, std::string_view file,
               std::vector<VerdictFinding>* findings) {
  const auto report = [&](std::string_view reason, std::string_view why) {
    findings->push_back({std::string(reason), std::string(file),
                         static_cast<std::int64_t>(node.FirstLine()),
                         "names " + std::string(node.Text()) + std::string(why)});
  };
  if (TellsOfBuild(node.Text())) report("fallback", ", which tells how it is compiled");
  if (IsOfExecutor(node.Text())) report("forbidden_symbol", ", which is the executor's");
}

// Reports a name of the executor's that a macro could paste of neighbouring arguments.
void CheckPasted(const SyntaxNode& arguments, std::string_view file, std::size_t line,
                 std::vector<VerdictFinding>* findings) {
  const auto children = arguments.Children();
  for (std::size_t first = 0; first < children.size(); ++first) {
    std::string name;
    for (std::size_t i = first; i < children.size() && children[i].Is("identifier"); ++i) {
      name += children[i].Text();
      if (i == first || !IsOfExecutor(name)) continue;
      findings->push_back({"forbidden_symbol", std::string(file), static_cast<std::int64_t>(line),
                           "has the parts of " + name + ", which is the executor's"});
    }
  }
}

// Variables of the environment that are the judge's. Others do not exist for a candidate
// (kernelmill/cuda.h in stages/cuda_executor/include), so that it may ask for them.
bool AsksForJudge(const SyntaxNode& call, std::string_view function) {
  if (function != "getenv" && function != "secure_getenv") return false;
  const SyntaxNode arguments = call.Field("arguments");
  return arguments && arguments.Text().find("KERNELMILL") != std::string_view::npos;
}

void CheckCall(const SyntaxNode& node, std::string_view file, const Names& own_methods,
               std::vector<VerdictFinding>* findings) {
  const SyntaxNode function = node.Field("function");
  if (!function) return;
  const auto report = [&](std::string_view kind, const std::string& what) {
    findings->push_back(
        {std::string(kind), std::string(file), static_cast<std::int64_t>(node.FirstLine()), what});
  };
  if (function.Is("field_expression")) {
    const std::string name(function.Field("field").Text());
    // The object's type does not matter: only tensors have methods with these names, and classes of
    // the text itself. Where the object is a tensor all the same, the library imports the operator
    // (candidate_libraries.cc).
    if (ComputeNames().contains(name) && !own_methods.contains(name)) {
      report("torch_compute", "calls ." + name + "()");
    }
    return;
  }
  const std::string chain = QualifiedNameOf(function);
  const std::string_view last = LastNameOf(chain);
  if (chain.starts_with("at::_ops::") || chain.starts_with("at::native::") ||
      chain.starts_with("at::cpu::") || chain.starts_with("torch::nn::functional::") ||
      DispatcherNames().contains(chain)) {
    report("torch_compute", "calls " + chain);
  } else if ((chain.starts_with("at::") || chain.starts_with("torch::")) &&
             ComputeNames().contains(last)) {
    report("torch_compute", "calls " + chain);
  } else if (ForbiddenCalls().contains(chain) || AsksForJudge(node, last)) {
    report("forbidden_symbol", "calls " + chain);
  }
}

// Reports a number that tells how CUDA's headers lay out a type, but as an argument of a call such as
// memset().
void CheckSize(const SyntaxNode& node, std::string_view file,
               std::vector<VerdictFinding>* findings) {
  std::string_view type = node.Text();
  type.remove_prefix(std::min(type.find('(') + 1, type.size()));
  while (type.starts_with(' ')) type.remove_prefix(1);
  if (type.starts_with("struct ")) type.remove_prefix(7);
  const SyntaxNode parent = node.Parent();
  if ((!type.starts_with("cuda") && !type.starts_with("CU")) ||
      (parent && parent.Is("argument_list"))) {
    return;
  }
  findings->push_back({"fallback", std::string(file), static_cast<std::int64_t>(node.FirstLine()),
                       "asks for the size of a type of CUDA's headers"});
}

bool HasCode(std::string_view assembly) {
  bool quoted = false;
  for (const char c : assembly) {
    if (c == '"') quoted = !quoted;
    if (quoted && c != '"' && c != ' ' && c != '\t') return true;
  }
  return false;
}

// Whether device code may hold the node: a function or lambda around it says so, or has a macro in
// capitals that may say so.
bool MayBeOnDevice(SyntaxNode node) {
  for (; node; node = node.Parent()) {
    const SyntaxNode body = node.Field("body");
    if (!body || (!node.Is("function_definition") && !node.Is("lambda_expression"))) continue;
    const std::string_view head = node.Text().substr(0, body.First() - node.First());
    int capitals = 0;
    for (const char c : head) {
      capitals = c == '_' || (c >= 'A' && c <= 'Z') ? capitals + 1 : 0;
      if (capitals >= 4) return true;
    }
    if (head.find("__device__") != head.npos || head.find("__global__") != head.npos) return true;
  }
  return false;
}

// Reports assembly for the host, to say where it is. Whether any is compiled does not depend on
// this: the compiler refuses it (CandidateFlags() in compile_flags.cc). That of devices
// becomes calls of the executor (inline_assembly.h).
void CheckAssembly(const SyntaxNode& node, std::string_view file,
                   std::vector<VerdictFinding>* findings) {
  if (!HasCode(node.Field("assembly_code").Text()) || MayBeOnDevice(node)) return;
  findings->push_back({"forbidden_symbol", std::string(file),
                       static_cast<std::int64_t>(node.FirstLine()),
                       "has assembly for the host; only empty assembly is allowed there"});
}

}  // namespace

std::vector<VerdictFinding> RefusedInText(std::string_view text, std::string_view file) {
  std::vector<VerdictFinding> findings;
  const std::string readable = WithoutMacroItems(text);
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kCuda, readable);
  const std::vector<TextRange> for_cpu = CpuBranches(tree);
  const auto is_for_cpu = [&](const SyntaxNode& node) {
    return std::any_of(for_cpu.begin(), for_cpu.end(),
                       [&](const TextRange& range) { return range.Holds(node); });
  };
  const Names own_methods = OwnMethods(tree);
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    if (node.Is("preproc_include")) CheckInclude(node, file, &findings);
    if (node.Is("call_expression") && !is_for_cpu(node))
      CheckCall(node, file, own_methods, &findings);
    if (node.Is("sizeof_expression") || node.Is("alignof_expression")) {
      CheckSize(node, file, &findings);
    }
    if (node.Is("gnu_asm_expression")) CheckAssembly(node, file, &findings);
    if (node.Is("argument_list")) CheckPasted(node, file, node.FirstLine(), &findings);
    // The body of a macro is one token of the tree.
    if (node.Is("preproc_arg")) {
      const SyntaxTree body = SyntaxTree::Parse(
          Grammar::kCuda, "void f() { " + std::string(node.Text()) + "; }");
      ForEachNode(body.Root(), [&](const SyntaxNode& part) {
        if (part.Is("argument_list")) CheckPasted(part, file, node.FirstLine(), &findings);
      });
    }
    if (node.Kind().ends_with("identifier") && node.Children().empty()) {
      CheckName(node, file, &findings);
    }
  });
  for (const std::vector<VerdictFinding>& found :
       {ConditionsOnCallCount(tree, file), AskedMacros(tree, file), FileNameUses(tree, file),
        LanguageQuestions(tree, file), OperatorsOnTensors(tree, file, for_cpu),
        ConditionsOnTheUngiven(tree, file)}) {
    findings.insert(findings.end(), found.begin(), found.end());
  }
  return findings;
}

std::vector<VerdictFinding> RefusedInSources(const ExtensionSources& sources) {
  std::vector<VerdictFinding> findings;
  const auto add = [&](std::string_view text, const std::string& file) {
    const std::vector<VerdictFinding> found = RefusedInText(text, file);
    findings.insert(findings.end(), found.begin(), found.end());
  };
  for (std::size_t i = 0; i < sources.cpp_sources.size(); ++i) {
    add(sources.cpp_sources[i], CppFileName(i));
  }
  for (std::size_t i = 0; i < sources.cuda_sources.size(); ++i) {
    add(sources.cuda_sources[i], CudaFileName(*sources.backend, i));
  }
  for (const auto& [name, text] : sources.headers) add(text, name);
  return findings;
}

}  // namespace kernelmill
