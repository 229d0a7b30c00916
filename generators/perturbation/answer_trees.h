// An answer as syntax trees: where its kernels, its host functions, its launches and its model are.
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
  std::string_view name, type;  // "float", without const and *.
  SyntaxNode declaration;       // That has the type.
  SyntaxNode initial;           // Its value, where it has one.
  bool parameter = false, pointer = false, array = false, shared = false, constant = false;

  bool IsFloat() const;    // One number.
  bool IsInteger() const;  // One number.
};

struct CudaLaunchSite {
  SyntaxNode call;
  std::string_view kernel;
  std::vector<SyntaxNode> configuration;  // Grid, block and what follows.
  std::vector<SyntaxNode> arguments;
};

// A class of Python that is a module.
struct PythonModule {
  SyntaxNode node;
  SyntaxNode constructor, forward;  // Functions.
  int methods = 0;

  explicit operator bool() const { return static_cast<bool>(node); }
};

// Offsets of all nodes but those of the reference are into code().
class AnswerTrees {
 public:
  // Null where the answer has no kernels in strings that stand there as they are, no ModelNew, or
  // does not parse.
  static std::unique_ptr<const AnswerTrees> Parse(std::string code, std::string reference);

  const std::string& code() const { return code_; }
  const std::string& reference() const { return reference_; }
  const SyntaxNode& python() const { return python_; }
  const SyntaxNode& cuda() const { return cuda_; }
  const SyntaxNode& reference_python() const { return reference_python_; }
  // Without those whose tree holds an error.
  const std::vector<CudaFunction>& functions() const { return functions_; }
  const std::vector<CudaLaunchSite>& launches() const { return launches_; }
  const PythonModule& model() const { return model_; }
  const PythonModule& reference_model() const { return reference_model_; }
  // Of the call that makes the extension: the value of a keyword.
  SyntaxNode LoaderArgument(std::string_view keyword) const;
  // Function declarations for the binding's side: of the string that cpp_sources names. Their
  // offsets are into code().
  const std::vector<SyntaxNode>& declarations() const { return declarations_; }
  // Calls of the extension's functions in forward(): "ops.f(x)".
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

// "" for no node.
std::string_view TextOf(const SyntaxNode& node);
// Of an operation, "" for others.
std::string_view OperatorOf(const SyntaxNode& node);
// Every node of a kind at and under `root`, in source order.
std::vector<SyntaxNode> NodesOf(const SyntaxNode& root, std::string_view kind);
// The nearest node of a kind around it.
SyntaxNode Around(SyntaxNode node, std::string_view kind);
bool IsWithin(const SyntaxNode& node, const SyntaxNode& outer);
// Whether an identifier of that name stands in it.
bool Mentions(const SyntaxNode& root, std::string_view name);
// Without the parentheses around it.
SyntaxNode WithoutParentheses(SyntaxNode node);
std::vector<CudaVariable> VariablesOf(const CudaFunction& function);
const CudaVariable* FindVariable(const std::vector<CudaVariable>& variables, std::string_view name);
// The index of x[index]; nothing for several.
SyntaxNode IndexOf(const SyntaxNode& subscript);

// Gives visit(node, function) every node of a kind in functions for the device, or for the host.
template <typename Visit>
void ForEachIn(const AnswerTrees& answer, bool device, std::string_view kind, Visit visit) {
  for (const CudaFunction& function : answer.functions()) {
    if (function.OnDevice() != device) continue;
    for (const SyntaxNode& node : NodesOf(function.body, kind)) visit(node, function);
  }
}

}  // namespace kernelmill
