// Runs a module's constructor and forward() on what is known of their arguments, without Python and
// without torch, to learn what the arguments must be: an input that meets Conv2d has four
// dimensions and as many channels as the layer was built for.
//
// It is an approximation and never wrong silently: what it does not understand is unknown, and
// contradictions are counted. Two sources of unknowns: holes (constructor arguments that nothing
// has told yet) and the shapes of inputs. Evaluation is bounded in depth and in steps.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/module_candidate.h"
#include "parsers/python_signature.h"
#include "parsers/syntax_tree.h"
#include "stages/mine/evaluate/einops_pattern.h"
#include "stages/mine/evaluate/shape_solver.h"
#include "stages/mine/evaluate/value.h"

namespace kernelmill {

// What is known about one input of forward(), in and out of a run.
struct InputFacts {
  std::string name;
  std::optional<int> rank;
  Evidence rank_evidence = Evidence::kName;
  TensorType type = TensorType::kFloat;
  std::int64_t high = 0;    // Of integers: the size of the table that they index; 0 when unknown.
  bool last_known = false;  // An operator told the last dimension though not the rank.
  bool used = false;
};

// What a hole turned out to be.
struct HoleFacts {
  std::string name;
  std::string guess;       // Of a soft argument: the integer that its name suggests.
  std::string expression;  // "" while nothing is known.
  Evidence evidence = Evidence::kName;
  bool object = false;  // Its attributes are asked for: no number will do.
};

// An argument of the constructor.
struct GivenArgument {
  std::string name;
  std::string expression;
  bool soft = false;  // Its name alone suggests the expression.
};

class Evaluator {
 public:
  using Arguments = std::vector<Value*>;
  using Keywords = std::map<std::string, Value*, std::less<>>;

  // `module` is the tree of a slice that defines Model. Everything is kept until the end.
  explicit Evaluator(const SyntaxNode& module);

  // Expressions are evaluated in the module's scope; "?" is a hole. Where a soft argument turns out
  // to be no number, its entry among `holes` tells what it should be.
  Value* Construct(const std::vector<GivenArgument>& arguments, std::vector<HoleFacts>* holes);
  // The class of torch.nn whose constructor and forward() Model inherits when its slice has none:
  // "" when there is no such class.
  std::string TorchBase(std::string_view method);
  // Calls forward() with tensors for `inputs`, by position; returns their values.
  std::vector<Value*> Forward(Value* model, std::vector<InputFacts>* inputs);

  // The parameters that a class of torch.nn cannot be built without, in order.
  static std::vector<std::string_view> RequiredParameters(std::string_view layer);

  ShapeSolver& solver() { return solver_; }
  // Failed asserts, raised errors and contradicting shapes so far.
  int conflicts() const { return conflicts_ + solver_.contradictions(); }
  // The integer attribute of the module, e.g. "dim".
  std::optional<std::int64_t> Attribute(const Value* model, std::string_view name) const;

 private:
  friend class Operators;

  // evaluator.cc: values, scopes, statements.
  Value* New(ValueKind kind);
  Value* Unknown() { return New(ValueKind::kUnknown); }
  Value* None() { return New(ValueKind::kNone); }
  Value* Bool(bool value);
  Value* Integer(std::int64_t value);
  Value* Float(double value);
  Value* String(std::string text);
  Value* Sequence(std::vector<Value*> items);
  Value* External(std::string name);
  Value* SizeOf(Dim dim);
  Value* Tensor(std::vector<Dim> dims, TensorType type = TensorType::kFloat);
  std::optional<std::int64_t> AsInteger(const Value* value) const;
  std::optional<double> AsNumber(const Value* value) const;
  std::optional<bool> Truth(const Value* value) const;
  Dim AsDim(const Value* value);
  Scope* NewScope(Scope* outer);
  bool Spend();
  void RunBlock(const SyntaxNode& block, Scope* scope);
  void RunStatement(const SyntaxNode& node, Scope* scope);
  void RunIf(const SyntaxNode& node, Scope* scope);
  void Assume(const SyntaxNode& condition, bool holds, Scope* scope);
  void AssumeEqual(Value* a, Value* b);
  void AssumeRank(const SyntaxNode& node, const Value* rank, Scope* scope);
  void RunFor(const SyntaxNode& node, Scope* scope);
  void RunMatch(const SyntaxNode& node, Scope* scope);
  void Assign(const SyntaxNode& target, Value* value, Scope* scope);
  void AssignAugmented(const SyntaxNode& node, Scope* scope);
  void Import(const SyntaxNode& node, Scope* scope);
  void Define(const SyntaxNode& node, Scope* scope, const std::vector<SyntaxNode>& decorators);
  Value* Lookup(std::string_view name, Scope* scope);
  void Conflict() {
    if (weak_ == 0) ++conflicts_;
  }

  // expressions.cc
  Value* Evaluate(const SyntaxNode& node, Scope* scope);
  Value* EvaluateKind(const SyntaxNode& node, Scope* scope);
  Value* Binary(std::string_view op, Value* a, Value* b);
  Value* Arithmetic(std::string_view op, Value* a, Value* b);
  Value* SizeArithmetic(std::string_view op, Value* a, Value* b);
  Value* Compare(std::string_view op, Value* a, Value* b);
  Value* Subscript(const SyntaxNode& node, Scope* scope);
  Value* SliceSequence(Value* sequence, const SyntaxNode& slice, Scope* scope);
  Value* IndexTensor(Value* tensor, const std::vector<SyntaxNode>& indices, Scope* scope);
  Value* Comprehension(const SyntaxNode& node, Scope* scope);
  std::optional<std::vector<Value*>> Iterate(Value* value);

  // calls.cc
  Value* GetAttribute(Value* value, std::string_view name);
  Value* CallNode(const SyntaxNode& node, Scope* scope);
  Value* Call(Value* callee, const Arguments& arguments, const Keywords& keywords);
  Value* CallFunction(Value* function, const Arguments& arguments, const Keywords& keywords);
  Value* CallMethod(Value* method, const Arguments& arguments, const Keywords& keywords);
  Value* CallHole(Value* hole, const Arguments& arguments);
  Value* CallObject(Value* object, const Arguments& arguments, const Keywords& keywords);
  Value* Instantiate(Value* class_value, const Arguments& arguments, const Keywords& keywords);
  Value* FindInClass(const SyntaxNode& class_node, std::string_view name, bool skip_own,
                     std::string* external);
  Value* InstantiateDataclass(Value* class_value, const Arguments& arguments,
                              const Keywords& keywords);
  void FillHole(Value* value, std::string expression, Evidence evidence);
  // A soft number is used as a sequence of `count`; 0: of some length.
  void FillSoft(const Value* value, std::size_t count);
  // A soft None is used as a number, or called.
  void FillNone(const Value* value, bool called);
  void FillFrom(Value* value, std::string_view parameter);

  // functions.cc
  Value* CallExternal(const std::string& name, const Arguments& arguments,
                      const Keywords& keywords);
  Value* CallBuiltin(std::string_view name, const Arguments& arguments, const Keywords& keywords);

  // layers.cc
  Value* MakeLayer(const std::string& name, const Arguments& arguments, const Keywords& keywords);
  Value* ApplyLayer(Value* layer, const Arguments& arguments, const Keywords& keywords);
  Dim Windowed(Dim size, std::optional<std::int64_t> kernel, std::optional<std::int64_t> stride,
               std::optional<std::int64_t> padding, std::optional<std::int64_t> dilation);
  Value* ApplyPool(Value* layer, Value* input, int spatial);
  Value* ApplyConvolution(Value* layer, Value* input, int spatial, bool transposed);
  Value* ApplyNorm(Value* layer, Value* input);
  Value* ApplyRecurrent(Value* layer, Value* input);
  Value* ApplyAttention(Value* layer, const Arguments& arguments, const Keywords& keywords);

  // operators.cc and reshaping.cc
  Value* Ranked(Value* tensor, int rank, Evidence evidence);
  Value* WithLast(Value* tensor, Dim last);
  void EquateLast(Value* tensor, Dim last, Evidence evidence);
  Value* Broadcast(Value* a, Value* b);
  Value* Operate(std::string_view name, const Arguments& arguments, const Keywords& keywords);
  Value* Reshape(std::string_view name, const Arguments& arguments, const Keywords& keywords,
                 bool* known);
  Value* Reduce(Value* tensor, const Value* axis, bool keep);
  Value* MatrixProduct(Value* a, Value* b);
  Value* Concatenate(const std::vector<Value*>& tensors, std::int64_t axis);
  Value* View(Value* tensor, const std::vector<Value*>& sizes);
  Value* Rearrange(Value* tensor, std::string_view pattern, const Keywords& axes, bool keeps);
  Value* Einsum(std::string_view pattern, const std::vector<Value*>& operands);
  Value* Filled(const std::vector<Value*>& sizes, TensorType type);
  Dim ProductOf(const std::vector<Dim>& dims);
  void MarkIndices(Value* tensor, std::int64_t high);

  SyntaxNode module_;
  std::deque<Value> values_;
  std::deque<Scope> scopes_;
  struct Text {
    std::string source;
    SyntaxTree tree;
  };
  std::deque<std::unique_ptr<Text>> texts_;
  Scope* globals_ = nullptr;
  ShapeSolver solver_;
  std::vector<HoleFacts>* holes_ = nullptr;
  std::size_t sequence_length_ = 2;  // Of sequences whose length nothing tells.
  std::vector<InputFacts>* inputs_ = nullptr;
  int depth_ = 0;
  int steps_ = 0;
  int weak_ = 0;  // Above 0 inside of a branch that may not be taken: nothing is concluded there.
  int conflicts_ = 0;
};

}  // namespace kernelmill
