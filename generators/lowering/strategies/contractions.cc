// Matrix products and convolutions: naive, tiles in shared memory, tiles in registers, and the sum
// split between blocks.
#include "generators/lowering/contraction_tile.h"
#include "generators/lowering/element_writer.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

// What becomes of the sum `acc`, in terms of the axes of group, m and n.
std::string EndText(GroupScope* scope, const ContractionSpec& spec) {
  const std::string type = scope->Scalar(scope->head().first_result).compute;
  std::string text = "const " + type + " result = " + spec.result + ";\n";
  text += "const " + scope->index() + " at = " + spec.position + ";\n";
  text += StoreOutputs(scope, "at", "result");
  if (spec.exists.empty()) return text;
  return Fill("if (@exists@) {\n  @text@\n}\n", {{"exists", spec.exists}, {"text", text}});
}

// Declares group, m or n where `code` uses it.
std::string IndexLine(const GroupScope& scope, const std::string& code, const std::string& index,
                      const std::string& value) {
  return UsesName(code, index) ? "const " + scope.index() + ' ' + index + " = " + value + ";\n" : "";
}

// Declares those axes of group, m and n that `code` uses.
std::string AxisLines(const GroupScope& scope, const ContractionSpec& spec,
                      const std::string& code) {
  return spec.group.Decoded(scope, "group", code) + spec.m.Decoded(scope, "m", code) +
         spec.n.Decoded(scope, "n", code);
}

KernelPlan PlanOf(const GroupScope& scope, const ContractionSpec& spec, const std::string& kernel) {
  KernelPlan plan;
  plan.kernels = {kernel};
  plan.index_type = scope.index();
  plan.threads = 256;
  if (!spec.matrices.empty()) plan.reasons.push_back({"a sum of products", spec.matrices});
  if (scope.group().nodes.size() > 1) {
    plan.reasons.push_back(
        {"what follows happens in registers", "the sum is finished there, so that " +
                                                  OperatorsInWords(scope.graph(), scope.group()) +
                                                  " cost no further pass over memory"});
  }
  return plan;
}

std::string Intro(const GroupScope& scope) {
  return "Computes " + OperatorsInWords(scope.graph(), scope.group());
}

// Adds one product to `acc`; `a` is the first factor's value.
std::string ProductText(const ContractionSpec& spec, const std::string& a) {
  const std::string product = "acc += " + a + " * " + spec.b.value + ";\n";
  // What both say of the axes they have in common is said once.
  std::string statements = spec.b.statements;
  for (std::size_t begin = 0; begin < spec.a.statements.size();) {
    const std::size_t end = spec.a.statements.find('\n', begin) + 1;
    const std::string line = spec.a.statements.substr(begin, end - begin);
    if (spec.b.statements.find(line) == std::string::npos) statements = line + statements;
    begin = end;
  }
  // Where the first factor is not there the second is not either.
  if (spec.b.condition.empty()) return statements + product;
  return statements + Fill("if (@condition@) {\n  @product@\n}\n",
                           {{"condition", spec.b.condition}, {"product", product}});
}

// One thread an element: the loops of the definition.
GroupCode WriteNaive(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  const std::string M = scope->AddSize("M", spec.m.Count()), N = scope->AddSize("N", spec.n.Count());
  const std::string name = scope->function() + "_kernel";
  std::string loops = ProductText(spec, spec.a.value);
  for (std::size_t i = spec.k.axes.size(); i-- > 0;) {
    const auto& [axis, size] = spec.k.axes[i];
    loops = Fill("for (@index@ @axis@ = 0; @axis@ < @size@; ++@axis@) {\n  @loops@\n}\n",
                 {{"index", scope->index()}, {"axis", axis}, {"size", size}, {"loops", loops}});
  }
  const std::string end = EndText(scope, spec);
  const std::string all = loops + end;
  const std::string decoded = AxisLines(*scope, spec, all);
  const auto line = [&](const char* index, const std::string& value) {
    return IndexLine(*scope, decoded + all, index, value);
  };
  const bool groups = !spec.group.axes.empty();
  const std::string count =
      spec.exists.empty()
          ? scope->AddHostValue(scope->index(), "count",
                                scope->TensorName(scope->group().outputs[0]) + ".numel()")
          : scope->AddSize("count", GroupScope::Product({spec.group.Count(), M, N}));
  const std::string body = Fill(
      R"(
const @index@ i = static_cast<@index@>(blockIdx.x) * blockDim.x + threadIdx.x;
if (i >= @count@) return;
@indices@
@decoded@
@type@ acc = 0;
@loops@
@end@
)",
      {{"index", scope->index()},
       {"count", count},
       {"type", spec.type},
       {"indices",
        (groups ? line("group", "i / (" + GroupScope::Product({M, N}) + ")") : "") +
            line("n", "i % " + N) +
            line("m", "i / " + GroupScope::Factor(N) + (groups ? " % " + GroupScope::Factor(M) : ""))},
       {"decoded", decoded},
       {"loops", loops},
       {"end", end}});
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  Intro(*scope) + ": one thread an element, which reads all that it needs.", body);
  GroupCode code;
  code.device = kernel.text;
  code.launch = "const int threads = 256;\nconst int blocks = (" + count +
                " + threads - 1) / threads;\n" +
                WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOf(*scope, spec, name);
  code.plan.grid = "(count + 255) / 256";
  code.plan.mapping =
      "thread i computes one element of the result with the loops of the definition; "
      "neighbouring threads share what they read through the caches only";
  return code;
}

// Which block has which tile: a grid has room for many blocks along x and for 65,535 along y, and x
// goes to what can be long, the rows of a matrix or the positions of an image.
TileNames NamesOf(GroupScope* scope, const ContractionSpec& spec) {
  const bool rows_first = scope->head().op->family == OperatorFamily::kMatmul;
  return {.M = scope->AddSize("M", spec.m.Count()),
          .N = scope->AddSize("N", spec.n.Count()),
          .k_begin = "0",
          .k_end = scope->AddSize("K", spec.k.Count()),
          .m_axis = rows_first ? "x" : "y",
          .n_axis = rows_first ? "y" : "x"};
}

std::string GridOf(const TileNames& names, const Tile& tile, const std::string& z) {
  return GridOf(names, tile) + ", " + z;
}

void AddTileReasons(const Tile& tile, KernelPlan* plan) {
  const std::string rows = std::to_string(tile.rows), cols = std::to_string(tile.cols);
  plan->threads = tile.threads();
  plan->shared_bytes = 4 * tile.shared_floats();
  plan->reasons.push_back({"tiles in shared memory", "each element of a factor is read from memory "
                                                     "once for " +
                                                         (tile.rows == tile.cols
                                                              ? rows
                                                              : rows + " or " + cols) +
                                                         " uses instead of once for each"});
  plan->reasons.push_back({"four more columns in a tile",
                           "threads that write down a column of shared memory then fall into "
                           "different banks, and four neighbours can still be read at once"});
  const int reads = tile.thread_rows + tile.thread_cols;
  plan->reasons.push_back(
      {std::to_string(tile.thread_rows) + " x " + std::to_string(tile.thread_cols) +
           " elements a thread",
       std::to_string(reads) + " reads of shared memory serve " +
           std::to_string(tile.results_of_thread()) + " multiply-adds"});
  plan->reasons.push_back({"reads one step ahead",
                           "what the next step needs is under way from memory while this one "
                           "is multiplied"});
}

GroupCode WriteRegisterTile(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  const Tile tile = TileFor(spec, true);
  const TileNames names = NamesOf(scope, spec);
  const std::string groups = scope->AddSize("groups", spec.group.Count());
  const std::string name = scope->function() + "_kernel";
  std::string body = TileBody(*scope, spec, tile, names, EndText(scope, spec));
  body = IndexLine(*scope, body, "group", "blockIdx.z") + body;
  const std::string rows = std::to_string(tile.rows), cols = std::to_string(tile.cols);
  const WrittenKernel kernel = WriteKernel(
      *scope, name,
      Intro(*scope) + ": a block computes a " + rows + " x " + cols +
          " tile of the result, each thread " + std::to_string(tile.results_of_thread()) +
          " elements in registers.",
      body, {}, Bounds(tile));
  GroupCode code;
  code.device = kernel.text;
  code.launch = "const int threads = " + std::to_string(tile.threads()) + ";\nconst dim3 blocks(" +
                GridOf(names, tile, groups) + ");\n" +
                WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOf(*scope, spec, name);
  code.plan.grid = "(" + GridOf({.M = "M", .N = "N", .k_begin = "", .k_end = "", .m_axis = names.m_axis, .n_axis = names.n_axis},
                               tile, "groups") + ")";
  code.plan.mapping = "a block computes a " + rows + " x " + cols + " tile of the result in steps of " +
                      std::to_string(tile.depth) + " along k; a thread computes " +
                      std::to_string(tile.results_of_thread()) + " elements of it";
  AddTileReasons(tile, &code.plan);
  return code;
}

constexpr int kSquare = 16;  // Of a tile with one thread an element.

// Fills a tile of one factor for WriteSquareTile().
std::string LoadSquare(const GroupScope& scope, const ContractionSpec& spec, bool is_a,
                       const std::string& limit, const std::string& k_end) {
  const Factor& factor = is_a ? spec.a : spec.b;
  const std::string other = is_a ? "m" : "n";
  const std::string code = factor.Code();
  return Fill(R"(
// Neighbouring threads read along @why@, where memory is contiguous.
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
  const TileNames names = NamesOf(scope, spec);
  const std::string groups = scope->AddSize("groups", spec.group.Count());
  const std::string name = scope->function() + "_kernel";
  const std::string end = EndText(scope, spec);
  const std::string a = LoadSquare(*scope, spec, true, names.M, names.k_end),
                    b = LoadSquare(*scope, spec, false, names.N, names.k_end);
  std::string body = Fill(R"(
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
                           {"decoded", spec.m.Decoded(*scope, "m", end) +
                                           spec.n.Decoded(*scope, "n", end)},
                           {"end", end}});
  body = IndexLine(*scope, body, "group", "blockIdx.z") + body;
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  Intro(*scope) + ": a block computes a 16 x 16 tile of the result and reads both "
                                  "factors through shared memory.",
                  body);
  constexpr Tile kTile = {kSquare, kSquare, kSquare, 1, 1};
  GroupCode code;
  code.device = kernel.text;
  code.launch = "const int threads = 256;\nconst dim3 blocks(" + GridOf(names, kTile, groups) +
                ");\n" + WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOf(*scope, spec, name);
  code.plan.grid = names.m_axis == "x" ? "((M + 15) / 16, (N + 15) / 16, groups)"
                                       : "((N + 15) / 16, (M + 15) / 16, groups)";
  code.plan.shared_bytes = 4 * 2 * kSquare * (kSquare + 1);
  code.plan.mapping =
      "a block computes a 16 x 16 tile of the result in steps of 16 along k; a thread computes one "
      "element of it";
  code.plan.reasons.push_back({"tiles in shared memory",
                               "each element of a factor is read from memory once for 16 uses "
                               "instead of once for each"});
  code.plan.reasons.push_back({"one more column in a tile",
                               "threads that write down a column of shared memory then fall into "
                               "different banks"});
  return code;
}

// The sum of few results is split between blocks where it is long.
constexpr std::int64_t kPart = 256;           // The least that a block is given of it.
constexpr std::int64_t kTilesToSplit = 64;    // More of them keep a device busy.
constexpr std::int64_t kBlocksOfSplit = 512;  // What the parts are chosen for.

bool IsDeep(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<ContractionSpec> spec = SpecOfContraction(graph, group);
  return spec && spec->k.count >= 2 * kPart && TilesOf(*spec, TileFor(*spec, false)) <= kTilesToSplit;
}

GroupCode WriteSplit(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  const Tile tile = TileFor(spec, false);
  TileNames names = NamesOf(scope, spec);
  const std::string K = names.k_end;
  const std::string groups = scope->AddSize("groups", spec.group.Count());
  const std::string name = scope->function() + "_part_kernel",
                    last = scope->function() + "_sum_kernel";
  names.k_begin = "k_begin";
  names.k_end = "k_end";
  const bool grouped = groups != "1";
  // Parts of one split lie together, in the order in which the second kernel goes through them.
  const std::string place = grouped ? "((split * " + GroupScope::Factor(groups) + " + group) * " +
                                          GroupScope::Factor(names.M) + " + m) * "
                                    : "(split * " + GroupScope::Factor(names.M) + " + m) * ";
  std::string body = TileBody(*scope, spec, tile, names,
                              "parts[" + place + GroupScope::Factor(names.N) + " + n] = acc;\n");
  body = (grouped ? "const int split = blockIdx.z % splits, group = blockIdx.z / splits;\n"
                  : "const int split = blockIdx.z;\n") +
         Fill(R"(
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
  const WrittenKernel first = WriteKernel(
      *scope, name, Intro(*scope) + ", first half: every block sums over a part of k only.", body,
      extra, Bounds(tile));
  // The sums of the parts, in their order, so that every run gives the same bits.
  const std::string finish = EndText(scope, spec);
  const std::string decoded = AxisLines(*scope, spec, finish);
  const std::string results = GroupScope::Product({groups, names.M, names.N});
  const std::string used = decoded + finish;
  const auto line = [&](const char* index, const std::string& value) {
    return IndexLine(*scope, used, index, value);
  };
  const std::string end_body = Fill(R"(
const @index@ i = static_cast<@index@>(blockIdx.x) * blockDim.x + threadIdx.x;
if (i >= @results@) return;
@type@ acc = 0;
for (int split = 0; split < splits; ++split) acc += parts[split * (@results@) + i];
@indices@
@decoded@
@finish@
)",
                                    {{"index", scope->index()},
                                     {"type", type},
                                     {"results", results},
                                     {"indices",
                                      line("n", "i % " + GroupScope::Factor(names.N)) +
                                          line("m", "i / " + GroupScope::Factor(names.N) +
                                                        (grouped ? " % " + GroupScope::Factor(names.M)
                                                                 : "")) +
                                          line("group", "i / (" + GroupScope::Product(
                                                                      {names.M, names.N}) +
                                                            ")")},
                                     {"decoded", decoded},
                                     {"finish", finish}});
  const WrittenKernel second = WriteKernel(
      *scope, last,
      Intro(*scope) + ", second half: adds the parts of every element, always in the same order.",
      end_body,
      {{"const " + type + "* __restrict__", "parts", "parts.data_ptr<" + type + ">()"},
       {"int", "splits", "splits"}});
  GroupCode code;
  code.device = first.text + "\n" + second.text;
  const DType dtype = scope->TypeOf(scope->head().first_result).dtype;
  const DType sum_dtype = IsHalfPrecision(dtype) ? DType::kFloat32 : dtype;
  code.launch = Fill(R"(
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
                      {"row_tiles", PartsOf(names.M, tile.rows)},
                      {"col_tiles", PartsOf(names.N, tile.cols)},
                      {"times_groups", grouped ? " * " + GroupScope::Factor(groups) : ""},
                      {"results", results},
                      {"out", scope->TensorName(scope->group().outputs[0])},
                      {"dtype", sum_dtype == dtype ? ""
                                                   : ".dtype(" + scope->Scalar(sum_dtype).dtype + ")"},
                      {"grid", GridOf(names, tile,
                                      grouped ? GroupScope::Factor(groups) + " * splits" : "splits")}});
  code.launch += WriteLaunch(*scope, name, first, "blocks", std::to_string(tile.threads())) +
                 "const int threads = 256;\n" +
                 WriteLaunch(*scope, last, second,
                             '(' + results + " + threads - 1) / threads", "threads");
  code.plan = PlanOf(*scope, spec, name);
  code.plan.kernels = {name, last};
  code.plan.grid = "one block a tile of " + std::to_string(tile.rows) + " x " +
                   std::to_string(tile.cols) + " and a part of k, then (M * N * groups + 255) / 256";
  code.plan.mapping = "a block sums a part of k for a " + std::to_string(tile.rows) + " x " +
                      std::to_string(tile.cols) +
                      " tile of the result; a second kernel adds the parts, one thread an element";
  AddTileReasons(tile, &code.plan);
  code.plan.reasons.push_back({"the sum is split",
                               "the result alone has too few tiles to fill a device; parts of "
                               "the sum give it more blocks"});
  code.plan.reasons.push_back({"parts in memory instead of atomics",
                               "floating-point addition in a fixed order "
                               "gives the same bits in every run"});
  return code;
}

// Where a result is narrow most of a tile lies outside of it: a filter a channel, a vector.
constexpr std::int64_t kNarrow = 4;

bool HasTiles(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<ContractionSpec> spec = SpecOfContraction(graph, group);
  return spec && spec->m.count >= kNarrow && spec->n.count >= kNarrow;
}

bool IsNarrow(const OperatorGraph& graph, const FusionGroup& group) {
  return HasContractionSpec(graph, group) && !HasTiles(graph, group);
}

// Long sums for a narrow result: neighbouring threads read along them.
constexpr std::int64_t kLong = 64;

bool HasLongSums(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<ContractionSpec> spec = SpecOfContraction(graph, group);
  if (!spec || spec->k.count < kLong) return false;
  const bool narrow_m = spec->m.count < kNarrow, narrow_n = spec->n.count < kNarrow;
  return (narrow_n && spec->a.along_k) || (narrow_m && spec->b.along_k);
}

GroupCode WriteWarpAResult(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  const TileNames names = NamesOf(scope, spec);
  const std::string groups = scope->AddSize("groups", spec.group.Count());
  const std::string results =
      scope->AddSize("results", GroupScope::Product({groups, names.M, names.N}));
  const std::string name = scope->function() + "_kernel";
  const std::string value = spec.a.value_by_k.empty() ? spec.a.value : spec.a.value_by_k;
  const std::string product = ProductText(spec, value), end = EndText(scope, spec);
  const std::string all = product + end;
  const std::string decoded = AxisLines(*scope, spec, all);
  const auto line = [&](const char* index, const std::string& value) {
    return IndexLine(*scope, decoded + all, index, value);
  };
  const bool grouped = groups != "1", columns = names.N != "1";
  const std::string row = columns ? "i / " + GroupScope::Factor(names.N) : "i";
  const std::string body = Fill(
      R"(
const int lane = threadIdx.x % warpSize;
const @index@ warps = static_cast<@index@>(gridDim.x) * (blockDim.x / warpSize);
@index@ i = static_cast<@index@>(blockIdx.x) * (blockDim.x / warpSize) + threadIdx.x / warpSize;
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
       {"results", results},
       {"indices",
        line("group", "i / " + GroupScope::Factor(GroupScope::Product({names.M, names.N}))) +
            line("m", grouped && names.M != "1" ? row + " % " + GroupScope::Factor(names.M) : row) +
            line("n", "i % " + GroupScope::Factor(names.N))},
       {"decoded", decoded},
       {"type", spec.type},
       {"K", names.k_end},
       {"k_axes", spec.k.Decoded(*scope, "k", product)},
       {"product", product},
       {"end", end}});
  const WrittenKernel kernel = WriteKernel(
      *scope, name,
      Intro(*scope) + ": a warp a result, whose lanes read neighbouring elements of its sum.", body);
  GroupCode code;
  code.device = kernel.text;
  code.launch =
      "const int threads = 128;\n// Four warps of 32 threads; wider ones take several results "
      "each.\nconst int blocks = (" +
      results + " + 3) / 4;\n" + WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOf(*scope, spec, name);
  code.plan.threads = 128;
  code.plan.grid = "(M * N * groups + 3) / 4";
  code.plan.mapping =
      "a warp computes one element of the result: its lanes take every warpSize-th product and add "
      "what they hold by shuffles";
  code.plan.reasons.push_back({"a warp a result",
                               "the result is narrow and the sums are long: tiles would lie mostly "
                               "outside of it, and a thread a result would read memory with strides"});
  return code;
}

}  // namespace

void AddContractionStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"warp_a_result", "the lanes of a warp share a sum", HasLongSums, WriteWarpAResult});
  strategies->push_back({"split_k", "the sum split between blocks", IsDeep, WriteSplit});
  strategies->push_back(
      {"register_tile", "a patch of elements a thread", HasTiles, WriteRegisterTile});
  strategies->push_back({"thread_a_result", "where tiles would lie outside", IsNarrow, WriteNaive});
  strategies->push_back({"shared_tile", "16 x 16 tiles", HasContractionSpec, WriteSquareTile});
  strategies->push_back({"loops_of_the_definition", "naive", HasTiles, WriteNaive});
}

}  // namespace kernelmill
