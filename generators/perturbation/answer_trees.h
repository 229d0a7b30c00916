// AnswerTrees: a correct answer parsed into syntax trees, with its kernels, host functions,
// launches, bindings and model. The classes of bugs (bug.h) find the places in it where they can
// put their bug.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/syntax_tree.h"

namespace kernelmill {

struct CudaFunction {
  enum class Kind { kKernel, kDevice, kHost };
  Kind kind = Kind::kHost;
  std::string_view name;
  SyntaxNode node, body;
  std::vector<SyntaxNode> parameters;

  bool OnDevice() const { return kind != Kind::kHost; }
};

// A parameter or a variable of a function.
struct CudaVariable {
  std::string_view name, type;  // The type has no const and no "*": "float".
  SyntaxNode declaration;       // The declaration with the type.
  SyntaxNode initial;           // The initializer, if any.
  bool parameter = false, pointer = false, array = false, shared = false, constant = false;

  bool IsFloat() const;    // Whether it is a single floating-point number.
  bool IsInteger() const;  // Whether it is a single integer.
};

struct CudaLaunchSite {
  SyntaxNode call;
  std::string_view kernel;
  std::vector<SyntaxNode> configuration;  // Grid, block, shared memory, stream.
  std::vector<SyntaxNode> arguments;
};

// A Python class that derives from nn.Module.
struct PythonModule {
  SyntaxNode node;
  SyntaxNode constructor, forward;  // Function definitions.
  int methods = 0;

  explicit operator bool() const { return static_cast<bool>(node); }
};

// The offsets of nodes refer to code(), except those of the reference. Nodes are valid as long as
// this object.
class AnswerTrees {
 public:
  // Null when the answer does not parse, has no ModelNew, or its kernels are not in plain string
  // literals.
  static std::unique_ptr<const AnswerTrees> Parse(std::string code, std::string reference);

  const std::string& code() const { return code_; }
  const std::string& reference() const { return reference_; }
  const SyntaxNode& python() const { return python_; }
  const SyntaxNode& cuda() const { return cuda_; }
  const SyntaxNode& reference_python() const { return reference_python_; }
  // The native functions, without those that contain a parse error.
  const std::vector<CudaFunction>& functions() const { return functions_; }
  const std::vector<CudaLaunchSite>& launches() const { return launches_; }
  const PythonModule& model() const { return model_; }
  const PythonModule& reference_model() const { return reference_model_; }
  // The value of a keyword argument of the call that builds the extension.
  SyntaxNode LoaderArgument(std::string_view keyword) const;
  // The function declarations in the string that cpp_sources names. Their offsets refer to code().
  const std::vector<SyntaxNode>& declarations() const { return declarations_; }
  // The calls to the extension's functions in forward(): "ops.f(x)".
  const std::vector<SyntaxNode>& calls() const { return calls_; }

  const CudaFunction* FindFunction(std::string_view name) const;

 private:
  AnswerTrees() = default;
  void ReadFunctions();
  void ReadDeclarations();
  void ReadCalls();

  std::string code_, reference_, cuda_text_, declarations_text_;
  SyntaxTree python_tree_, cuda_tree_, declarations_tree_, reference_tree_;
  SyntaxNode python_, cuda_, reference_python_, loader_;
  std::vector<CudaFunction> functions_;
  std::vector<CudaLaunchSite> launches_;
  std::vector<SyntaxNode> declarations_, calls_;
  PythonModule model_, reference_model_;
};

// The text of the node; "" for a null node.
std::string_view TextOf(const SyntaxNode& node);
// The operator of an operation; "" for other nodes.
std::string_view OperatorOf(const SyntaxNode& node);
// Every node of the kind in the subtree of `root`, in source order.
std::vector<SyntaxNode> NodesOf(const SyntaxNode& root, std::string_view kind);
// The innermost node of the kind that encloses `node`.
SyntaxNode EnclosingNode(SyntaxNode node, std::string_view kind);
bool IsWithin(const SyntaxNode& node, const SyntaxNode& outer);
// Whether the subtree contains an identifier with that name.
bool MentionsName(const SyntaxNode& root, std::string_view name);
// The expression inside any parentheses.
SyntaxNode WithoutParentheses(SyntaxNode node);
std::vector<CudaVariable> VariablesOf(const CudaFunction& function);
const CudaVariable* FindVariable(const std::vector<CudaVariable>& variables, std::string_view name);
// The index in x[index]; a null node when there are several.
SyntaxNode SubscriptIndex(const SyntaxNode& subscript);

// Calls visit(node, function) for every node of the kind in the device functions, or in the host
// functions.
template <typename Visit>
void ForEachIn(const AnswerTrees& answer, bool device, std::string_view kind, Visit visit) {
  for (const CudaFunction& function : answer.functions()) {
    if (function.OnDevice() != device) continue;
    for (const SyntaxNode& node : NodesOf(function.body, kind)) visit(node, function);
  }
}

}  // namespace kernelmill
