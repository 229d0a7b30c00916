// Copies the parts of a tensor that is split, for graphs of views only, in which no other kernel
// would write the results.
#include "generators/lowering/operator_class.h"
#include "generators/lowering/sizes/size_rules.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

bool IsCut(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0 || group.nodes.size() != 1) return false;
  const std::string_view name = graph.nodes()[group.head].op->name;
  return name == "split" || name == "split_with_sizes" || name == "chunk" || name == "unbind";
}

template <bool kLoop>
GroupCode WriteParts(GroupScope* scope) {
  const Node& node = scope->head();
  const ValueId input = scope->graph().operands(node)[0];
  const std::vector<std::string> sizes = scope->Sizes(input);
  const int rank = static_cast<int>(sizes.size());
  const int dim = DimensionOf(scope->graph(), node, "dim", rank);
  // A part's element is addressed by the coordinates before, along and after `dim`.
  scope->UseStridesOfViews();
  const std::string name = scope->function() + "_kernel";
  std::string position, rest = "i", outermost = "i0";
  const std::string index = "const " + scope->index() + ' ';
  std::string decoded;
  for (int d = rank; d-- > 0;) {
    const std::string axis = "i" + std::to_string(d);
    const std::string size = d == dim ? "length" : GroupScope::Parenthesized(sizes[d]);
    if (d == 0) {
      outermost = rest;
    } else {
      decoded += index + axis + " = " + rest + " % " + size + ";\n";
      decoded += index + "rest" + std::to_string(d) + " = " + rest + " / " + size + ";\n";
      rest = "rest" + std::to_string(d);
    }
  }
  for (int d = 0; d < rank; ++d) {
    const std::string own = d == 0 ? outermost : "i" + std::to_string(d);
    const std::string axis = d == dim ? "(begin + " + own + ")" : own;
    if (scope->IsStrided(input)) {
      position += (d > 0 ? " + " : "") + axis + " * " + scope->Stride(input, d);
    } else {
      position = d == 0
                     ? axis
                     : "(" + position + ") * " + GroupScope::Parenthesized(sizes[d]) + " + " + axis;
    }
  }
  const ScalarName scalar = scope->Scalar(input);
  const Holes holes = {{"index", scope->index()},
                       {"block", scope->InIndexType("blockIdx.x")},
                       {"grid", scope->InIndexType("gridDim.x")},
                       {"decoded", decoded},
                       {"x", scope->TensorName(input)},
                       {"position", position}};
  const std::string body = kLoop ? FillHoles(R"(
const @index@ step = @grid@ * blockDim.x;
for (@index@ i = @block@ * blockDim.x + threadIdx.x; i < count;
     i += step) {
  @decoded@
  part[i] = @x@[@position@];
}
)",
                                             holes)
                                 : FillHoles(R"(
const @index@ i = @block@ * blockDim.x + threadIdx.x;
if (i >= count) return;
@decoded@
part[i] = @x@[@position@];
)",
                                             holes);
  std::vector<LaunchParameter> extra = {{scalar.storage + "* __restrict__", "part", "@part@"},
                                        {scope->index(), "begin", "@begin@"},
                                        {scope->index(), "length", "@length@"},
                                        {scope->index(), "count", "@count@"}};
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  "Copies one part of a tensor, " +
                      std::string(kLoop ? "in a grid-stride loop." : "one thread per element.") +
                      " The part begins at `begin` along the dimension that is cut, and is "
                      "`length` long there.",
                  body, extra);
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs = "const int threads = 256;\n";
  for (int r = 0; r < node.result_count; ++r) {
    const ValueId id = node.first_result + r;
    if (!scope->IsOutput(id)) continue;
    const PartText part = PartOf(scope, node, r);
    std::string launch = WriteLaunch(
        *scope, name, kernel, kLoop ? "std::min<int64_t>(blocks, 1024)" : "blocks", "threads");
    const Holes of_part = {{"part", scope->TensorParameter(id).argument},
                           {"begin", part.begin},
                           {"length", part.length},
                           {"count", "count"}};
    launch = FillHoles(launch, of_part);
    code.after_outputs +=
        FillHoles(R"(
{
  const @index@ count = @out@.numel();
  const int blocks = (count + threads - 1) / threads;
  if (count > 0) {
    @launch@
  }
}
)",
                  {{"index", scope->index()}, {"out", scope->TensorName(id)}, {"launch", launch}});
  }
  code.plan.kernels = {name};
  code.plan.threads = 256;
  code.plan.index_type = scope->index();
  code.plan.grid =
      kLoop ? "min((count + 255) / 256, 1024), once a part" : "(count + 255) / 256, once a part";
  code.plan.mapping = "for every part, thread i copies element i of it from its place in the whole";
  code.plan.reasons.push_back({"one kernel for all parts",
                               "the offset and the length of a part are arguments of the kernel, "
                               "so the same code copies all of them"});
  return code;
}

}  // namespace

void AddPartStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"copy_a_part", "one thread per element of a part", IsCut, WriteParts<false>});
  strategies->push_back({"copy_in_a_loop", "a loop over the grid", IsCut, WriteParts<true>});
}

}  // namespace kernelmill
