// Bugs that keep the result correct and make the kernel slower.
#include "generators/perturbation/bug.h"

namespace kernelmill {
namespace {

using Sites = std::vector<BugSite>;

bool IsSharedLoop(const SyntaxNode& loop) {
  const SyntaxNode update = loop.Field("update");
  return OperatorOf(loop.Field("condition")) == "<" && OperatorOf(update) == "+=" &&
         MentionsName(loop.Field("initializer"), "threadIdx");
}

// A grid-stride loop is launched with a single thread; a kernel with one thread per element becomes
// such a loop.
void FindSingleThreads(const AnswerTrees& answer, Sites* sites) {
  for (const CudaLaunchSite& launch : answer.launches()) {
    const CudaFunction* const kernel = answer.FindFunction(launch.kernel);
    if (kernel == nullptr) continue;
    const BugSite one = {Replaced(launch.configuration[0], "1"),
                         Replaced(launch.configuration[1], "1")};
    for (const SyntaxNode& loop : NodesOf(kernel->body, "for_statement")) {
      if (IsSharedLoop(loop) && MentionsName(loop.Field("initializer"), "blockIdx")) {
        sites->push_back(one);
      }
    }
    const std::vector<SyntaxNode> body = kernel->body.Children();
    if (body.size() < 3 || NodesOf(kernel->body, "return_statement").size() != 1) continue;
    const SyntaxNode guard = body[1];
    const SyntaxNode condition = guard.Field("condition").Field("value");
    const std::vector<SyntaxNode> inits = NodesOf(body[0], "init_declarator");
    if (!body[0].Is("declaration") || inits.size() != 1 || !guard.Is("if_statement")) continue;
    const std::string name(TextOf(inits[0].Field("declarator")));
    if (!MentionsName(inits[0].Field("value"), "blockIdx") ||
        !guard.Field("consequence").Is("return_statement") || OperatorOf(condition) != ">=" ||
        TextOf(condition.Field("left")) != name) {
      continue;
    }
    const std::string type(TextOf(body[0].Field("type")));
    BugSite site = one;
    site.push_back({body[0].First(), guard.Last(),
                    "for (" + type + ' ' + name + " = 0; " + name + " < " +
                        std::string(TextOf(condition.Field("right"))) + "; ++" + name + ") {"});
    site.push_back(Inserted(kernel->body.Last() - 1, "  }\n"));
    sites->push_back(std::move(site));
  }
}

// Each thread takes a contiguous chunk, so the accesses of a warp are not coalesced.
void FindChunks(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "for_statement", [&](const SyntaxNode& loop, const CudaFunction&) {
    if (!IsSharedLoop(loop)) return;
    const std::vector<SyntaxNode> inits = NodesOf(loop.Field("initializer"), "init_declarator");
    const SyntaxNode condition = loop.Field("condition"), update = loop.Field("update");
    if (inits.size() != 1 || condition.Field("right").Is("number_literal")) return;
    const std::string name(TextOf(inits[0].Field("declarator")));
    const SyntaxNode start = inits[0].Field("value");
    const std::string first = start.Is("binary_expression") ? '(' + std::string(start.Text()) + ')'
                                                            : std::string(start.Text());
    const std::string limit(TextOf(condition.Field("right"))), step(TextOf(update.Field("right")));
    if (TextOf(condition.Field("left")) != name) return;
    const std::string chunk = "((" + limit + " + " + step + " - 1) / " + step + ')';
    sites->push_back(
        {Replaced(start, first + " * " + chunk),
         Inserted(condition.Last(), " && " + name + " < (" + first + " + 1) * " + chunk),
         Replaced(update, "++" + name)});
  });
}

void FindTinyBlocks(const AnswerTrees& answer, Sites* sites) {
  for (const CudaLaunchSite& launch : answer.launches()) {
    // Other kernels depend on the block size that they were written for.
    const CudaFunction* const kernel = answer.FindFunction(launch.kernel);
    if (kernel == nullptr || !MentionsName(kernel->body, "blockDim") ||
        MentionsName(kernel->body, "warpSize") || MentionsName(kernel->body, "__syncthreads")) {
      continue;
    }
    const SyntaxNode host = EnclosingNode(launch.call, "function_definition");
    for (const SyntaxNode& init : NodesOf(host, "init_declarator")) {
      if (TextOf(init.Field("declarator")) != TextOf(launch.configuration[1]) ||
          !init.Field("value").Is("number_literal")) {
        continue;
      }
      for (const char* const threads : {"4", "8", "1"}) {
        sites->push_back({Replaced(init.Field("value"), threads)});
      }
    }
  }
}

void FindNeedlessAtomics(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(
      answer, true, "assignment_expression",
      [&](const SyntaxNode& node, const CudaFunction& function) {
        const SyntaxNode place = node.Field("left");
        if (function.kind != CudaFunction::Kind::kKernel || OperatorOf(node) != "=" ||
            !place.Is("subscript_expression") || !node.Parent().Is("expression_statement")) {
          return;
        }
        const std::vector<CudaVariable> variables = VariablesOf(function);
        const CudaVariable* const array = FindVariable(variables, TextOf(place.Field("argument")));
        if (array == nullptr || !array->parameter || array->type != "float") return;
        sites->push_back({Replaced(node, "atomicExch(&" + std::string(place.Text()) + ", " +
                                             std::string(TextOf(node.Field("right"))) + ")")});
      });
}

// The padding of a tile in shared memory is removed, so its row length is a multiple of the number
// of banks.
void FindMissingPadding(const AnswerTrees& answer, Sites* sites) {
  for (const CudaFunction& function : answer.functions()) {
    if (!function.OnDevice()) continue;
    BugSite all;
    for (const SyntaxNode& node : NodesOf(function.body, "array_declarator")) {
      const SyntaxNode size = node.Field("size"), declaration = EnclosingNode(node, "declaration");
      if (OperatorOf(size) != "+" || TextOf(size.Field("right")) != "1" ||
          TextOf(declaration).find("__shared__") == std::string_view::npos) {
        continue;
      }
      all.push_back(Replaced(size, std::string(TextOf(size.Field("left")))));
    }
    if (!all.empty()) sites->push_back(std::move(all));
  }
}

// A loop that only stores is run twice.
void FindRepeatedLoops(const AnswerTrees& answer, Sites* sites) {
  for (const CudaFunction& function : answer.functions()) {
    if (function.kind != CudaFunction::Kind::kKernel) continue;
    for (const SyntaxNode& loop : NodesOf(function.body, "for_statement")) {
      const SyntaxNode body = loop.Field("body");
      const SyntaxNode condition = loop.Field("condition");
      if (NodesOf(body, "for_statement").size() > 0 || !condition) continue;

      const bool stores = NodesOf(body, "subscript_expression").size() > 0;
      bool adds = false;
      for (const SyntaxNode& node : NodesOf(body, "assignment_expression")) {
        adds = adds || OperatorOf(node) != "=" || !node.Field("left").Is("subscript_expression");
      }
      for (const SyntaxNode& call : NodesOf(body, "call_expression")) {
        adds = adds || call.Field("function").Is("field_expression");
      }
      if (stores && !adds && IsSharedLoop(loop)) {
        sites->push_back({Inserted(loop.First(), "for (int round = 0; round < 2; ++round) ")});
      }
    }
  }
}

}  // namespace

void AddSlownessBugs(std::vector<BugClass>* bugs) {
  using enum FailureClass;
  const auto add = [&](std::string_view name, std::string_view cause, std::string_view remedy,
                       auto find) {
    bugs->push_back({name, kSlowness, BugProof::kCounts, cause, remedy, find});
  };
  add("single_thread",
      "one kernel is launched with a single thread, which does all of its work, so almost the "
      "whole device is idle meanwhile",
      "launch enough threads for all elements", FindSingleThreads);
  add("chunk_a_thread",
      "each thread processes a run of neighbouring elements, so the threads of a warp "
      "access addresses that are far apart and the accesses are not coalesced",
      "let neighbouring threads process neighbouring elements", FindChunks);
  add("tiny_blocks", "the blocks are smaller than a warp, so most lanes of every warp are idle",
      "launch blocks of several warps", FindTinyBlocks);
  add("needless_atomics", "the store is atomic although only one thread writes each element",
      "use a plain store", FindNeedlessAtomics);
  add("missing_padding",
      "the rows of the shared tile have a length that maps the elements of a column to the "
      "same banks, so accesses to a column conflict",
      "pad the rows of the tile by one element", FindMissingPadding);
  add("work_done_twice", "the loop over the elements runs twice and computes the same values again",
      "run the loop once", FindRepeatedLoops);
}

}  // namespace kernelmill
