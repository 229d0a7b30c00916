#include "parsers/waiting_loops.h"

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

bool CountsNothing(const SyntaxNode& loop) {
  if (loop.Is("while_statement") || loop.Is("do_statement")) return true;
  return loop.Is("for_statement") && (!loop.Field("condition") || !loop.Field("update"));
}

bool IsConstantEvaluated(const SyntaxNode& node) {
  for (SyntaxNode at = node.Parent(); at; at = at.Parent()) {
    if (!at.Is("function_definition") || !at.Field("body")) continue;
    return HoldsWord(at.Text().substr(0, at.Field("body").First() - at.First()), "constexpr");
  }
  return false;
}

}  // namespace

void FindWaitingLoop(const SyntaxNode& loop,
                     const std::function<void(std::size_t, std::size_t, bool)>& found) {
  if (!CountsNothing(loop) || loop.HasError() || IsConstantEvaluated(loop)) return;
  const SyntaxNode body = loop.Field("body");
  if (body) found(body.First(), body.Last(), body.Is("compound_statement"));
}

}  // namespace kernelmill
