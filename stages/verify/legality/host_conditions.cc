#include "stages/verify/legality/host_conditions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "parsers/cuda_uses.h"
#include "parsers/function_declarator.h"
#include "stages/verify/legality/host_code.h"
#include "stages/verify/legality/name_prefix.h"

namespace kernelmill {
namespace {

using Names = std::set<std::string_view>;

// Methods of tensors, sizes, options, optionals and containers that tell of them what a call gives.
const Names& GivenMethods() {
  static const Names kNames = {
      "size", "sizes", "numel", "dim", "ndimension", "dtype", "scalar_type", "is_cuda", "is_cpu",
      "is_musa", "is_privateuseone", "is_contiguous", "is_non_overlapping_and_dense", "stride",
      "strides", "device", "get_device", "device_type", "options", "data_ptr", "const_data_ptr",
      "mutable_data_ptr", "data", "defined", "has_value", "value", "value_or", "element_size",
      "itemsize", "nbytes", "is_floating_point", "is_complex", "suggest_memory_format", "layout",
      "requires_grad", "item", "type", "index", "has_index", "is_same", "empty", "length", "count",
      "find", "end", "begin", "emplace", "try_emplace", "insert", "front", "back", "at", "contains", "c_str", "ok", "vec", "get", "str",
      "contiguous", "view", "reshape", "to", "flatten", "squeeze", "unsqueeze", "transpose", "t",
      "permute", "detach", "clone", "toType", "capacity", "first", "second", "stream", "is_cuda_",
      "storage_offset", "sym_sizes", "sym_size", "equals", "is_quantized", "is_sparse", "has_names"};
  return kNames;
}

// Functions whose results come from their arguments, and what is known of the target. A status of
// CUDA's runtime is none: a device and the judge may refuse different calls.
const Names& GivenFunctions() {
  static const Names kNames = {
      "static_cast", "reinterpret_cast", "const_cast", "sizeof", "alignof", "int", "long", "float",
      "double", "bool", "size_t", "int64_t", "int32_t", "uint64_t", "uint32_t", "unsigned", "dim3",
      "make_int2", "uintptr_t",
      "min", "max", "abs", "fabs", "ceil", "ceilf", "floor", "floorf", "round", "sqrt", "sqrtf",
      "log", "log2", "log2f", "exp", "exp2", "pow", "powf", "lround", "isnan", "isinf", "isfinite",
      "gcd", "lcm", "clamp", "get", "tie", "make_tuple", "make_pair", "move", "forward", "swap",
      "accumulate", "all_of", "any_of", "none_of", "find", "count", "equal", "multiplies",
      "strcmp", "strncmp", "strlen", "string", "vector", "to_string", "memcmp", "numeric_limits",
      "next", "begin", "end", "distance", "div", "IntArrayRef", "ArrayRef",
      "cudaGetErrorString", "cudaGetErrorName", "cudaFuncSetAttribute", "cudaGetDeviceProperties",
      "cudaGetDevice", "cudaGetDeviceCount", "cudaDeviceGetAttribute",
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cudaOccupancyMaxPotentialBlockSize",
      "getCurrentCUDAStream", "getDefaultCUDAStream", "getStreamFromPool", "getCurrentDeviceProperties",
      "getDeviceProperties", "warp_size", "ceil_div", "isFloatingType", "isIntegralType",
      "typeMetaToScalarType", "toString", "elementSize", "optional", "nullopt", "empty", "empty_like",
      "empty_strided", "zeros", "zeros_like", "ones", "full", "TensorOptions", "device_of",
      "infer_size", "maybe_get_value", "multiply_integers", "__builtin_clz", "__builtin_ctz",
      "__builtin_popcount", "__builtin_ffs", "__builtin_expect", "bit_width", "countl_zero"};
  return kNames;
}

// Members of types that the text does not declare: of sizes and of properties of the target.
const Names& GivenMembers() {
  static const Names kNames = {
      "x", "y", "z", "w", "first", "second", "major", "minor", "multiProcessorCount", "warpSize",
      "maxThreadsPerBlock", "maxThreadsPerMultiProcessor", "sharedMemPerBlock",
      "sharedMemPerBlockOptin", "sharedMemPerMultiprocessor", "regsPerBlock",
      "regsPerMultiprocessor", "maxGridSize", "maxThreadsDim", "maxBlocksPerMultiProcessor"};
  return kNames;
}

// Attributes of cudaDeviceGetAttribute() that tell of the target.
bool IsOfTarget(std::string_view attribute) {
  for (std::string_view part : {"MaxThreads", "MaxBlock", "MaxGrid", "MaxShared", "Multiprocessor",
                                "MultiProcessor", "WarpSize", "ComputeCapability", "MaxRegisters",
                                "CooperativeLaunch"}) {
    if (attribute.find(part) != attribute.npos) return true;
  }
  return !attribute.starts_with("cudaDevAttr");
}

// The starts of names of functions that only raise, print or end the program.
bool OnlyTells(std::string_view name) {
  constexpr std::string_view kStarts[] = {
      "TORCH_CHECK",   "TORCH_WARN",            "AT_ERROR",   "AT_ASSERT", "C10_CUDA_CHECK",
      "AT_CUDA_CHECK", "TORCH_INTERNAL_ASSERT", "CUDA_CHECK", "CHECK"};
  return StartsWithAny(name, kStarts) || name == "printf" || name == "fprintf" ||
         name == "exit" || name == "abort" || name == "fflush" || name == "puts" ||
         name == "throw_error" || name == "TORCH_ERROR";
}

// Whether a statement returns no result: nothing, a number, an empty object, or the status that the
// condition has asked for.
bool ReturnsNoResult(const SyntaxNode& statement, std::string_view condition) {
  if (!statement.Is("return_statement")) return false;
  const auto children = statement.Children();
  if (children.empty() || children[0].Is("number_literal") || children[0].Is("initializer_list")) {
    return true;
  }
  const std::string_view text = children[0].Text();
  return text == "torch::Tensor()" || text == "at::Tensor()" ||
         (children[0].Is("identifier") && condition.find(text) != condition.npos);
}

// Whether a statement of a block only puts a message together in a string stream of the block's.
bool ComposesMessage(const SyntaxNode& statement, Names* streams) {
  if (statement.Is("declaration")) {
    const bool stream = statement.Field("type") && !HasWord(statement, "static") &&
                        statement.Field("type").Text().ends_with("stringstream");
    for (const SyntaxNode& child : statement.Children()) {
      const std::string_view name = DeclaredBy(child);
      if (stream && !name.empty()) streams->insert(name);
    }
    return stream;
  }
  if (!statement.Is("expression_statement") || statement.Children().empty()) return false;
  SyntaxNode target = statement.Children()[0];
  while (target.Is("binary_expression") && target.Field("operator").Text() == "<<") {
    target = target.Field("left");
  }
  bool changes = false;
  ForEachNode(statement, [&](const SyntaxNode& node) {
    const SyntaxNode called = node.Is("call_expression") ? node.Field("function") : SyntaxNode();
    changes = changes || node.Is("assignment_expression") || node.Is("update_expression") ||
              (called && !GivenFunctions().contains(LastNameOf(called.Text())));
  });
  return target.Is("identifier") && streams->contains(target.Text()) && !changes;
}

bool IsQuiet(const SyntaxNode& statement, std::string_view condition) {
  if (statement.Is("throw_statement") || statement.Is("comment")) return true;
  if (ReturnsNoResult(statement, condition)) return true;
  if (statement.Is("compound_statement")) {
    const auto children = statement.Children();
    const bool raises = !children.empty() && children.back().Is("throw_statement");
    Names streams;
    return std::all_of(children.begin(), children.end(), [&](const SyntaxNode& child) {
      return IsQuiet(child, condition) || (raises && ComposesMessage(child, &streams));
    });
  }
  if (statement.Is("declaration") || statement.Is("expression_statement")) {
    // Waiting for the device changes no result.
    bool waits = false;
    ForEachNode(statement, [&](const SyntaxNode& node) {
      const SyntaxNode called = node.Is("call_expression") ? node.Field("function") : SyntaxNode();
      waits = waits || (called && (called.Text() == "cudaDeviceSynchronize" ||
                                   called.Text() == "cudaStreamSynchronize" ||
                                   called.Text() == "cudaGetLastError"));
    });
    if (waits) return true;
  }
  if (!statement.Is("expression_statement")) return false;
  bool quiet = false, other = false;
  for (const SyntaxNode& child : statement.Children()) {
    const SyntaxNode function = child.Is("call_expression") ? child.Field("function") : SyntaxNode();
    const bool tells = function && OnlyTells(LastNameOf(QualifiedNameOf(function)));
    const bool stream = child.Text().starts_with("std::cerr") || child.Text().starts_with("std::cout");
    const bool raises = child.Text().starts_with("throw ");
    (tells || stream || raises ? quiet : other) = true;
  }
  return quiet && !other;
}

// A power of two that any allocator of a device aligns to, or the size of a type.
constexpr long kMostAlignment = 256;
bool IsAlignment(SyntaxNode node) {
  while (node && node.Is("parenthesized_expression") && node.Children().size() == 1) {
    node = node.Children()[0];
  }
  if (!node.Is("number_literal")) return !node.Is("binary_expression");
  const std::string text(node.Text());
  return std::strtol(text.c_str(), nullptr, 0) <= kMostAlignment;
}

// Whether a function tells of the machine or of the time, so that not even a kernel may get its result.
bool TellsOfMachine(std::string_view name) {
  static const Names kNames = {
      "clock", "time", "now", "gettimeofday", "clock_gettime", "rand", "getenv", "secure_getenv",
      "cudaEventElapsedTime", "cudaEventQuery", "cudaStreamQuery", "cudaMemGetInfo",
      "cudaDriverGetVersion", "cudaRuntimeGetVersion", "cudaFuncGetAttributes",
      "cudaPointerGetAttributes", "cudaDeviceGetPCIBusId", "cudaDeviceGetLimit",
      "cudaHostRegister", "cudaDeviceCanAccessPeer"};
  return kNames.contains(name);
}

bool Copies(std::string_view function) {
  return function.starts_with("cudaMemcpy") || function.starts_with("cudaLaunch") ||
         function.ends_with("memcpy");
}

class Sources {
 public:
  // `strict`: only what is on the lists is given; otherwise, all but what tells
  // of the machine or of the time.
  Sources(const SyntaxTree& tree, bool strict) : strict_(strict) {
    ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
      const SyntaxNode around = FunctionAround(node);
      if (IsOnDevice(around)) return;
      Note(node, around ? around.First() + 1 : 0);
    });
  }

  // What an expression asks for that no call gives, in words.
  std::optional<std::string> Of(const SyntaxNode& expression, std::size_t function) {
    std::optional<std::string> found;
    SyntaxCursor cursor(expression);
    bool into = true;
    do {
      const SyntaxNode node = cursor.Node();
      into = !node.Is("lambda_expression") || node.First() == expression.First();
      found = OfNode(node, function);
    } while (!found && cursor.ToNext(into));
    return found;
  }

 private:
  struct Value {
    SyntaxNode expression;
    std::size_t function;
    bool changes;  // Whether the new value may depend on the one before.
  };

  void Add(std::string_view name, const SyntaxNode& value, std::size_t function, bool local,
           bool changes) {
    if (name.empty() || !value) return;
    (local ? locals_[function][name] : others_[name]).push_back({value, function, changes});
  }

  bool IsLocal(std::string_view name, std::size_t function) const {
    const auto found = declared_.find(function);
    return function != 0 && found != declared_.end() && found->second.contains(name);
  }

  void Note(const SyntaxNode& node, std::size_t function) {
    if (node.Is("declaration") || node.Is("parameter_declaration") ||
        node.Is("optional_parameter_declaration") || node.Is("for_range_loop")) {
      const bool kept = HasWord(node, "static") || HasWord(node, "thread_local");
      if (node.Is("declaration")) {
        for (const SyntaxNode& child : node.Children()) {
          const std::string_view name = DeclaredBy(child);
          if (!name.empty()) (kept || function == 0 ? kept_ : declared_[function]).insert(name);
          if (child.Is("init_declarator")) Add(name, child.Field("value"), function, !kept, false);
        }
      } else {
        declared_[function].insert(DeclaredBy(node.Field("declarator")));
      }
    } else if (node.Is("function_definition")) {
      const std::string_view name = LastNameOf(NameOfFunction(node));
      if (!name.empty()) functions_[name].push_back(node);
    } else if (node.Is("field_declaration")) {
      const std::string_view name = DeclaredBy(node.Field("declarator"));
      members_.insert(name);
      Add(name, node.Field("default_value"), 0, false, false);
    } else if (node.Is("preproc_function_def") || node.Is("preproc_def")) {
      macros_.insert(node.Field("name").Text());
    } else if (node.Is("assignment_expression")) {
      const bool plain = node.Field("operator").Text() == "=";
      Target(node.Field("left"), node.Field("right"), function, !plain);
    } else if (node.Is("update_expression")) {
      Target(node.Field("argument"), node, function, true);
    } else if (node.Is("call_expression") && node.Field("arguments")) {
      // A function that fills what it is given the address of. Copies have the device's values.
      if (node.Field("function") && Copies(node.Field("function").Text())) return;
      for (const SyntaxNode& argument : node.Field("arguments").Children()) {
        if (argument.Is("pointer_expression") && argument.Text().starts_with("&") &&
            node.Field("function")) {
          Target(argument.Field("argument"), node, function, false);
        }
      }
    }
  }

  // Notes the value of what an assignment names: a variable, or a member of any object.
  void Target(SyntaxNode left, const SyntaxNode& value, std::size_t function, bool changes) {
    if (left && left.Is("field_expression")) {
      const SyntaxNode base = left.Field("argument");
      const bool own_object = base && base.Is("identifier") && IsLocal(base.Text(), function) &&
                              left.Text().find("->") == left.Text().npos;
      Add(left.Field("field").Text(), value, function, false, changes && !own_object);
      return;
    }
    while (left && !left.Is("identifier")) {
      const SyntaxNode inner = left.Field("argument");
      left = inner || left.Children().empty() ? inner : left.Children()[0];
    }
    if (!left) return;
    const bool local = IsLocal(left.Text(), function);
    // ConditionsOnCallCount() judges how variables that are declared as kept change.
    Add(left.Text(), value, function, local, changes && !local && !kept_.contains(left.Text()));
  }

  std::optional<std::string> OfNode(const SyntaxNode& node, std::size_t function) {
    if (node.Is("call_expression")) return OfCall(node);
    if (node.Is("identifier")) return OfName(node.Text(), function);
    if (node.Is("field_expression")) {
      const SyntaxNode parent = node.Parent();
      const bool called = parent && parent.Is("call_expression") && parent.First() == node.First();
      return called ? std::nullopt : OfMember(node.Field("field").Text());
    }
    if (node.Is("update_expression") || node.Is("assignment_expression")) {
      return OfChange(node, function);
    }
    if (node.Is("binary_expression")) return OfAddress(node, function);
    return std::nullopt;
  }

  static bool IsAddress(const SyntaxNode& node) {
    return node && (node.Text().find("data_ptr") != std::string_view::npos ||
                    node.Text().find("uintptr_t") != std::string_view::npos);
  }

  std::optional<std::string> OfAddress(const SyntaxNode& node, std::size_t function) {
    const std::string_view sign = node.Field("operator").Text();
    if (sign != "%" && sign != "&" && sign != ">>" && sign != "/") return std::nullopt;
    const SyntaxNode left = node.Field("left"), right = node.Field("right");
    bool address = IsAddress(left);
    ForEachNode(left, [&](const SyntaxNode& part) {
      const auto scope = locals_.find(function);
      if (!part.Is("identifier") || scope == locals_.end()) return;
      const auto values = scope->second.find(part.Text());
      if (values == scope->second.end()) return;
      for (const Value& value : values->second) address = address || IsAddress(value.expression);
    });
    const bool aligned = (sign == "%" || sign == "&") && IsAlignment(right);
    if (!address || aligned) return std::nullopt;
    return "the digits of an address";
  }

  std::optional<std::string> OfChange(const SyntaxNode& node, std::size_t function) {
    SyntaxNode target = node.Field(node.Is("update_expression") ? "argument" : "left");
    if (node.Is("assignment_expression") && node.Field("operator").Text() == "=") return std::nullopt;
    if (target && target.Is("identifier") && IsLocal(target.Text(), function)) return std::nullopt;
    return std::string(target ? target.Text() : std::string_view()) +
           ", which it changes from call to call";
  }

  std::optional<std::string> OfValues(const std::vector<Value>& values, std::string_view name) {
    for (const Value& value : values) {
      if (value.changes) {
        return std::string(name) + ", which line " + std::to_string(value.expression.FirstLine()) +
               " changes from call to call";
      }
      if (auto found = Of(value.expression, value.function)) return found;
    }
    return std::nullopt;
  }

  std::optional<std::string> Once(const std::string& key, const std::vector<Value>& values,
                                  std::string_view name) {
    if (!asked_.insert(key).second) return settled_[key];
    return settled_[key] = OfValues(values, name);
  }

  std::optional<std::string> OfName(std::string_view name, std::size_t function) {
    const auto scope = locals_.find(function);
    if (scope != locals_.end()) {
      const auto found = scope->second.find(name);
      if (found != scope->second.end()) {
        return Once(std::to_string(function) + " " + std::string(name), found->second, name);
      }
    }
    if (IsLocal(name, function)) return std::nullopt;
    const auto found = others_.find(name);
    if (found == others_.end()) return std::nullopt;
    return Once(std::string(name), found->second, name);
  }

  std::optional<std::string> OfMember(std::string_view name) {
    const auto found = others_.find(name);
    if (!members_.contains(name)) {
      if (!strict_ || GivenMembers().contains(name)) return std::nullopt;
      return "what ." + std::string(name) + " says";
    }
    if (found == others_.end()) return std::nullopt;
    return Once(std::string(name), found->second, name);
  }

  std::optional<std::string> OfCall(const SyntaxNode& call) {
    const SyntaxNode function = call.Field("function");
    if (!function) return std::nullopt;
    const bool method = function.Is("field_expression");
    const SyntaxNode field = method ? function.Field("field") : function;
    const std::string chain = method ? std::string(field.Text()) : QualifiedNameOf(function);
    // Without template arguments, which may have scopes of their own.
    const std::string_view name = LastNameOf(std::string_view(chain).substr(0, chain.find('<')));
    if (name.empty()) return std::nullopt;
    const auto own = functions_.find(name);
    if (own != functions_.end()) return OfOwn(std::string(name), own->second);
    // A check of a status has no result; what it calls is asked by itself.
    if (!method && OnlyTells(name)) return std::nullopt;
    if (name == "cudaDeviceGetAttribute") {
      for (const SyntaxNode& argument : call.Field("arguments").Children()) {
        if (argument.Is("identifier") && !IsOfTarget(argument.Text())) {
          return "what " + std::string(argument.Text()) + " says";
        }
      }
    }
    // What a launch may have decides; the registers that it also tells are no member that may.
    if (strict_ && name == "cudaFuncGetAttributes") return std::nullopt;
    if (macros_.contains(name) || (method ? GivenMethods() : GivenFunctions()).contains(name) ||
        (!strict_ && !TellsOfMachine(name))) {
      return std::nullopt;
    }
    // A function object of the function's own.
    for (const auto& [scope, names] : declared_) {
      if (!method && names.contains(name)) return std::nullopt;
    }
    return "what " + std::string(method ? "." : "") + std::string(name) + "() says";
  }

  std::optional<std::string> OfOwn(const std::string& name, const std::vector<SyntaxNode>& bodies) {
    const std::string key = name + "()";
    if (!asked_.insert(key).second) return settled_[key];
    for (const SyntaxNode& body : bodies) {
      std::optional<std::string> found;
      ForEachNode(body, [&](const SyntaxNode& node) {
        if (!found && node.Is("return_statement")) found = Of(node, body.First() + 1);
      });
      if (found) return settled_[key] = found;
    }
    return std::nullopt;
  }

  std::map<std::size_t, Names> declared_;  // Local variables, by function.
  std::map<std::size_t, std::map<std::string_view, std::vector<Value>>> locals_;
  std::map<std::string_view, std::vector<Value>> others_;
  std::map<std::string_view, std::vector<SyntaxNode>> functions_;
  const bool strict_;
  Names kept_, members_, macros_;
  std::set<std::string> asked_;
  std::map<std::string, std::optional<std::string>> settled_;
};

// The expression by which a node chooses between ways, if it does.
SyntaxNode ConditionOf(const SyntaxNode& node) {
  if (node.Is("if_statement")) {
    const SyntaxNode condition = node.Field("condition");
    const bool quiet = IsQuiet(node.Field("consequence"), condition.Text());
    return quiet && !node.Field("alternative") ? SyntaxNode() : condition;
  }
  const bool chooses = node.Is("while_statement") || node.Is("do_statement") ||
                       node.Is("switch_statement") || node.Is("conditional_expression") ||
                       node.Is("for_statement");
  return chooses ? node.Field("condition") : SyntaxNode();
}

}  // namespace

std::vector<VerdictFinding> ConditionsOnTheUngiven(const SyntaxTree& tree, std::string_view file) {
  Sources conditions(tree, true), arguments(tree, false);
  std::vector<VerdictFinding> findings;
  const auto judge = [&](Sources& sources, const SyntaxNode& node, const SyntaxNode& asked,
                         std::string_view what) {
    const SyntaxNode function = FunctionAround(node);
    if (IsOnDevice(function)) return;
    const auto found = sources.Of(asked, function ? function.First() + 1 : 0);
    if (!found) return;
    findings.push_back({"fallback", std::string(file), static_cast<std::int64_t>(node.FirstLine()),
                        std::string(what) + " asks for " + *found +
                            "; only sizes, dtypes, layouts and arguments may decide"});
  };
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    if (const SyntaxNode condition = ConditionOf(node)) {
      judge(conditions, node, condition, "the condition");
    }
    if (!node.Is("call_expression")) return;
    const auto children = node.Children();
    const bool launch = std::any_of(children.begin(), children.end(), [](const SyntaxNode& child) {
      return child.Is("kernel_call_syntax");
    });
    if (launch) judge(arguments, node, node.Field("arguments"), "an argument of the launch");
  });
  return findings;
}

}  // namespace kernelmill
