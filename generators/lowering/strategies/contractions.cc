// Strategies for matrix products and convolutions in which one thread computes a whole sum: naive,
// tiles in shared memory, and tiles in registers. In split_sums.cc several threads share a sum.
#include "generators/lowering/contractions/contraction_kernel.h"
#include "generators/lowering/contractions/contraction_tile.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

// One thread per element, with the loops of the definition.
GroupCode WriteNaive(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  const std::string M = scope->AddSize("M", spec.m.Count()),
                    N = scope->AddSize("N", spec.n.Count());
  const std::string name = scope->function() + "_kernel";
  std::string loops = MultiplyAddText(spec, spec.a.value);
  for (std::size_t i = spec.k.axes.size(); i-- > 0;) {
    const auto& [axis, size] = spec.k.axes[i];
    loops =
        FillHoles("for (@index@ @axis@ = 0; @axis@ < @size@; ++@axis@) {\n  @loops@\n}\n",
                  {{"index", scope->index()}, {"axis", axis}, {"size", size}, {"loops", loops}});
  }
  const std::string end = EpilogueText(scope, spec);
  const std::string all = loops + end;
  const std::string decoded = AxisLines(*scope, spec, all);
  const auto line = [&](const char* index, const std::string& value) {
    return IndexLine(*scope, decoded + all, index, value);
  };
  const bool groups = !spec.group.axes.empty();
  const std::string count =
      spec.has_result.empty()
          ? scope->AddHostValue(scope->index(), "count",
                                scope->TensorName(scope->group().outputs[0]) + ".numel()")
          : scope->AddSize("count", GroupScope::Product({spec.group.Count(), M, N}));
  const std::string body = FillHoles(
      R"(
const @index@ i = @block@ * blockDim.x + threadIdx.x;
if (i >= @count@) return;
@indices@
@decoded@
@type@ acc = 0;
@loops@
@end@
)",
      {{"index", scope->index()},
       {"block", scope->InIndexType("blockIdx.x")},
       {"count", count},
       {"type", spec.type},
       {"indices", (groups ? line("group", "i / (" + GroupScope::Product({M, N}) + ")") : "") +
                       line("n", "i % " + N) +
                       line("m", "i / " + GroupScope::Parenthesized(N) +
                                     (groups ? " % " + GroupScope::Parenthesized(M) : ""))},
       {"decoded", decoded},
       {"loops", loops},
       {"end", end}});
  const WrittenKernel kernel = WriteKernel(
      *scope, name,
      CommentIntroOf(*scope) + ": one thread per element, which reads all that it needs.", body);
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs = "const int threads = 256;\nconst int blocks = (" + count +
                       " + threads - 1) / threads;\n" +
                       WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOfContraction(*scope, spec, name);
  code.plan.grid = "(count + 255) / 256";
  code.plan.mapping =
      "thread i computes one element of the result with the loops of the definition; "
      "neighbouring threads share what they read through the caches only";
  return code;
}

GroupCode WriteRegisterTile(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  const Tile tile = TileFor(spec, true);
  const TileNames names = TileNamesOf(scope, spec);
  const std::string groups = scope->AddSize("groups", spec.group.Count());
  const std::string name = scope->function() + "_kernel";
  std::string body = TileBody(*scope, spec, tile, names, EpilogueText(scope, spec));
  body = IndexLine(*scope, body, "group", "blockIdx.z") + body;
  const std::string rows = std::to_string(tile.rows), cols = std::to_string(tile.cols);
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  CommentIntroOf(*scope) + ": a block computes a " + rows + " x " + cols +
                      " tile of the result, each thread " +
                      std::to_string(tile.results_of_thread()) + " elements in registers.",
                  body, {}, TileLaunchBounds(tile));
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs = "const int threads = " + std::to_string(tile.threads()) +
                       ";\nconst dim3 blocks(" + TileGrid(names, tile, groups) + ");\n" +
                       WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOfContraction(*scope, spec, name);
  code.plan.grid = "(" +
                   TileGrid({.M = "M",
                             .N = "N",
                             .k_begin = "",
                             .k_end = "",
                             .m_axis = names.m_axis,
                             .n_axis = names.n_axis},
                            tile, "groups") +
                   ")";
  code.plan.mapping = "a block computes a " + rows + " x " + cols +
                      " tile of the result in steps of " + std::to_string(tile.depth) +
                      " along k; a thread computes " + std::to_string(tile.results_of_thread()) +
                      " elements of it";
  AddTileToPlan(spec, tile, &code.plan);
  return code;
}

constexpr int kSquare = 16;  // The side of a tile with one thread per element.

// Loads one factor's tile for WriteSquareTile().
std::string LoadSquare(const GroupScope& scope, const ContractionSpec& spec, bool is_a,
                       const std::string& limit, const std::string& k_end) {
  const Factor& factor = is_a ? spec.a : spec.b;
  const std::string other = is_a ? "m" : "n";
  const std::string code = factor.Code();
  return FillHoles(R"(
// Neighbouring threads read along @why@@contiguous@.
{
  const @index@ k = k0 + @k@, @other@ = @other@0 + @place@;
  @type@ value = 0;
  if (@other@ < @limit@ && k < @k_end@) {
    @axes@
    @statements@
    @read@
  }
  @tile@[@k@][@place@] = value;
}
)",
                   {{"index", scope.index()},
                    {"other", other},
                    {"type", spec.type},
                    {"limit", limit},
                    {"k_end", k_end},
                    {"tile", is_a ? "a_tile" : "b_tile"},
                    {"why", factor.along_k ? "k" : other},
                    {"contiguous", factor.adjacent ? ", where memory is contiguous" : ""},
                    {"k", factor.along_k ? "tx" : "ty"},
                    {"place", factor.along_k ? "ty" : "tx"},
                    {"axes", (is_a ? spec.m : spec.n).Decoded(scope, other, code) +
                                 spec.k.Decoded(scope, "k", code)},
                    {"statements", factor.statements},
                    {"read", (factor.condition.empty() ? "" : "if (" + factor.condition + ") ") +
                                 "value = " + factor.value + ";\n"}});
}

GroupCode WriteSquareTile(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  const TileNames names = TileNamesOf(scope, spec);
  const std::string groups = scope->AddSize("groups", spec.group.Count());
  const std::string name = scope->function() + "_kernel";
  const std::string end = EpilogueText(scope, spec);
  const std::string a = LoadSquare(*scope, spec, true, names.M, names.k_end),
                    b = LoadSquare(*scope, spec, false, names.N, names.k_end);
  std::string body =
      FillHoles(R"(
__shared__ @type@ a_tile[16][16 + 1];
__shared__ @type@ b_tile[16][16 + 1];
@group@
const @index@ m0 = blockIdx.@m_axis@ * 16, n0 = blockIdx.@n_axis@ * 16;
const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
@type@ acc = 0;
for (@index@ k0 = 0; k0 < @K@; k0 += 16) {
  @a@
  @b@
  __syncthreads();
  #pragma unroll
  for (int k = 0; k < 16; ++k) acc += a_tile[k][ty] * b_tile[k][tx];
  __syncthreads();
}
const @index@ m = m0 + ty, n = n0 + tx;
if (m < @M@ && n < @N@) {
  @decoded@
  @end@
}
)",
                {{"type", spec.type},
                 {"index", scope->index()},
                 {"group", spec.group.Decoded(*scope, "group", a + b + end)},
                 {"m_axis", names.m_axis},
                 {"n_axis", names.n_axis},
                 {"K", names.k_end},
                 {"M", names.M},
                 {"N", names.N},
                 {"a", a},
                 {"b", b},
                 {"decoded", spec.m.Decoded(*scope, "m", end) + spec.n.Decoded(*scope, "n", end)},
                 {"end", end}});
  body = IndexLine(*scope, body, "group", "blockIdx.z") + body;
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  CommentIntroOf(*scope) +
                      ": a block computes a 16 x 16 tile of the result and reads both "
                      "factors through shared memory.",
                  body);
  constexpr Tile kTile = {kSquare, kSquare, kSquare, 1, 1};
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs = "const int threads = 256;\nconst dim3 blocks(" +
                       TileGrid(names, kTile, groups) + ");\n" +
                       WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOfContraction(*scope, spec, name);
  code.plan.grid = names.m_axis == "x" ? "((M + 15) / 16, (N + 15) / 16, groups)"
                                       : "((N + 15) / 16, (M + 15) / 16, groups)";
  code.plan.shared_bytes = 4 * 2 * kSquare * (kSquare + 1);
  code.plan.mapping =
      "a block computes a 16 x 16 tile of the result in steps of 16 along k; a thread computes one "
      "element of it";
  code.plan.reasons.push_back({"tiles in shared memory",
                               "each element of a factor is read from memory once for 16 uses "
                               "instead of once for each"});
  if (spec.a.along_k || spec.b.along_k) {
    code.plan.reasons.push_back({"one more column in a tile",
                                 "threads that write to a column of the tile then use different "
                                 "banks"});
  }
  return code;
}

bool HasTiles(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<ContractionSpec> spec = SpecOfContraction(graph, group);
  return spec && spec->m.count >= kNarrow && spec->n.count >= kNarrow;
}

bool IsNarrow(const OperatorGraph& graph, const FusionGroup& group) {
  return HasContractionSpec(graph, group) && !HasTiles(graph, group);
}

}  // namespace

void AddContractionStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"register_tile", "a patch of elements per thread", HasTiles, WriteRegisterTile});
  strategies->push_back({"thread_a_result", "where tiles would lie outside", IsNarrow, WriteNaive});
  strategies->push_back({"shared_tile", "16 x 16 tiles", HasContractionSpec, WriteSquareTile});
  strategies->push_back({"loops_of_the_definition", "naive", HasTiles, WriteNaive});
}

}  // namespace kernelmill
