#include "stages/verify/legality/asked_macros.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include "manifests/ascii.h"
#include "stages/verify/legality/name_prefix.h"

namespace kernelmill {
namespace {

// Macros that a text may ask for. Each has one value in the judge's builds and in a device's, or the
// judge compiles both alternatives (__CUDA_ARCH__).
constexpr std::array<std::string_view, 29> kShared = {
    "__CUDACC__",         "__CUDA_ARCH__",       "__NVCC__",          "__MUSACC__",
    "__MUSA_ARCH__",      "__MCC__",             "__HIP_PLATFORM_AMD__", "__HIPCC__",
    "__HIP_DEVICE_COMPILE__", "__HCC__",         "__cplusplus",       "__GNUC__",
    "__GNUC_MINOR__",     "__linux__",           "__x86_64__",        "__USE_FAST_MATH__",
    "__FAST_MATH__",      "__APPLE__",           "__BYTE_ORDER__",    "__cpp_if_constexpr",
    "_WIN32",             "_MSC_VER",            "TORCH_EXTENSION_NAME",
    "TORCH_VERSION_MAJOR", "TORCH_VERSION_MINOR", "TORCH_VERSION_PATCH", "TORCH_CHECK",
    "CUDA_ARCH",          "__clang__"};
// How the names of headers of CUDA, of its libraries and of torch start.
constexpr std::array<std::string_view, 14> kOfHeaders = {
    "CUDA", "CUDNN", "CUBLAS", "CUB_", "THRUST", "NV", "TORCH", "C10", "AT_", "PYBIND11", "Py",
    "MUSA", "CURAND", "CUSPARSE"};

bool IsShared(std::string_view name) {
  if (std::find(kShared.begin(), kShared.end(), name) != kShared.end()) return true;
  const bool reserved = name.size() > 1 && name[0] == '_' &&
                        (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])) != 0);
  return !reserved && !StartsWithAny(name, kOfHeaders);
}

// Macros of every compiler that say the same in all builds, besides kShared.
constexpr std::array<std::string_view, 5> kSameEverywhere = {"__FILE__", "__LINE__", "__FUNCTION__",
                                                             "__VA_ARGS__", "__VA_OPT__"};

// How the names of the limits of C's numbers start: __FLT_MAX__, __INT_MAX__.
constexpr std::array<std::string_view, 9> kOfNumbers = {
    "__FLT", "__DBL_", "__INT", "__UINT", "__LONG_", "__SHRT_", "__CHAR", "__SCHAR", "__SIZE"};

// Whether a macro of a header tells its version: CUDA_VERSION, CUDART_VERSION, _GLIBCXX_RELEASE.
bool NamesVersion(std::string_view name) {
  const bool capitals = std::ranges::all_of(name, [](unsigned char c) {
    return c == '_' || std::isupper(c) != 0 || std::isdigit(c) != 0;
  });
  return capitals && !IsShared(name) &&
         (name.ends_with("VERSION") || name.ends_with("_RELEASE") ||
          name.ends_with("VERSION_MAJOR"));
}

// Whether code gets the value of a macro that differs between builds: of the compiler, the time,
// the place. Such names are of capitals between two underlines, and other names of that kind are no
// functions or types of CUDA's.
bool TellsOfBuild(std::string_view name) {
  // Compilers write a function's name in their own way.
  if (name == "source_location") return true;
  if (NamesVersion(name)) return true;
  if (StartsWithAny(name, kOfNumbers)) return false;
  if (name.size() < 6 || !name.starts_with("__") || !name.ends_with("__")) return false;
  const bool capitals = std::ranges::all_of(name, [](unsigned char c) {
    return c == '_' || std::isupper(c) != 0 || std::isdigit(c) != 0;
  });
  return capitals && !IsShared(name) &&
         std::ranges::find(kSameEverywhere, name) == kSameEverywhere.end();
}

// The words of a macro's body, which no tree of its own has.
std::string_view BuildMacroIn(std::string_view body) {
  for (std::size_t at = body.find("__"); at != body.npos; at = body.find("__", at)) {
    std::size_t end = at;
    while (end < body.size() && IsNamePart(body[end])) ++end;
    if ((at == 0 || !IsNamePart(body[at - 1])) && TellsOfBuild(body.substr(at, end - at))) {
      return body.substr(at, end - at);
    }
    at = std::max(end, at + 1);
  }
  return {};
}

// Whether the directive only gives a macro a value where it has none: #ifndef M_PI.
bool IsDefault(const SyntaxNode& directive, std::string_view name) {
  bool defines = false, other = false;
  for (const SyntaxNode& child : directive.Children()) {
    if (child.Is("identifier") || child.Is("comment")) continue;
    const bool is_definition = child.Is("preproc_def") || child.Is("preproc_function_def");
    defines = defines || (is_definition && child.Field("name").Text() == name);
    other = other || !is_definition;
  }
  return defines && !other;
}

// Whether all alternatives of a directive only include headers, as texts do for several versions.
bool OnlyIncludes(const SyntaxNode& directive) {
  const SyntaxNode condition = directive.Field("condition"), name = directive.Field("name");
  for (const SyntaxNode& child : directive.Children()) {
    const bool asks = (condition && child.First() == condition.First()) ||
                      (name && child.First() == name.First());
    if (asks || child.Is("comment") || child.Is("preproc_include")) continue;
    const bool other = child.Is("preproc_else") || child.Is("preproc_elif");
    if (!other || !OnlyIncludes(child)) return false;
  }
  return true;
}

// Whether "##" joins a token that follows "::", "." or "->".
bool PastesFunctionName(std::string_view body) {
  for (std::size_t at = 0; (at = body.find("##", at)) != body.npos; at += 2) {
    std::size_t first = at;
    const auto back = [&](auto&& matches) {
      while (first > 0 && matches(static_cast<unsigned char>(body[first - 1]))) --first;
    };
    back([](unsigned char c) { return std::isspace(c) != 0; });
    back([](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    back([](unsigned char c) { return std::isspace(c) != 0; });
    const std::string_view before = body.substr(0, first);
    if (before.ends_with("::") || before.ends_with("->") || before.ends_with('.')) return true;
  }
  return false;
}

// Whether a node lies in a function that only the host runs. There a device's compiler leaves the
// macros of an architecture undefined, and the judge, which compiles a text once, does not.
bool IsInHostFunction(const SyntaxNode& node) {
  bool in_function = false;
  for (SyntaxNode at = node.Parent(); at; at = at.Parent()) {
    const bool function = at.Is("function_definition");
    if (!function && !at.Is("lambda_expression")) continue;
    const SyntaxNode body = at.Field("body");
    const std::size_t size = body ? body.First() - at.First() : at.Text().size();
    const std::string_view head = at.Text().substr(0, size);
    if (HoldsWord(head, "__device__") || HoldsWord(head, "__global__")) return false;
    in_function = in_function || function;
  }
  return in_function;
}

// Whether a node lies in the condition of a directive, or is the name that one asks for.
bool IsInCondition(const SyntaxNode& node) {
  for (SyntaxNode at = node.Parent(); at; at = at.Parent()) {
    if (!at.Text().starts_with('#')) continue;
    const SyntaxNode condition = at.Field("condition"), name = at.Field("name");
    return (name && name.First() == node.First()) ||
           (condition && node.First() >= condition.First() &&
            node.First() < condition.First() + condition.Text().size());
  }
  return false;
}

// The macros that a text defines itself, wherever it does.
std::set<std::string_view> DefinedIn(const SyntaxTree& tree) {
  std::set<std::string_view> names;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    if (node.Is("preproc_def") || node.Is("preproc_function_def")) {
      names.insert(node.Field("name").Text());
    }
  });
  return names;
}

bool IsOfArchitecture(std::string_view name) {
  return name == "__CUDA_ARCH__" || name == "__MUSA_ARCH__";
}

// Whether a name tells where a tensor really lies, which is the host here: methods, and functions.
bool TellsOfPlace(const SyntaxNode& node) {
  const std::string_view name = node.Text();
  if (node.Is("field_identifier")) {
    return name == "key_set" || name == "raw_repr" || name == "toString";
  }
  return node.Is("identifier") &&
         (name == "legacyExtractDispatchKey" || name == "computeDispatchKey");
}

}  // namespace

std::vector<VerdictFinding> AskedMacros(const SyntaxTree& tree, std::string_view file) {
  std::vector<VerdictFinding> findings;
  const auto report = [&](std::string_view kind, const SyntaxNode& node, const std::string& what) {
    findings.push_back({std::string(kind), std::string(file),
                        static_cast<std::int64_t>(node.FirstLine()), what});
  };
  const std::set<std::string_view> defined = DefinedIn(tree);
  const auto tells = [&](const SyntaxNode& node, std::string_view name) {
    report(
        "fallback", node,
        "code asks for " + std::string(name) +
            ", which tells one build from another: a device may get another text than the judge");
  };
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    if ((node.Is("identifier") || node.Is("namespace_identifier") || node.Is("type_identifier")) &&
        TellsOfBuild(node.Text())) {
      if (!IsInCondition(node) && !defined.contains(node.Text())) tells(node, node.Text());
    }
    if (TellsOfPlace(node)) {
      report("fallback", node,
             "code asks for " + std::string(node.Text()) +
                 ", which tells in what memory a tensor really lies: a device may run other code "
                 "than the judge");
    }
    if (node.Is("preproc_def") || node.Is("preproc_function_def")) {
      const SyntaxNode value = node.Field("value");
      if (value && PastesFunctionName(value.Text())) {
        report("torch_compute", node, "a macro pastes the name of a function together");
      }
      const std::string_view told = value ? BuildMacroIn(value.Text()) : std::string_view();
      if (!told.empty() && !defined.contains(told)) tells(node, told);
      return;
    }
    const SyntaxNode condition = node.Is("preproc_ifdef") || node.Is("preproc_elifdef")
                                     ? node.Field("name")
                                     : node.Is("preproc_if") || node.Is("preproc_elif")
                                           ? node.Field("condition")
                                           : SyntaxNode();
    if (!condition) return;
    ForEachNode(condition, [&](const SyntaxNode& part) {
      if (!part.Is("identifier")) return;
      if (IsOfArchitecture(part.Text()) && IsInHostFunction(node)) {
        return report("fallback", node,
                      "code of the host asks for " + std::string(part.Text()) +
                          ", which is undefined there: a device may get other host code than the "
                          "judge");
      }
      if (IsShared(part.Text()) || IsDefault(node, part.Text())) return;
      if (OnlyIncludes(node)) return;
      report("fallback", node,
             "conditional compilation asks for " + std::string(part.Text()) +
                 ", which a compiler or its headers may define: a device may get another text "
                 "than the judge");
    });
  });
  return findings;
}

}  // namespace kernelmill
