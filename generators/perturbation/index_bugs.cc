// Bugs that read or write the wrong element, or that leave elements out.
#include "generators/perturbation/bug.h"

namespace kernelmill {
namespace {

using Sites = std::vector<BugSite>;

// The parts of "a * b + c" in the index of an array.
struct Position {
  SyntaxNode sum, product, outer, stride, inner;
};

template <typename Visit>
void ForEachPosition(const AnswerTrees& answer, Visit visit) {
  ForEachIn(answer, true, "binary_expression",
            [&](const SyntaxNode& node, const CudaFunction& function) {
              if (OperatorOf(node) != "+" || !EnclosingNode(node, "subscript_argument_list"))
                return;
              const SyntaxNode product = WithoutParentheses(node.Field("left"));
              if (OperatorOf(product) != "*") return;
              visit(Position{node, product, product.Field("left"), product.Field("right"),
                             node.Field("right")},
                    function);
            });
}

void FindTransposedIndices(const AnswerTrees& answer, Sites* sites) {
  ForEachPosition(answer, [&](const Position& at, const CudaFunction&) {
    if (WithoutParentheses(at.outer).Is("number_literal") ||
        WithoutParentheses(at.inner).Is("number_literal"))
      return;
    sites->push_back({Replaced(at.outer, '(' + std::string(at.inner.Text()) + ')'),
                      Replaced(at.inner, std::string(at.outer.Text()))});
  });
}

void FindWrongStrides(const AnswerTrees& answer, Sites* sites) {
  ForEachPosition(answer, [&](const Position& at, const CudaFunction& function) {
    if (!at.stride.Is("identifier")) return;
    for (const CudaVariable& variable : VariablesOf(function)) {
      if (variable.parameter && variable.IsInteger() && variable.name != at.stride.Text()) {
        sites->push_back({Replaced(at.stride, std::string(variable.name))});
      }
    }
  });
}

void FindMissingOffsets(const AnswerTrees& answer, Sites* sites) {
  ForEachPosition(answer, [&](const Position& at, const CudaFunction&) {
    sites->push_back({Replaced(at.sum, '(' + std::string(at.inner.Text()) + ')')});
    sites->push_back({Replaced(at.sum, '(' + std::string(at.product.Text()) + ')')});
  });
}

// Quotient and remainder of an index are exchanged.
void FindQuotientsForRemainders(const AnswerTrees& answer, Sites* sites) {
  for (const CudaFunction& function : answer.functions()) {
    if (!function.OnDevice()) continue;
    for (const CudaVariable& variable : VariablesOf(function)) {
      if (!variable.IsInteger() || variable.parameter) continue;
      const std::string_view sign = OperatorOf(variable.initial);
      if (sign != "/" && sign != "%") continue;
      sites->push_back({Replaced(variable.initial.Field("operator"), sign == "/" ? "%" : "/")});
    }
  }
}

void FindWrongAxes(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "subscript_expression",
            [&](const SyntaxNode& node, const CudaFunction& function) {
              const SyntaxNode index = SubscriptIndex(node);
              if (!index.Is("identifier")) return;
              for (const CudaVariable& variable : VariablesOf(function)) {
                if (!variable.parameter && variable.IsInteger() && variable.name != index.Text() &&
                    variable.declaration.Last() < node.First() &&
                    IsWithin(node, variable.declaration.Parent())) {
                  sites->push_back({Replaced(index, std::string(variable.name))});
                }
              }
            });
}

// Calls the visitor for every loop "for (…; k < limit; …)" in device code.
template <typename Visit>
void ForEachCountedLoop(const AnswerTrees& answer, Visit visit) {
  ForEachIn(answer, true, "for_statement", [&](const SyntaxNode& loop, const CudaFunction&) {
    const SyntaxNode condition = loop.Field("condition");
    if (OperatorOf(condition) == "<") visit(loop, condition);
  });
}

void FindLoopsThatStopEarly(const AnswerTrees& answer, Sites* sites) {
  ForEachCountedLoop(answer, [&](const SyntaxNode& loop, const SyntaxNode& condition) {
    const SyntaxNode step = loop.Field("update").Field("right");
    const std::string left = step.Is("number_literal") ? std::string(step.Text()) : "1";
    sites->push_back({Inserted(condition.Last(), " - " + left)});
  });
}

void FindLoopsThatStartLate(const AnswerTrees& answer, Sites* sites) {
  ForEachCountedLoop(answer, [&](const SyntaxNode& loop, const SyntaxNode&) {
    for (const SyntaxNode& start : NodesOf(loop.Field("initializer"), "init_declarator")) {
      if (TextOf(start.Field("value")) == "0") {
        sites->push_back({Replaced(start.Field("value"), "1")});
      }
    }
  });
}

void FindWrongSteps(const AnswerTrees& answer, Sites* sites) {
  ForEachCountedLoop(answer, [&](const SyntaxNode& loop, const SyntaxNode& condition) {
    const SyntaxNode step = loop.Field("update").Field("right");
    if (TextOf(step) == "blockDim.x") sites->push_back({Replaced(step, "warpSize")});
    if (TextOf(step) == "warpSize") sites->push_back({Replaced(step, "blockDim.x")});
    if (step.Is("number_literal") && step.Text() != TextOf(condition.Field("right"))) {
      sites->push_back({Replaced(step, "2 * " + std::string(step.Text()))});
    }
  });
}

// "(n + threads - 1) / threads" becomes "n / threads".
void FindGridsRoundedDown(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, false, "binary_expression", [&](const SyntaxNode& node, const CudaFunction&) {
    if (OperatorOf(node) != "/") return;
    const SyntaxNode dividend = node.Field("left");
    if (!dividend.Is("parenthesized_expression")) return;
    SyntaxNode sum = WithoutParentheses(dividend);
    if (OperatorOf(sum) == "-") sum = sum.Field("left");
    if (OperatorOf(sum) == "+") {
      sites->push_back({Replaced(dividend, std::string(TextOf(sum.Field("left"))))});
    }
  });
}

// The block index is missing in the position of a thread.
void FindMissingBlocks(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "init_declarator", [&](const SyntaxNode& node, const CudaFunction&) {
    const SyntaxNode value = node.Field("value");
    if (OperatorOf(value) != "+" || !MentionsName(value.Field("left"), "blockIdx")) return;
    if (MentionsName(value.Field("right"), "threadIdx")) {
      sites->push_back({Replaced(value, std::string(TextOf(value.Field("right"))))});
    }
  });
}

void FindMissingParentheses(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "parenthesized_expression",
            [&](const SyntaxNode& node, const CudaFunction&) {
              const std::string_view inside = OperatorOf(WithoutParentheses(node));
              const std::string_view outside = OperatorOf(node.Parent());
              if ((inside == "+" || inside == "-") &&
                  (outside == "*" || outside == "/" || outside == "%")) {
                sites->push_back({Replaced(node, std::string(WithoutParentheses(node).Text()))});
              }
            });
}

}  // namespace

void AddIndexBugs(std::vector<BugClass>* bugs) {
  using enum FailureClass;
  // A wrong position can be out of bounds; only a run that checks every access finds that reliably.
  const auto add = [&](std::string_view name, BugProof proof, std::string_view cause,
                       std::string_view remedy, auto find) {
    bugs->push_back({name, kNumerics, proof, cause, remedy, find});
  };
  using enum BugProof;
  add("transposed_index", kMemory,
      "the index exchanges two coordinates, so the kernel addresses the transposed position",
      "multiply each coordinate by the stride of its own dimension", FindTransposedIndices);
  add("wrong_stride", kMemory,
      "the index multiplies a coordinate by the size of another dimension; the two agree "
      "only where the sizes happen to be equal",
      "multiply by the stride of the array that is indexed", FindWrongStrides);
  add("missing_offset", kMemory,
      "the index leaves out the term of one coordinate, so all values of this coordinate "
      "address the same elements",
      "add the term of every coordinate", FindMissingOffsets);
  add("quotient_for_remainder", kMemory,
      "division and remainder are exchanged in this coordinate: the inner coordinate is "
      "the remainder and the outer one the quotient",
      "exchange `/` and `%`", FindQuotientsForRemainders);
  add("wrong_axis", kMemory,
      "the array is indexed with a variable that belongs to another dimension or loop",
      "index with the variable that runs over the elements of the array", FindWrongAxes);
  add("loop_stops_early", kRun,
      "the loop ends one iteration too early, so its last element is never processed",
      "run the loop up to its limit", FindLoopsThatStopEarly);
  add("loop_starts_late", kRun, "the loop begins at 1, so element 0 is never processed",
      "begin the loop at 0", FindLoopsThatStartLate);
  add("wrong_step", kMemory,
      "the step of the loop is not the number of threads that share it, so threads process "
      "elements twice or leave some out",
      "advance by the number of threads that share the loop", FindWrongSteps);
  add("grid_rounded_down", kRun,
      "the division for the number of blocks rounds down, so the elements after the last "
      "full block are never computed",
      "round up: add the block size minus one before the division", FindGridsRoundedDown);
  add("missing_block", kRun,
      "the term of the block index is missing in this coordinate, so it has the same values in "
      "every block and only those of the first block are reached",
      "add the term of the block index", FindMissingBlocks);
  add("missing_parentheses", kMemory,
      "without parentheses the multiplication, division or remainder binds more tightly "
      "than the sum, so the index is another one than intended",
      "put the sum into parentheses", FindMissingParentheses);
}

}  // namespace kernelmill
