// Bugs that access memory out of bounds or in the wrong address space, or that end a launch.
#include <cstdlib>

#include "generators/perturbation/bug.h"

namespace kernelmill {
namespace {

using Sites = std::vector<BugSite>;

bool Leaves(const SyntaxNode& statement) {
  return statement.Is("return_statement") || statement.Is("continue_statement") ||
         statement.Is("break_statement");
}

template <typename Visit>
void ForEachGuard(const AnswerTrees& answer, Visit visit) {
  ForEachIn(answer, true, "if_statement", [&](const SyntaxNode& node, const CudaFunction&) {
    const SyntaxNode condition = node.Field("condition").Field("value");
    if (condition && !node.Field("alternative")) visit(node, condition);
  });
}

void FindMissingGuards(const AnswerTrees& answer, Sites* sites) {
  ForEachGuard(answer, [&](const SyntaxNode& node, const SyntaxNode& condition) {
    if (Leaves(node.Field("consequence")) && OperatorOf(condition) == ">=") {
      sites->push_back({ErasedStatement(node, answer.code())});
    }
  });
}

// A guard misses one of several dimensions.
void FindHalfGuards(const AnswerTrees& answer, Sites* sites) {
  ForEachGuard(answer, [&](const SyntaxNode&, const SyntaxNode& condition) {
    const std::string_view sign = OperatorOf(condition);
    if (sign != "&&" && sign != "||") return;
    for (const std::string_view side : {"left", "right"}) {
      sites->push_back({Replaced(condition, std::string(TextOf(condition.Field(side))))});
    }
  });
}

void FindGuardsOneTooFar(const AnswerTrees& answer, Sites* sites) {
  ForEachGuard(answer, [&](const SyntaxNode& node, const SyntaxNode& condition) {
    const bool leaves = Leaves(node.Field("consequence"));
    for (const SyntaxNode& comparison : NodesOf(condition, "binary_expression")) {
      const SyntaxNode sign = comparison.Field("operator");
      if (TextOf(comparison.Field("right")) == "0") continue;
      if (leaves && TextOf(sign) == ">=") sites->push_back({Replaced(sign, ">")});
      if (!leaves && TextOf(sign) == "<") sites->push_back({Replaced(sign, "<=")});
    }
  });
}

void FindLoopsOneTooFar(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "for_statement", [&](const SyntaxNode& loop, const CudaFunction&) {
    const SyntaxNode condition = loop.Field("condition");
    // A loop over tiles: one more tile has nothing to load.
    const bool tiles = loop.Field("update").Field("right").Is("number_literal");
    if (OperatorOf(condition) == "<" && !tiles) {
      sites->push_back({Replaced(condition.Field("operator"), "<=")});
    }
  });
}

void FindSmallSharedArrays(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "array_declarator", [&](const SyntaxNode& node, const CudaFunction&) {
    const SyntaxNode declaration = EnclosingNode(node, "declaration");
    if (TextOf(declaration).find("__shared__") == std::string_view::npos) return;
    for (const SyntaxNode& size : NodesOf(node.Field("size"), "number_literal")) {
      const long count = std::strtol(std::string(size.Text()).c_str(), nullptr, 0);
      if (count >= 4) sites->push_back({Replaced(size, std::to_string(count / 2))});
    }
  });
}

bool IsPointerParameter(const CudaFunction& function, std::string_view name) {
  const std::vector<CudaVariable> variables = VariablesOf(function);
  const CudaVariable* const variable = FindVariable(variables, name);
  return variable != nullptr && variable->parameter && variable->pointer;
}

void FindIndicesOneTooFar(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "subscript_expression",
            [&](const SyntaxNode& node, const CudaFunction& function) {
              const SyntaxNode index = SubscriptIndex(node);
              if (index && IsPointerParameter(function, TextOf(node.Field("argument")))) {
                sites->push_back({Inserted(index.Last(), " + 1")});
              }
            });
}

void FindLargeBlocks(const AnswerTrees& answer, Sites* sites) {
  for (const CudaLaunchSite& launch : answer.launches()) {
    const SyntaxNode block = launch.configuration[1];
    if (block.Is("number_literal")) sites->push_back({Replaced(block, "2048")});
    const SyntaxNode host = EnclosingNode(launch.call, "function_definition");
    for (const SyntaxNode& init : NodesOf(host, "init_declarator")) {
      if (TextOf(init.Field("declarator")) == TextOf(block) &&
          init.Field("value").Is("number_literal")) {
        sites->push_back({Replaced(init.Field("value"), "2048")});
      }
    }
  }
}

void FindMissingContiguous(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, false, "assignment_expression",
            [&](const SyntaxNode& node, const CudaFunction&) {
              if (TextOf(node.Field("right")).ends_with(".contiguous()") &&
                  node.Parent().Is("expression_statement")) {
                sites->push_back({ErasedStatement(node.Parent(), answer.code())});
              }
            });
}

// The output is allocated in host memory.
void FindOutputsOnHost(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, false, "call_expression", [&](const SyntaxNode& call, const CudaFunction&) {
    const SyntaxNode function = call.Field("function");
    if (TextOf(function.Field("field")) != "options") return;
    const SyntaxNode around = EnclosingNode(call, "call_expression");
    if (!around) return;
    const bool alone = call.Parent().Is("argument_list");
    sites->push_back(
        {Replaced(call, alone ? "torch::dtype(" + std::string(TextOf(function.Field("argument"))) +
                                    ".scalar_type())"
                              : "torch::TensorOptions()")});
  });
}

void FindBarriersInBranches(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "call_expression", [&](const SyntaxNode& call, const CudaFunction&) {
    const SyntaxNode statement = call.Parent();
    if (TextOf(call.Field("function")) != "__syncthreads" ||
        !statement.Is("expression_statement")) {
      return;
    }
    sites->push_back({Inserted(statement.First(), "if (threadIdx.x < warpSize) ")});
  });
}

}  // namespace

void AddBoundsBugs(std::vector<BugClass>* bugs) {
  using enum FailureClass;
  const auto add = [&](std::string_view name, BugProof proof, std::string_view cause,
                       std::string_view remedy,
                       auto find) { bugs->push_back({name, kBounds, proof, cause, remedy, find}); };
  using enum BugProof;
  add("missing_guard", kMemory,
      "nothing stops the threads of the last block that have no element, so they access "
      "memory beyond the end",
      "return from threads whose index is not below the number of elements", FindMissingGuards);
  add("half_guard", kMemory,
      "the guard checks only some of the coordinates, so threads that exceed another limit "
      "go on and access memory outside",
      "check every coordinate against its own limit", FindHalfGuards);
  add("guard_one_too_far", kMemory,
      "the guard lets the thread at the limit through; valid indices are below the limit, "
      "so this thread accesses one element beyond the end",
      "let only indices below the limit pass", FindGuardsOneTooFar);
  add("loop_one_too_far", kMemory,
      "the loop includes its limit and so runs one iteration too many, which accesses one "
      "element beyond the end",
      "stop the loop below its limit", FindLoopsOneTooFar);
  add("small_shared_array", kMemory,
      "the shared array has fewer elements than the threads of the block use",
      "give the array as many elements as the threads use", FindSmallSharedArrays);
  add("index_one_too_far", kMemory,
      "the index is one too large, so each thread accesses the element after its own and "
      "the last one accesses memory beyond the end",
      "use the index itself", FindIndicesOneTooFar);
  add("large_block", kRun,
      "the launch asks for more threads than the 1024 that a block may have, so it fails",
      "launch blocks of at most 1024 threads", FindLargeBlocks);
  add("missing_contiguous", kMemory,
      "the kernel assumes row-major memory, and the host code does not make the input "
      "contiguous; a transposed or sliced tensor is read in the wrong order",
      "call `.contiguous()` on the input before the launch", FindMissingContiguous);
  add("output_on_host", kRun,
      "the output is allocated in the memory of the CPU, which the kernel cannot write to",
      "allocate the output with the options of an input, which name its device", FindOutputsOnHost);
  add("barrier_in_branch", kMemory,
      "only some threads of the block reach the barrier, which is undefined behaviour; "
      "usually the block hangs or continues without the others' writes",
      "move the barrier out of the branch", FindBarriersInBranches);
}

}  // namespace kernelmill
