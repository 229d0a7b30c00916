// What a CUDA or MUSA source, or a C++ file beside one, defines, launches, binds and uses:
// everything the kernel slicer needs to know about it, so that a file is parsed once. Byte offsets
// are into `source`, `last` is one past the end; lines are 1-based.
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

// What encloses a definition: a namespace, extern "C", or one branch of a preprocessor condition.
struct CudaScope {
  enum class Kind { kNamespace, kLinkage, kCondition };
  Kind kind = Kind::kNamespace;
  std::int64_t parent = -1;       // Of CudaFile::scopes; -1 is the file itself.
  std::int64_t after = -1;        // Of an #elif or #else: the branch before it.
  std::string open;               // "namespace device {", "#if defined(X)", "#else".
  std::string name;               // Of a namespace; "" for an anonymous one.
  std::vector<std::string> uses;  // The macros that a condition asks for.
};

// A launch in host code: kernel<<<grid, block, shared, stream>>>(…), or the runtime's own call.
struct CudaLaunch {
  std::string kernel;  // Its last name: "k" of ns::k<float>.
  std::int64_t line = 0;
  KernelLaunch launch;
};

// A name that Python sees, and the C++ function behind it.
struct CudaBinding {
  std::string name;
  std::string function;  // Its last name.
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
  kInvocation,  // A macro at file scope.
};

// One definition at file or namespace scope.
struct CudaItem {
  CudaItemKind kind = CudaItemKind::kFunction;
  std::int64_t lead = 0;  // Where the comment directly above it begins; else `first`.
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t first_line = 0;
  std::int64_t last_line = 0;
  std::int64_t scope = -1;
  bool has_error = false;
  bool kernel = false;  // Has __global__.
  // Code for the device may use it: __device__, __constant__, constexpr, a constant with a value.
  bool device = false;
  bool body = false;    // Of a function or record: it is defined here.
  bool quoted = false;  // Of an include.
  std::string name;     // Without scope: "f", "operator+", "MAX"; of an include its target.
  std::string owner;    // "A" of a definition A::f outside of its class.
  std::vector<std::string> defines;  // Every name that it gives to its scope, `name` included.
  std::vector<std::string> members;  // Of a record: what is declared inside.
  // Names that it takes from elsewhere, "a::b" for qualified ones. Locals, parameters, members
  // behind '.' and '->', and all of `host_parts` are left out.
  std::vector<std::string> uses;
  std::vector<std::string> conditions;  // The macros that #if and #ifdef inside of it ask for.
  std::vector<std::string> operators;   // Those in its expressions: "+", "+=".
  std::vector<std::string> types;       // Of a function: the named types of its parameters.
  std::vector<std::string> specifiers;  // Macros that stand among its specifiers: "HOST_DEVICE".
  // Of a record: member functions that are not for the device. A slice leaves them out.
  std::vector<CudaSpan> host_parts;
  std::vector<CudaLaunch> launches;  // In its body.
};

struct CudaFile {
  std::string source;
  std::vector<CudaScope> scopes;
  std::vector<CudaItem> items;  // In source order.
  std::vector<CudaBinding> bindings;

  // `source` must be UTF-8. Never fails: what cannot be parsed has has_error, or is no item.
  static CudaFile Parse(std::string source);

  Json ToJson() const;
  static Result<CudaFile> FromJson(const Json& json);
};

}  // namespace kernelmill
