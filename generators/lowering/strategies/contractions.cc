// Matrix products and convolutions: naive, tiles in shared memory, tiles in registers, and the sum
// split between blocks.
#include "generators/lowering/contraction_spec.h"
#include "generators/lowering/element_writer.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

std::string EndText(GroupScope* scope, const ContractionSpec& spec) {
  const std::string type = scope->Scalar(scope->head().first_result).compute;
  std::string text = "const " + type + " result = " + spec.result + ";\n";
  text += "const " + scope->index() + " at = " + spec.position + ";\n";
  text += StoreOutputs(scope, "at", "result");
  return spec.group.Decoded(*scope, "group", text) + spec.m.Decoded(*scope, "m", text) +
         spec.n.Decoded(*scope, "n", text) + text;
}

Holes CommonHoles(GroupScope* scope, const ContractionSpec& spec) {
  // A grid has room for many blocks along x and for 65,535 along y: x goes to what can be long, the
  // rows of a matrix or the positions of an image.
  const bool rows_first = scope->head().op->family == OperatorFamily::kMatmul;
  const auto size = [&](std::string_view word, const IndexAxes& axes) {
    return scope->AddSize(word, axes.Count());
  };
  return {{"m_axis", rows_first ? "x" : "y"}, {"n_axis", rows_first ? "y" : "x"},
          {"index", scope->index()},          {"type", spec.type},
          {"M", size("M", spec.m)},           {"N", size("N", spec.n)},
          {"K", size("K", spec.k)},           {"groups", size("groups", spec.group)}};
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

// One thread an element: the loops of the definition.
GroupCode WriteNaive(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  Holes holes = CommonHoles(scope, spec);
  const std::string name = scope->function() + "_kernel";
  std::string inner = spec.b.statements;
  const std::string product =
      "acc += " +
      (spec.a.value.find(" * ") == std::string::npos ? spec.a.value : "(" + spec.a.value + ")") +
      " * " + spec.b.value + ";\n";
  inner += spec.b.condition.empty() ? product : "if (" + spec.b.condition + ") " + product;
  std::string loops = inner;
  for (std::size_t i = spec.k.axes.size(); i-- > 0;) {
    const auto& [axis, size] = spec.k.axes[i];
    loops = Fill("for (@index@ @axis@ = 0; @axis@ < @size@; ++@axis@) {\n  @loops@\n}\n",
                 {{"index", scope->index()}, {"axis", axis}, {"size", size}, {"loops", loops}});
  }
  const std::string end = EndText(scope, spec);
  const std::string all = loops + end;
  // Declared once for both.
  std::string decoded = spec.group.Decoded(*scope, "group", all) +
                        spec.m.Decoded(*scope, "m", all) + spec.n.Decoded(*scope, "n", all);
  std::string rest = end;
  const std::string twice = spec.group.Decoded(*scope, "group", end) +
                            spec.m.Decoded(*scope, "m", end) + spec.n.Decoded(*scope, "n", end);
  if (rest.starts_with(twice)) rest.erase(0, twice.size());
  holes["decoded"] = decoded;
  holes["loops"] = loops;
  holes["end"] = rest;
  const bool groups = !spec.group.axes.empty();
  holes["group"] = groups && UsesName(decoded + all, "group")
                       ? "const " + scope->index() + " group = i / (" +
                             GroupScope::Product({holes["M"], holes["N"]}) + ");\n"
                       : "";
  holes["n"] = UsesName(decoded + all, "n")
                   ? "const " + scope->index() + " n = i % " + holes["N"] + ";\n"
                   : "";
  holes["m"] = UsesName(decoded + all, "m")
                   ? "const " + scope->index() + " m = i / " + GroupScope::Factor(holes["N"]) +
                         (groups ? " % " + GroupScope::Factor(holes["M"]) : "") + ";\n"
                   : "";
  const std::string body = Fill(R"(
const @index@ i = static_cast<@index@>(blockIdx.x) * blockDim.x + threadIdx.x;
if (i >= count) return;
@group@
@m@
@n@
@decoded@
@type@ acc = 0;
@loops@
@end@
)",
                                holes);
  const std::string count = scope->AddHostValue(
      scope->index(), "count", scope->TensorName(scope->group().outputs[0]) + ".numel()");
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

struct Tile {
  int rows, cols, depth;         // Of the result, and of k.
  int thread_rows, thread_cols;  // Of one thread.
  int threads() const { return rows / thread_rows * (cols / thread_cols); }
};

constexpr Tile kSharedTile = {16, 16, 16, 1, 1};
constexpr Tile kRegisterTile = {64, 64, 16, 4, 4};

// Fills a tile of one factor.
std::string LoadTile(const GroupScope& scope, const ContractionSpec& spec, const Tile& tile,
                     bool is_a) {
  const Factor& factor = is_a ? spec.a : spec.b;
  const IndexAxes& own = is_a ? spec.m : spec.n;
  const std::string other = is_a ? "m" : "n";
  const int extent = is_a ? tile.rows : tile.cols;
  const std::string code = factor.Code();
  Holes holes = {{"index", scope.index()},
                 {"total", std::to_string(extent * tile.depth)},
                 {"threads", std::to_string(tile.threads())},
                 {"extent", std::to_string(extent)},
                 {"depth", std::to_string(tile.depth)},
                 {"other", other},
                 {"type", spec.type},
                 {"limit", is_a ? "@M@" : "@N@"},
                 {"tile", is_a ? "a_tile" : "b_tile"},
                 {"why", factor.along_k ? "k" : other}};
  holes["axes"] = own.Decoded(scope, other, code) + spec.k.Decoded(scope, "k", code);
  holes["inner"] = factor.along_k ? "i % @depth@" : "i / @extent@";
  holes["outer"] = factor.along_k ? "i / @depth@" : "i % @extent@";
  for (const char* key : {"inner", "outer"}) {
    std::string& text = holes[key];
    const std::size_t begin = text.find('@');
    text = text.substr(0, begin) + (factor.along_k ? holes["depth"] : holes["extent"]);
  }
  holes["read"] = factor.condition.empty()
                      ? "value = " + factor.value + ";\n"
                      : "if (" + factor.condition + ") value = " + factor.value + ";\n";
  holes["statements"] = factor.statements;
  return Fill(R"(
// Neighbouring threads read along @why@, where memory is contiguous.
for (int i = threadIdx.x; i < @total@; i += @threads@) {
  const @index@ k = k0 + @inner@, @other@ = @other@0 + @outer@;
  @type@ value = 0;
  if (@other@ < @limit@ && k < k_end) {
    @axes@
    @statements@
    @read@
  }
  @tile@[@inner@][@outer@] = value;
}
)",
              holes);
}

std::string Replaced(std::string text, const Holes& holes) {
  for (const auto& [key, value] : holes) {
    const std::string hole = '@' + key + '@';
    for (std::size_t at = text.find(hole); at != text.npos; at = text.find(hole, at)) {
      text.replace(at, hole.size(), value);
    }
  }
  return text;
}

// The body up to where `acc` holds the sums; `splits` divide k between blocks.
std::string TileBody(GroupScope* scope, const ContractionSpec& spec, const Tile& tile, Holes holes,
                     const std::string& store) {
  holes["rows"] = std::to_string(tile.rows);
  holes["cols"] = std::to_string(tile.cols);
  holes["depth"] = std::to_string(tile.depth);
  holes["a_load"] = Replaced(LoadTile(*scope, spec, tile, true), {{"M", holes["M"]}});
  holes["b_load"] = Replaced(LoadTile(*scope, spec, tile, false), {{"N", holes["N"]}});
  holes["across"] = std::to_string(tile.cols / tile.thread_cols);
  holes["tr"] = std::to_string(tile.thread_rows);
  holes["tc"] = std::to_string(tile.thread_cols);
  holes["store"] = store;
  const std::string loads = holes["a_load"] + holes["b_load"] + store;
  holes["decoded"] = spec.group.Decoded(*scope, "group", loads);
  const bool single = tile.thread_rows == 1;
  return Fill(single ? R"(
__shared__ @type@ a_tile[@depth@][@rows@ + 1];
__shared__ @type@ b_tile[@depth@][@cols@ + 1];
@group@
@decoded@
const @index@ m0 = blockIdx.@m_axis@ * @rows@, n0 = blockIdx.@n_axis@ * @cols@;
const int ty = threadIdx.x / @across@, tx = threadIdx.x % @across@;
@type@ acc = 0;
for (@index@ k0 = k_begin; k0 < k_end; k0 += @depth@) {
  @a_load@
  @b_load@
  __syncthreads();
#pragma unroll
  for (int k = 0; k < @depth@; ++k) acc += a_tile[k][ty] * b_tile[k][tx];
  __syncthreads();
}
const @index@ m = m0 + ty, n = n0 + tx;
if (m < @M@ && n < @N@) {
  @store@
}
)"
                     : R"(
__shared__ @type@ a_tile[@depth@][@rows@ + 1];
__shared__ @type@ b_tile[@depth@][@cols@ + 1];
@group@
@decoded@
const @index@ m0 = blockIdx.@m_axis@ * @rows@, n0 = blockIdx.@n_axis@ * @cols@;
const int ty = threadIdx.x / @across@, tx = threadIdx.x % @across@;
@type@ sums[@tr@][@tc@] = {};
for (@index@ k0 = k_begin; k0 < k_end; k0 += @depth@) {
  @a_load@
  @b_load@
  __syncthreads();
  for (int k = 0; k < @depth@; ++k) {
    @type@ a[@tr@], b[@tc@];
#pragma unroll
    for (int r = 0; r < @tr@; ++r) a[r] = a_tile[k][ty + r * @across@];
#pragma unroll
    for (int c = 0; c < @tc@; ++c) b[c] = b_tile[k][tx + c * @across@];
#pragma unroll
    for (int r = 0; r < @tr@; ++r) {
#pragma unroll
      for (int c = 0; c < @tc@; ++c) sums[r][c] += a[r] * b[c];
    }
  }
  __syncthreads();
}
#pragma unroll
for (int r = 0; r < @tr@; ++r) {
#pragma unroll
  for (int column = 0; column < @tc@; ++column) {
    const @index@ m = m0 + ty + r * @across@, n = n0 + tx + column * @across@;
    if (m >= @M@ || n >= @N@) continue;
    const @type@ acc = sums[r][column];
    @store@
  }
}
)",
              holes);
}

std::string GroupLine(const GroupScope& scope, const ContractionSpec& spec, const std::string& code,
                      const std::string& value) {
  (void)spec;
  return UsesName(code, "group") ? "const " + scope.index() + " group = " + value + ";\n" : "";
}

template <const Tile& kTile>
GroupCode WriteTiled(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  Holes holes = CommonHoles(scope, spec);
  const std::string name = scope->function() + "_kernel";
  const std::string end = EndText(scope, spec);
  holes["group"] = "";
  std::string body = TileBody(scope, spec, kTile, holes, end);
  holes["group"] = GroupLine(*scope, spec, body, "blockIdx.z");
  body = TileBody(scope, spec, kTile, holes, end);
  // The whole of k.
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>("k_begin", "0"), {"k_end", holes["K"]}}) {
    for (std::size_t at = body.find(from); at != body.npos; at = body.find(from, at)) {
      body.replace(at, from.size(), to);
    }
  }
  const std::string rows = std::to_string(kTile.rows), cols = std::to_string(kTile.cols);
  const std::string of_thread = std::to_string(kTile.thread_rows * kTile.thread_cols);
  const std::string comment =
      kTile.thread_rows == 1
          ? Intro(*scope) + ": a block computes a " + rows + " x " + cols +
                " tile of the result and reads both factors through shared memory."
          : Intro(*scope) + ": a block computes a " + rows + " x " + cols +
                " tile of the result, each thread " + of_thread + " elements in registers.";
  const WrittenKernel kernel = WriteKernel(*scope, name, comment, body);
  const auto blocks_of = [](const std::string& size, int extent) {
    return "(" + GroupScope::Factor(size) + " + " + std::to_string(extent - 1) + ") / " +
           std::to_string(extent);
  };
  const std::string row_blocks = blocks_of(holes["M"], kTile.rows),
                    col_blocks = blocks_of(holes["N"], kTile.cols);
  GroupCode code;
  code.device = kernel.text;
  code.launch = Fill(R"(
const int threads = @threads@;
const dim3 blocks(@first@, @second@, @groups@);
)",
                     {{"threads", std::to_string(kTile.threads())},
                      {"M", holes["M"]},
                      {"N", holes["N"]},
                      {"groups", holes["groups"]},
                      {"first", holes["m_axis"] == "x" ? row_blocks : col_blocks},
                      {"second", holes["m_axis"] == "x" ? col_blocks : row_blocks},
                      {"rows", rows},
                      {"cols", cols},
                      {"rows1", std::to_string(kTile.rows - 1)},
                      {"cols1", std::to_string(kTile.cols - 1)}}) +
                WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.prepare = "";
  code.plan = PlanOf(*scope, spec, name);
  code.plan.threads = kTile.threads();
  code.plan.grid =
      "((N + " + cols + " - 1) / " + cols + ", (M + " + rows + " - 1) / " + rows + ", groups)";
  code.plan.shared_bytes = 4 * kTile.depth * (kTile.rows + kTile.cols + 2);
  code.plan.mapping = "block (x, y) computes rows " + rows + "y … and columns " + cols +
                      "x … of the result, in steps of " + std::to_string(kTile.depth) +
                      " along k; a thread computes " + of_thread +
                      (kTile.thread_rows == 1 ? " element" : " elements");
  code.plan.reasons.push_back(
      {"tiles in shared memory", "each element of a factor is read from memory once for " +
                                     (kTile.rows == kTile.cols ? rows : rows + " or " + cols) +
                                     " uses instead of once for each"});
  code.plan.reasons.push_back({"one more column in a tile",
                               "threads that write down a column of shared memory "
                               "then fall into different banks"});
  if (kTile.thread_rows > 1) {
    code.plan.reasons.push_back({"4 x 4 elements a thread",
                                 "eight reads of shared memory serve sixteen "
                                 "multiply-adds"});
  }
  return code;
}

// Where the result is small and the sum is long, blocks share the sum.
bool IsDeep(const OperatorGraph& graph, const FusionGroup& group) {
  if (!HasContractionSpec(graph, group)) return false;
  const Node& head = graph.nodes()[group.head];
  const std::int64_t count = graph.value(head.first_result).type.shape.Elements();
  const std::int64_t flops = graph.Cost(head).flops;
  return count > 0 && flops / (2 * count) >= 256 && count <= 1 << 18;
}

GroupCode WriteSplit(GroupScope* scope) {
  const ContractionSpec spec = *ContractionSpecOf(scope);
  Holes holes = CommonHoles(scope, spec);
  const std::string name = scope->function() + "_part_kernel",
                    last = scope->function() + "_sum_kernel";
  std::string part = "const " + scope->index() + " at = " + spec.position +
                     ";\nparts[split * count + at] = acc;\n";
  part = spec.group.Decoded(*scope, "group", part) + spec.m.Decoded(*scope, "m", part) +
         spec.n.Decoded(*scope, "n", part) + part;
  holes["group"] = "";
  std::string body = TileBody(scope, spec, kSharedTile, holes, part);
  const std::string group = GroupLine(*scope, spec, body, "blockIdx.z / splits");
  holes["group"] = "const int split = blockIdx.z" + std::string(group.empty() ? "" : " % splits") +
                   ";\n" + group + "// This block's part of k, in whole tiles.\nconst " +
                   scope->index() + " k_begin = split * chunk;\nconst " + scope->index() +
                   " k_end = k_begin + chunk < " + holes["K"] +
                   " ? k_begin + chunk : " + holes["K"] + ";\n";
  body = TileBody(scope, spec, kSharedTile, holes, part);
  const std::string type = spec.type;
  scope->AddHostValue(scope->index(), "count",
                      scope->TensorName(scope->group().outputs[0]) + ".numel()");
  const std::vector<LaunchParameter> extra = {
      {type + "* __restrict__", "parts", "parts.data_ptr<" + type + ">()"},
      {"int", "splits", "splits"},
      {scope->index(), "chunk", "chunk"}};
  const WrittenKernel first = WriteKernel(
      *scope, name, Intro(*scope) + ", first half: every block sums over a part of k only.", body,
      extra);
  // The sums of the parts, in their order, so that every run gives the same bits.
  const std::string finish = EndText(scope, spec);
  std::string end_body = Fill(R"(
const @index@ i = static_cast<@index@>(blockIdx.x) * blockDim.x + threadIdx.x;
if (i >= count) return;
@type@ acc = 0;
for (int split = 0; split < splits; ++split) acc += parts[split * count + i];
)",
                              holes);
  // Positions are those of the result; m, n and group follow from it where a bias needs them.
  std::string store = "const " + scope->Scalar(scope->head().first_result).compute +
                      " result = " + spec.result + ";\n" + StoreOutputs(scope, "i", "result");
  std::string indices;
  if (UsesName(store, "n")) indices += "const " + scope->index() + " n = i % " + holes["N"] + ";\n";
  if (UsesName(store, "m"))
    indices += "const " + scope->index() + " m = i / " + GroupScope::Factor(holes["N"]) + " % " +
               GroupScope::Factor(holes["M"]) + ";\n";
  end_body += indices + store;
  const std::vector<LaunchParameter> parts = {
      {"const " + type + "* __restrict__", "parts", "parts.data_ptr<" + type + ">()"},
      {"int", "splits", "splits"}};
  const WrittenKernel second = WriteKernel(
      *scope, last,
      Intro(*scope) + ", second half: adds the parts of every element, always in the same order.",
      end_body, parts);
  GroupCode code;
  code.device = first.text + "\n" + second.text;
  const DType dtype = scope->TypeOf(scope->head().first_result).dtype;
  const DType sum_dtype =
      dtype == DType::kFloat16 || dtype == DType::kBFloat16 ? DType::kFloat32 : dtype;
  code.launch = Fill(R"(
// Parts of at least 64 and at most 32 of them, a multiple of the tile's depth each.
const int splits_wanted = std::min<int64_t>(32, (@K@ + 63) / 64);
const @index@ chunk = ((@K@ + splits_wanted - 1) / std::max(splits_wanted, 1) + 15) / 16 * 16;
const int splits = chunk == 0 ? 1 : (@K@ + chunk - 1) / chunk;
auto parts = torch::empty({static_cast<int64_t>(splits) * count}, out_options);
const dim3 blocks((@M@ + 15) / 16, (@N@ + 15) / 16, @groups@ * splits);
)",
                     holes);
  const std::string out_name = scope->TensorName(scope->group().outputs[0]);
  const std::string options = out_name + ".options().dtype(" + scope->Scalar(sum_dtype).dtype + ")";
  code.launch.replace(code.launch.find("out_options"), 11, options);
  code.launch += WriteLaunch(*scope, name, first, "blocks", "256") + "const int threads = 256;\n" +
                 WriteLaunch(*scope, last, second, "(count + threads - 1) / threads", "threads");
  code.plan = PlanOf(*scope, spec, name);
  code.plan.kernels = {name, last};
  code.plan.grid = "((N + 15) / 16, (M + 15) / 16, groups * splits), then (count + 255) / 256";
  code.plan.shared_bytes = 4 * 16 * 34;
  code.plan.mapping =
      "block (x, y, z) sums a part of k for a 16 x 16 tile of the result; a second kernel adds "
      "the parts, one thread an element";
  code.plan.reasons.push_back({"the sum is split",
                               "the result alone has too few tiles to fill a device; parts of "
                               "the sum give it more blocks"});
  code.plan.reasons.push_back({"parts in memory instead of atomics",
                               "floating-point addition in a fixed order "
                               "gives the same bits in every run"});
  return code;
}

// The second half of a split sum works on positions of the result as rows of n.
bool SplitsWell(const OperatorGraph& graph, const FusionGroup& group) {
  return IsDeep(graph, group) && graph.nodes()[group.head].op->family == OperatorFamily::kMatmul &&
         graph.nodes()[group.head].op->name != "einsum" &&
         graph.nodes()[group.head].op->name != "bilinear" &&
         graph.nodes()[group.head].op->name != "addmm" &&
         graph.nodes()[group.head].op->name != "baddbmm" &&
         graph.nodes()[group.head].op->name != "addbmm" &&
         graph.nodes()[group.head].op->name != "addmv";
}

}  // namespace

void AddContractionStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"register_tile", "4 x 4 elements a thread", HasContractionSpec, WriteTiled<kRegisterTile>});
  strategies->push_back({"split_k", "the sum split between blocks", SplitsWell, WriteSplit});
  strategies->push_back(
      {"shared_tile", "16 x 16 tiles", HasContractionSpec, WriteTiled<kSharedTile>});
  strategies->push_back({"loops_of_the_definition", "naive", HasContractionSpec, WriteNaive});
}

}  // namespace kernelmill
