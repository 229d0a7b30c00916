// Bugs that let threads access the same memory without synchronisation.
#include "generators/perturbation/bug.h"

namespace kernelmill {
namespace {

using Sites = std::vector<BugSite>;

void FindMissingBarriers(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "call_expression", [&](const SyntaxNode& call, const CudaFunction&) {
    if (TextOf(call.Field("function")) == "__syncthreads" &&
        call.Parent().Is("expression_statement")) {
      sites->push_back({ErasedStatement(call.Parent(), answer.code())});
    }
  });
}

// Every thread executes what only one thread, or some threads, should.
void FindMissingElections(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "if_statement", [&](const SyntaxNode& node, const CudaFunction&) {
    const SyntaxNode condition = node.Field("condition").Field("value");
    const SyntaxNode then = node.Field("consequence");
    const std::string_view sign = OperatorOf(condition);
    if (node.Field("alternative") || (sign != "==" && sign != "<")) return;
    const SyntaxNode who = condition.Field("left");
    if (!MentionsName(who, "threadIdx") && !MentionsName(who, "lane")) return;
    if (!then || then.Is("return_statement")) return;
    sites->push_back({{node.First(), then.First(), ""}});
  });
}

bool IsGlobalStore(const SyntaxNode& node, const CudaFunction& function) {
  const SyntaxNode left = node.Field("left");
  if (!left.Is("subscript_expression") || OperatorOf(node) != "=") return false;
  const std::vector<CudaVariable> variables = VariablesOf(function);
  const CudaVariable* const array = FindVariable(variables, TextOf(left.Field("argument")));
  return array != nullptr && array->parameter && array->pointer &&
         function.kind == CudaFunction::Kind::kKernel;
}

void FindSharedElements(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "assignment_expression",
            [&](const SyntaxNode& node, const CudaFunction& function) {
              const SyntaxNode index = SubscriptIndex(node.Field("left"));
              if (!index || !IsGlobalStore(node, function)) return;
              const std::string text(index.Text());
              sites->push_back(
                  {Replaced(index, (index.Is("identifier") ? text : '(' + text + ')') + " / 2")});
            });
}

void FindSharedSlots(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "assignment_expression",
            [&](const SyntaxNode& node, const CudaFunction&) {
              const SyntaxNode index = SubscriptIndex(node.Field("left"));
              if (index && MentionsName(index, "threadIdx"))
                sites->push_back({Replaced(index, "0")});
            });
}

void FindPlainUpdates(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "call_expression", [&](const SyntaxNode& call, const CudaFunction&) {
    const std::vector<SyntaxNode> arguments = call.Field("arguments").Children();
    if (TextOf(call.Field("function")) != "atomicAdd" || arguments.size() != 2 ||
        !call.Parent().Is("expression_statement")) {
      return;
    }
    const std::string_view place = arguments[0].Text();
    const std::string target =
        place.starts_with('&') ? std::string(place.substr(1)) : "*(" + std::string(place) + ')';
    sites->push_back({Replaced(call, target + " += " + std::string(arguments[1].Text()))});
  });
}

void FindNarrowMasks(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "call_expression", [&](const SyntaxNode& call, const CudaFunction&) {
    const std::vector<SyntaxNode> arguments = call.Field("arguments").Children();
    if (!TextOf(call.Field("function")).starts_with("__shfl_") || arguments.empty()) return;
    if (arguments[0].Is("number_literal")) {
      sites->push_back({Replaced(arguments[0], "0x0000ffff")});
    }
  });
}

}  // namespace

void AddRaceBugs(std::vector<BugClass>* bugs) {
  using enum FailureClass;
  const auto add = [&](std::string_view name, std::string_view cause, std::string_view remedy,
                       auto find) {
    bugs->push_back({name, kRace, BugProof::kRaces, cause, remedy, find});
  };
  add("missing_barrier",
      "no barrier separates the writes to shared memory from the accesses of other "
      "threads, so a thread can read a value that is not written yet or overwrite one that "
      "is still needed",
      "put a barrier between the writes and the accesses of the other threads",
      FindMissingBarriers);
  add("missing_election", "every thread executes this statement, although only some of them may",
      "restrict the statement to the threads that own the element", FindMissingElections);
  add("shared_element",
      "several threads write the same element of the output, so the result depends on "
      "which of them comes last",
      "give every thread an element of its own", FindSharedElements);
  add("shared_slot",
      "several threads write the same slot of the scratch memory, so they overwrite each "
      "other's values",
      "give every thread or warp a slot of its own", FindSharedSlots);
  add("plain_update",
      "several threads update the same element by a plain read and write, so some of the "
      "updates are lost",
      "use an atomic operation for the update", FindPlainUpdates);
  add("narrow_mask",
      "the mask of the shuffle leaves out lanes that take part in it, which is undefined "
      "behaviour",
      "name every lane of the warp in the mask", FindNarrowMasks);
}

}  // namespace kernelmill
