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
      "[two coordinates are exchanged in the index|the index has two coordinates in each "
      "other's place]",
      "[multiply each coordinate by the stride of its own dimension|exchange the two "
      "coordinates]",
      FindTransposedIndices);
  add("wrong_stride", kMemory,
      "[the index multiplies by the size of another dimension|the stride belongs to "
      "another dimension|the factor in the index is not the stride]",
      "[use the stride of the array that is indexed|multiply by the array's own stride]",
      FindWrongStrides);
  add("missing_offset", kMemory,
      "[a term of the index is missing|the index leaves out one coordinate|one summand of "
      "the index is gone]",
      "[add the offset of every coordinate|put the term back]",
      FindMissingOffsets);
  add("quotient_for_remainder", kMemory,
      "[a coordinate is the quotient where it has to be the remainder, or the other way "
      "round|/ and % are mixed up in a coordinate|division and remainder are exchanged]",
      "[take the inner coordinate by % and the outer one by /|exchange / and %]",
      FindQuotientsForRemainders);
  add("wrong_axis", kMemory,
      "[the array is indexed by the coordinate of another dimension|the coordinate is not "
      "of the dimension that the array has|the array runs along another coordinate]",
      "[index by the coordinate that the array runs along|take the other coordinate]",
      FindWrongAxes);
  add("loop_stops_early", kRun,
      "[the loop leaves out its last round|the last round of the loop is missing|the loop "
      "ends one round too soon]",
      "[run the loop to the limit|let the loop reach its limit]",
      FindLoopsThatStopEarly);
  add("loop_starts_late", kRun,
      "[the loop begins at 1 and leaves out element 0|element 0 is never visited|the first "
      "element is left out]",
      "[begin the loop at 0|start with element 0]",
      FindLoopsThatStartLate);
  add("wrong_step", kMemory,
      "[the loop's step is not the number of threads that share it|threads overlap or "
      "leave gaps, as the step is wrong|the step does not match the threads that share the "
      "loop]",
      "[advance by as many elements as are done in one round|step by the number of threads]",
      FindWrongSteps);
  add("grid_rounded_down", kRun,
      "[the number of blocks is rounded down, so that nobody computes the last, partial "
      "block|the division rounds down, and the rest has no block|elements behind the last "
      "full block have no thread]",
      "[round the number of blocks up|add the block size less one before dividing]",
      FindGridsRoundedDown);
  add("missing_block", kRun,
      "[the block is missing from the position: every block does the work of the first|all "
      "blocks compute the same positions|the position does not depend on the block]",
      "[add blockIdx times the size of a block|let the position begin at the block's own "
      "part]",
      FindMissingBlocks);
  add("missing_parentheses", kMemory,
      "[without parentheses, *, / and % come before + and -|the product is taken before "
      "the sum that belongs together|a sum has lost its parentheses]",
      "[put the sum into parentheses|restore the parentheses]",
      FindMissingParentheses);
}

}  // namespace kernelmill
