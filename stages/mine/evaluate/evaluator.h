// Evaluates a sliced module's constructor and forward() on what is known of their arguments,
// without Python and torch, to infer the arguments: an input of Conv2d has four dimensions and as
// many channels as the layer was built for. GuessArguments() (stages/mine/arguments.h) calls
// Construct() and then Forward().
//
// The evaluation is an approximation. What it does not understand is an unknown value, and
// contradictions are counted. Unknowns are holes (constructor arguments whose value is not known
// yet) and the shapes of inputs. Depth and number of steps are bounded.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/records/mined_module.h"
#include "parsers/python_signature.h"
#include "parsers/syntax_tree.h"
#include "stages/mine/evaluate/einops_pattern.h"
#include "stages/mine/evaluate/shape_solver.h"
#include "stages/mine/evaluate/value.h"

namespace kernelmill {

// What is known about one input of forward(). Evaluator::Forward() reads it and adds to it.
struct InputFacts {
  std::string name;
  std::optional<int> rank;
  Evidence rank_evidence = Evidence::kName;
  ElementKind type = ElementKind::kFloat;
  std::int64_t high = 0;    // For integers: the size of the table that they index; 0 when unknown.
  bool last_known = false;  // The last dimension is known although the rank is not.
  bool used = false;
};

// What the evaluation has found out about a hole.
struct HoleFacts {
  std::string name;
  std::string guess;       // For a soft argument: the integer that its name suggests.
  std::string expression;  // "" while unknown.
  Evidence evidence = Evidence::kName;
  bool object = false;  // Its attributes are used, so it is not a number.
};

// An argument of the constructor.
struct GivenArgument {
  std::string name;
  std::string expression;
  bool soft = false;  // Only its name suggests the expression.
};

class Evaluator {
 public:
  using Arguments = std::vector<KnownValue*>;
  using Keywords = std::map<std::string, KnownValue*, std::less<>>;

  // `module` is the tree of a slice that defines Model; it must outlive the evaluator. All values
  // live as long as the evaluator.
  explicit Evaluator(const SyntaxNode& module);

  // Builds the model. Expressions are evaluated in the module's scope; "?" is a hole. When a soft
  // argument is found not to be a number, its entry in `holes` says what it should be.
  KnownValue* Construct(const std::vector<GivenArgument>& arguments, std::vector<HoleFacts>* holes);
  // The class of torch.nn from which Model inherits `method`; "" when the slice defines it.
  std::string TorchBase(std::string_view method);
  // Calls forward() with tensors for `inputs`, by position; returns their values.
  std::vector<KnownValue*> Forward(KnownValue* model, std::vector<InputFacts>* inputs);

  ShapeSolver& solver() { return solver_; }
  // Failed asserts, raised errors and contradicting shapes so far.
  int conflicts() const { return conflicts_ + solver_.contradictions(); }
  // The integer attribute of the module, e.g. "dim".
  std::optional<std::int64_t> Attribute(const KnownValue* model, std::string_view name) const;

 private:
  friend class Operators;

  // evaluator.cc: values and scopes.
  KnownValue* New(ValueKind kind);
  KnownValue* Unknown() { return New(ValueKind::kUnknown); }
  KnownValue* None() { return New(ValueKind::kNone); }
  KnownValue* Bool(bool value);
  KnownValue* Integer(std::int64_t value);
  KnownValue* Float(double value);
  KnownValue* String(std::string text);
  KnownValue* Sequence(std::vector<KnownValue*> items);
  KnownValue* External(std::string name);
  KnownValue* SizeOf(Dim dim);
  KnownValue* Tensor(std::vector<Dim> dims, ElementKind type = ElementKind::kFloat);
  std::optional<std::int64_t> AsInteger(const KnownValue* value) const;
  std::optional<double> AsNumber(const KnownValue* value) const;
  std::optional<bool> Truth(const KnownValue* value) const;
  Dim AsDim(const KnownValue* value);
  Scope* NewScope(Scope* outer);
  KnownValue* Lookup(std::string_view name, Scope* scope);
  static SyntaxNode FirstChild(const SyntaxNode& node);
  // Counts a step; false when too many have been made.
  bool Spend();
  void Conflict() {
    if (weak_ == 0) ++conflicts_;
  }

  // statements.cc
  void RunBlock(const SyntaxNode& block, Scope* scope);
  void RunStatement(const SyntaxNode& node, Scope* scope);
  void RunIf(const SyntaxNode& node, Scope* scope);
  void RunFor(const SyntaxNode& node, Scope* scope);
  void RunMatch(const SyntaxNode& node, Scope* scope);
  void Assign(const SyntaxNode& target, KnownValue* value, Scope* scope);
  void AssignAugmented(const SyntaxNode& node, Scope* scope);
  void Import(const SyntaxNode& node, Scope* scope);
  void Define(const SyntaxNode& node, Scope* scope, const std::vector<SyntaxNode>& decorators);

  // assumptions.cc
  void Assume(const SyntaxNode& condition, bool holds, Scope* scope);
  void AssumeEqual(KnownValue* a, KnownValue* b);
  void AssumeRank(const SyntaxNode& node, const KnownValue* rank, Scope* scope);

  // expressions.cc
  KnownValue* Evaluate(const SyntaxNode& node, Scope* scope);
  KnownValue* EvaluateKind(const SyntaxNode& node, Scope* scope);
  KnownValue* Comprehension(const SyntaxNode& node, Scope* scope);
  std::optional<std::vector<KnownValue*>> Iterate(KnownValue* value);

  // arithmetic.cc
  KnownValue* Binary(std::string_view op, KnownValue* a, KnownValue* b);
  KnownValue* Arithmetic(std::string_view op, KnownValue* a, KnownValue* b);
  KnownValue* SizeArithmetic(std::string_view op, KnownValue* a, KnownValue* b);
  KnownValue* Compare(std::string_view op, KnownValue* a, KnownValue* b);

  // subscripts.cc
  KnownValue* Subscript(const SyntaxNode& node, Scope* scope);
  KnownValue* SliceSequence(KnownValue* sequence, const SyntaxNode& slice, Scope* scope);
  KnownValue* IndexTensor(KnownValue* tensor, const std::vector<SyntaxNode>& indices, Scope* scope);
  // The dimension that a slice leaves; nothing when `slice` is not a slice.
  std::optional<Dim> SliceDim(Dim dim, const SyntaxNode& slice, Scope* scope);

  // calls.cc
  KnownValue* GetAttribute(KnownValue* value, std::string_view name);
  KnownValue* CallNode(const SyntaxNode& node, Scope* scope);
  KnownValue* Call(KnownValue* callee, const Arguments& arguments, const Keywords& keywords);
  KnownValue* CallFunction(KnownValue* function, const Arguments& arguments,
                           const Keywords& keywords);
  KnownValue* CallMethod(KnownValue* method, const Arguments& arguments, const Keywords& keywords);
  KnownValue* CallObject(KnownValue* object, const Arguments& arguments, const Keywords& keywords);
  KnownValue* Instantiate(KnownValue* class_value, const Arguments& arguments,
                          const Keywords& keywords);
  KnownValue* FindInClass(const SyntaxNode& class_node, std::string_view name, bool skip_own,
                          std::string* external);
  KnownValue* InstantiateDataclass(KnownValue* class_value, const Arguments& arguments,
                                   const Keywords& keywords);

  // holes.cc
  KnownValue* CallHole(KnownValue* hole, const Arguments& arguments);
  void FillHole(KnownValue* value, std::string expression, Evidence evidence);
  // Records that a soft number is used as a sequence of `count` items; 0: of unknown length.
  void FillSoft(const KnownValue* value, std::size_t count);
  // Records that a soft None is used as a number or, with `called`, called.
  void FillNone(const KnownValue* value, bool called);
  void FillFrom(KnownValue* value, std::string_view parameter);

  // functions.cc
  KnownValue* CallExternal(const std::string& name, const Arguments& arguments,
                           const Keywords& keywords);
  KnownValue* CallBuiltin(std::string_view name, const Arguments& arguments,
                          const Keywords& keywords);

  // layers.cc
  KnownValue* MakeLayer(const std::string& name, const Arguments& arguments,
                        const Keywords& keywords);
  KnownValue* ApplyLayer(KnownValue* layer, const Arguments& arguments, const Keywords& keywords);
  Dim Windowed(Dim size, std::optional<std::int64_t> kernel, std::optional<std::int64_t> stride,
               std::optional<std::int64_t> padding, std::optional<std::int64_t> dilation);
  KnownValue* ApplyPool(KnownValue* layer, KnownValue* input, int spatial);
  KnownValue* ApplyConvolution(KnownValue* layer, KnownValue* input, int spatial, bool transposed);
  KnownValue* ApplyNorm(KnownValue* layer, KnownValue* input);
  KnownValue* ApplyRecurrent(KnownValue* layer, KnownValue* input);
  KnownValue* ApplyAttention(KnownValue* layer, const Arguments& arguments,
                             const Keywords& keywords);

  // operators.cc and reshaping.cc
  KnownValue* Ranked(KnownValue* tensor, int rank, Evidence evidence);
  KnownValue* WithLast(KnownValue* tensor, Dim last);
  void EquateLast(KnownValue* tensor, Dim last, Evidence evidence);
  KnownValue* Broadcast(KnownValue* a, KnownValue* b);
  KnownValue* Operate(std::string_view name, const Arguments& arguments, const Keywords& keywords);
  KnownValue* Reshape(std::string_view name, const Arguments& arguments, const Keywords& keywords,
                      bool* known);
  KnownValue* Reduce(KnownValue* tensor, const KnownValue* axis, bool keep);
  KnownValue* MatrixProduct(KnownValue* a, KnownValue* b);
  KnownValue* Concatenate(const std::vector<KnownValue*>& tensors, std::int64_t axis);
  KnownValue* View(KnownValue* tensor, const std::vector<KnownValue*>& sizes);
  KnownValue* Rearrange(KnownValue* tensor, std::string_view pattern, const Keywords& axes,
                        bool keeps);
  KnownValue* Einsum(std::string_view pattern, const std::vector<KnownValue*>& operands);
  KnownValue* Filled(const std::vector<KnownValue*>& sizes, ElementKind type);
  Dim ProductOf(const std::vector<Dim>& dims);
  void MarkIndices(KnownValue* tensor, std::int64_t high);

  SyntaxNode module_;
  std::deque<KnownValue> values_;
  std::deque<Scope> scopes_;
  struct Text {
    std::string source;
    SyntaxTree tree;
  };
  std::deque<std::unique_ptr<Text>> texts_;
  Scope* globals_ = nullptr;
  ShapeSolver solver_;
  std::vector<HoleFacts>* holes_ = nullptr;
  std::size_t sequence_length_ = 2;  // The length that is assumed for sequences of unknown length.
  std::vector<InputFacts>* inputs_ = nullptr;
  int depth_ = 0;
  int steps_ = 0;
  int weak_ = 0;  // Above 0 inside a branch that may not be taken, where nothing is inferred.
  int conflicts_ = 0;
};

}  // namespace kernelmill
