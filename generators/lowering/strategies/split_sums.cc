// Strategies for matrix products and convolutions that split long sums: among the lanes of a warp
// if the result is narrow, or among blocks if it has too few tiles to fill a device.
#include "generators/lowering/contractions/contraction_kernel.h"
#include "generators/lowering/contractions/contraction_tile.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

// The shortest sum that is split among lanes, which then read coalesced along it.
constexpr std::int64_t kLong = 64;

bool HasLongSums(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<ContractionSpec> spec = SpecOfContraction(graph, group);
  if (!spec || spec->k.count < kLong) return false;
  const bool narrow_m = spec->m.count < kNarrow, narrow_n = spec->n.count < kNarrow;
  return (narrow_n && spec->a.along_k) || (narrow_m && spec->b.along_k);
}

GroupCode WriteWarpAResult(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  const TileNames names = TileNamesOf(scope, spec);
  const std::string groups = scope->AddSize("groups", spec.group.Count());
  const std::string results =
      scope->AddSize("results", GroupScope::Product({groups, names.M, names.N}));
  const std::string name = scope->function() + "_kernel";
  const std::string value = spec.a.value_by_k.empty() ? spec.a.value : spec.a.value_by_k;
  const std::string product = MultiplyAddText(spec, value), end = EpilogueText(scope, spec);
  const std::string all = product + end;
  const std::string decoded = AxisLines(*scope, spec, all);
  const auto line = [&](const char* index, const std::string& value) {
    return IndexLine(*scope, decoded + all, index, value);
  };
  const bool grouped = groups != "1", columns = names.N != "1";
  const std::string row = columns ? "i / " + GroupScope::Parenthesized(names.N) : "i";
  const std::string body = FillHoles(
      R"(
const int lane = threadIdx.x % warpSize;
const @index@ warps = @grid@ * (blockDim.x / warpSize);
@index@ i = @block@ * (blockDim.x / warpSize) + threadIdx.x / warpSize;
for (; i < @results@; i += warps) {
  @indices@
  @decoded@
  @type@ acc = 0;
  for (@index@ k = lane; k < @K@; k += warpSize) {
    @k_axes@
    @product@
  }
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    acc += __shfl_xor_sync(0xffffffff, acc, offset);
  }
  if (lane == 0) {
    @end@
  }
}
)",
      {{"index", scope->index()},
       {"block", scope->InIndexType("blockIdx.x")},
       {"grid", scope->InIndexType("gridDim.x")},
       {"results", results},
       {"indices",
        line("group", "i / " + GroupScope::Parenthesized(GroupScope::Product({names.M, names.N}))) +
            line("m", grouped && names.M != "1" ? row + " % " + GroupScope::Parenthesized(names.M)
                                                : row) +
            line("n", "i % " + GroupScope::Parenthesized(names.N))},
       {"decoded", decoded},
       {"type", spec.type},
       {"K", names.k_end},
       {"k_axes", spec.k.Decoded(*scope, "k", product)},
       {"product", product},
       {"end", end}});
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  CommentIntroOf(*scope) +
                      ": one warp per result, whose lanes read neighbouring elements of its sum.",
                  body);
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs =
      "const int threads = 128;\n// Four warps of 32 threads; wider ones take several results "
      "each.\nconst int blocks = (" +
      results + " + 3) / 4;\n" + WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOfContraction(*scope, spec, name);
  code.plan.threads = 128;
  code.plan.grid = "(M * N * groups + 3) / 4";
  code.plan.mapping =
      "a warp computes one element of the result: its lanes take every warpSize-th product and add "
      "what they hold by shuffles";
  code.plan.reasons.push_back({"a warp a result",
                               "the result is narrow and the sums are long: most of a tile would "
                               "lie outside of the result, and with one thread per result the "
                               "loads would be strided"});
  return code;
}

// Long sums of few results are split among blocks.
constexpr std::int64_t kPart = 256;  // The smallest part of a sum for a block.
// More tiles than this keep a device busy without splitting.
constexpr std::int64_t kTilesToSplit = 64;
constexpr std::int64_t kBlocksOfSplit = 512;  // The number of blocks at which the parts aim.

bool IsDeep(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<ContractionSpec> spec = SpecOfContraction(graph, group);
  return spec && spec->k.count >= 2 * kPart &&
         TilesOf(*spec, TileFor(*spec, false)) <= kTilesToSplit;
}

GroupCode WriteSplit(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  const Tile tile = TileFor(spec, false);
  TileNames names = TileNamesOf(scope, spec);
  const std::string K = names.k_end;
  const std::string groups = scope->AddSize("groups", spec.group.Count());
  const std::string name = scope->function() + "_part_kernel",
                    last = scope->function() + "_sum_kernel";
  names.k_begin = "k_begin";
  names.k_end = "k_end";
  const bool grouped = groups != "1";
  // The results of one split are stored together, in the order in which the second kernel reads
  // them.
  const std::string place = grouped ? "((split * " + GroupScope::Parenthesized(groups) +
                                          " + group) * " + GroupScope::Parenthesized(names.M) +
                                          " + m) * "
                                    : "(split * " + GroupScope::Parenthesized(names.M) + " + m) * ";
  std::string body =
      TileBody(*scope, spec, tile, names,
               "parts[" + place + GroupScope::Parenthesized(names.N) + " + n] = acc;\n");
  body = (grouped ? "const int split = blockIdx.z % splits, group = blockIdx.z / splits;\n"
                  : "const int split = blockIdx.z;\n") +
         FillHoles(R"(
// This block's part of k, in whole tiles.
const @index@ k_begin = split * chunk;
const @index@ k_end = k_begin + chunk < @K@ ? k_begin + chunk : @K@;
)",
                   {{"index", scope->index()}, {"K", K}}) +
         body;
  const std::string type = spec.type;
  const std::vector<LaunchParameter> extra = {
      {type + "* __restrict__", "parts", "parts.data_ptr<" + type + ">()"},
      {"int", "splits", "splits"},
      {scope->index(), "chunk", "chunk"}};
  const WrittenKernel first =
      WriteKernel(*scope, name,
                  CommentIntroOf(*scope) + ", first half: every block sums over a part of k only.",
                  body, extra, TileLaunchBounds(tile));
  // Adds the parts in order, so that every run gives the same bits.
  const std::string finish = EpilogueText(scope, spec);
  const std::string decoded = AxisLines(*scope, spec, finish);
  const std::string results = GroupScope::Product({groups, names.M, names.N});
  const std::string used = decoded + finish;
  const auto line = [&](const char* index, const std::string& value) {
    return IndexLine(*scope, used, index, value);
  };
  const std::string end_body = FillHoles(
      R"(
const @index@ i = @block@ * blockDim.x + threadIdx.x;
if (i >= @results@) return;
@type@ acc = 0;
for (int split = 0; split < splits; ++split) acc += parts[split * (@results@) + i];
@indices@
@decoded@
@finish@
)",
      {{"index", scope->index()},
       {"block", scope->InIndexType("blockIdx.x")},
       {"type", type},
       {"results", results},
       {"indices", line("n", "i % " + GroupScope::Parenthesized(names.N)) +
                       line("m", "i / " + GroupScope::Parenthesized(names.N) +
                                     (grouped ? " % " + GroupScope::Parenthesized(names.M) : "")) +
                       line("group", "i / (" + GroupScope::Product({names.M, names.N}) + ")")},
       {"decoded", decoded},
       {"finish", finish}});
  const WrittenKernel second =
      WriteKernel(*scope, last,
                  CommentIntroOf(*scope) +
                      ", second half: adds the parts of every element, always in the same order.",
                  end_body,
                  {{"const " + type + "* __restrict__", "parts", "parts.data_ptr<" + type + ">()"},
                   {"int", "splits", "splits"}});
  GroupCode code;
  code.definitions = {first.definition, second.definition};
  const DType dtype = scope->TypeOf(scope->head().first_result).dtype;
  const DType sum_dtype = IsHalfPrecision(dtype) ? DType::kFloat32 : dtype;
  code.after_outputs = FillHoles(
      R"(
// Parts of k, for @blocks@ blocks or so in all: at least @part@ long each, in whole steps of a tile.
const int64_t tiles = static_cast<int64_t>(@row_tiles@) * (@col_tiles@)@times_groups@;
const int64_t wanted = std::max<int64_t>(1, std::min<int64_t>(@blocks@ / tiles, @K@ / @part@));
const @index@ chunk = ((@K@ + wanted - 1) / wanted + @step@) / @depth@ * @depth@;
const int splits = chunk == 0 ? 1 : (@K@ + chunk - 1) / chunk;
auto parts = torch::empty({static_cast<int64_t>(splits) * (@results@)}, @out@.options()@dtype@);
const dim3 blocks(@grid@);
)",
      {{"index", scope->index()},
       {"K", K},
       {"blocks", std::to_string(kBlocksOfSplit)},
       {"part", std::to_string(kPart)},
       {"depth", std::to_string(tile.depth)},
       {"step", std::to_string(tile.depth - 1)},
       {"row_tiles", RoundedUpQuotient(names.M, tile.rows)},
       {"col_tiles", RoundedUpQuotient(names.N, tile.cols)},
       {"times_groups", grouped ? " * " + GroupScope::Parenthesized(groups) : ""},
       {"results", results},
       {"out", scope->TensorName(scope->group().outputs[0])},
       {"dtype", sum_dtype == dtype ? "" : ".dtype(" + scope->Scalar(sum_dtype).dtype + ")"},
       {"grid", TileGrid(names, tile,
                         grouped ? GroupScope::Parenthesized(groups) + " * splits" : "splits")}});
  code.after_outputs +=
      WriteLaunch(*scope, name, first, "blocks", std::to_string(tile.threads())) +
      "const int threads = 256;\n" +
      WriteLaunch(*scope, last, second, '(' + results + " + threads - 1) / threads", "threads");
  code.plan = PlanOfContraction(*scope, spec, name);
  code.plan.kernels = {name, last};
  code.plan.grid = "one block per tile of " + std::to_string(tile.rows) + " x " +
                   std::to_string(tile.cols) +
                   " and a part of k, then (M * N * groups + 255) / 256";
  code.plan.mapping = "a block sums a part of k for a " + std::to_string(tile.rows) + " x " +
                      std::to_string(tile.cols) +
                      " tile of the result; a second kernel adds the parts, one thread per element";
  AddTileToPlan(spec, tile, &code.plan);
  code.plan.reasons.push_back({"the sum is split",
                               "the result has too few tiles to fill the device, and splitting "
                               "the sum gives more blocks"});
  code.plan.reasons.push_back({"parts in memory instead of atomics",
                               "floating-point addition in a fixed order "
                               "gives the same bits in every run"});
  return code;
}

}  // namespace

void AddSplitSumStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"warp_a_result", "the lanes of a warp share a sum", HasLongSums, WriteWarpAResult});
  strategies->push_back({"split_k", "the sum split between blocks", IsDeep, WriteSplit});
}

}  // namespace kernelmill
