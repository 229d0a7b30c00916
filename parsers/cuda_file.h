// The parsed form of a CUDA, MUSA or C++ file: its definitions, launches and Python bindings, and
// the names that they use. The step "read" parses every native file of a repository once and stores
// the result as JSON; it has everything that the kernel slicer needs (parsers/kernel_slices/).
// Offsets are bytes of `source`, `last` is one past the end, and lines are 1-based.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/kernel_source.h"
#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

struct CudaSpan {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// What encloses a definition: a namespace, an extern "C" block, or one branch of a preprocessor
// condition.
struct CudaScope {
  enum class Kind { kNamespace, kLinkage, kCondition };
  Kind kind = Kind::kNamespace;
  std::int64_t parent = -1;       // An index into CudaFile::scopes; -1 for the file itself.
  std::int64_t after = -1;        // The previous branch, for an #elif or #else.
  std::string open;               // "namespace device {", "#if defined(X)", "#else".
  std::string name;               // For a namespace; "" for an anonymous one.
  std::vector<std::string> uses;  // The macros that the condition tests.
};

// A launch in host code: kernel<<<grid, block, shared, stream>>>(…) or cudaLaunchKernel and its
// relatives.
struct CudaLaunch {
  std::string kernel;  // Without qualifiers: "k" for ns::k<float>.
  std::int64_t line = 0;
  KernelLaunch launch;
};

// A name that is visible to Python, and the C++ function that it is bound to.
struct CudaBinding {
  std::string name;
  std::string function;  // Without qualifiers.
};

enum class CudaItemKind {
  kInclude,
  kMacro,
  kUndef,
  kFunction,  // A definition, or a declaration when `body` is false.
  kRecord,    // struct, class or union.
  kEnum,
  kAlias,  // typedef or using.
  kVariable,
  kNamespaceAlias,
  kUsing,       // using namespace …, using a::b.
  kInvocation,  // A macro invocation at file scope.
};

// One definition at file or namespace scope.
struct CudaItem {
  CudaItemKind kind = CudaItemKind::kFunction;
  std::int64_t lead = 0;  // The start of the comment directly above it, or `first`.
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t first_line = 0;
  std::int64_t last_line = 0;
  std::int64_t scope = -1;
  bool has_error = false;
  bool kernel = false;  // Has __global__.
  // Device code may use it: __device__, __constant__, constexpr, or a constant with a value.
  bool device = false;
  bool body = false;    // Whether a function or record is defined here, not only declared.
  bool quoted = false;  // For an include: "file" and not <file>.
  std::string name;     // Without qualifiers: "f", "operator+", "MAX"; for an include its target.
  std::string owner;    // "A" for a definition A::f outside of its class.
  std::vector<std::string> defines;  // Every name that it declares in its scope, `name` included.
  std::vector<std::string> members;  // For a record: the names declared inside.
  // Names from elsewhere, qualified ones as "a::b". Locals, parameters, members after '.' and '->',
  // and everything in `host_parts` are left out.
  std::vector<std::string> uses;
  std::vector<std::string> conditions;  // The macros that #if and #ifdef inside of it test.
  std::vector<std::string> operators;   // The operators in its expressions: "+", "+=".
  std::vector<std::string> types;       // For a function: the named types of its parameters.
  std::vector<std::string> specifiers;  // Macros among its specifiers: "HOST_DEVICE".
  // For a record: its host member functions, which a slice leaves out.
  std::vector<CudaSpan> host_parts;
  std::vector<CudaLaunch> launches;  // In its body.
};

struct CudaFile {
  std::string source;
  std::vector<CudaScope> scopes;
  std::vector<CudaItem> items;  // In source order.
  std::vector<CudaBinding> bindings;

  // `source` must be UTF-8. Never fails: an item that cannot be parsed has has_error set or is
  // missing.
  static CudaFile Parse(std::string source);

  Json ToJson() const;
  static Result<CudaFile> FromJson(const Json& json);
};

}  // namespace kernelmill
