#include "generators/lowering/contractions/contraction_tile.h"

#include <algorithm>

namespace kernelmill {
namespace {

// Large tiles read each factor less often. Small tiles fit narrow results and give more blocks.
constexpr Tile kTiles[] = {
    {128, 128, 8, 8, 8}, {128, 64, 8, 8, 4},  {64, 128, 8, 4, 8}, {64, 64, 16, 4, 4},
    {32, 128, 16, 4, 4}, {128, 32, 16, 4, 4}, {32, 32, 16, 2, 2}, {16, 128, 16, 4, 4},
    {128, 16, 16, 4, 4}, {16, 64, 16, 2, 4},  {64, 16, 16, 4, 2}, {8, 256, 8, 8, 1},
    {256, 8, 8, 1, 8},   {4, 256, 8, 4, 1},   {256, 4, 8, 1, 4},
};
// The number of blocks that keeps a large device busy: it has about 130 multiprocessors.
constexpr std::int64_t kBlocksToFill = 128;

std::int64_t Parts(std::int64_t size, int part) { return (size + part - 1) / part; }

// The relative time on a full device, in multiply-adds: blocks (with `fill_device`, rounded up to
// whole waves) times the time of a block.
double CostOf(const ContractionSpec& spec, const Tile& tile, bool fill_device) {
  const double reads = tile.thread_rows + tile.thread_cols, results = tile.results_of_thread();
  const std::int64_t blocks = TilesOf(spec, tile);
  const double turns = fill_device
                           ? static_cast<double>(Parts(blocks, kBlocksToFill) * kBlocksToFill)
                           : static_cast<double>(blocks);
  return turns * tile.rows * tile.cols * (results + reads) / results;
}

// Writes the code that loads one factor into shared memory.
class Reader {
 public:
  Reader(const GroupScope& scope, const ContractionSpec& spec, const Tile& tile,
         const TileNames& names, bool is_a)
      : scope_(scope),
        spec_(spec),
        factor_(is_a ? spec.a : spec.b),
        own_(is_a ? spec.m : spec.n),
        index_(is_a ? "m" : "n"),
        name_(is_a ? "a" : "b"),
        limit_(is_a ? names.M : names.N),
        k_end_(names.k_end),
        extent_(is_a ? tile.rows : tile.cols),
        depth_(tile.depth),
        padding_(tile.padding()),
        threads_(tile.threads()),
        value_(factor_.value_by_k.empty() ? factor_.value : factor_.value_by_k) {}

  int each() const { return std::max(1, extent_ * depth_ / threads_); }

  std::string Declarations() const {
    return FillHoles(
        "__shared__ __align__(16) @type@ @name@_tile[@depth@][@extent@ + @padding@];\n",
        {{"type", spec_.type},
         {"name", name_},
         {"depth", std::to_string(depth_)},
         {"extent", std::to_string(extent_)},
         {"padding", std::to_string(padding_)}});
  }

  // Declarations that are the same in all steps along k.
  std::string Before() const {
    if (!Fixed()) return "";
    const std::string axes = own_.Decoded(scope_, index_, Code());
    const std::string text =
        "const " + scope_.index() + ' ' + index_ + " = " + Own() + ";\n" + axes;
    return "// Of this thread's reads from " + Named() + ":\n" + text;
  }

  // Loads the elements of step k0 into registers.
  std::string Read() const {
    const std::string& index = scope_.index();
    std::string step, own;
    if (factor_.along_k) {
      step = "const " + index + " k = k0 + " + Inner(depth_) + ";\n" +
             spec_.k.Decoded(scope_, "k", Code());
      own = "const " + index + ' ' + index_ + " = " + Own() + ";\n" +
            own_.Decoded(scope_, index_, Code());
    } else {
      if (!Fixed()) step = "const " + index + ' ' + index_ + " = " + Own() + ";\n";
      own = "const " + index + " k = k0 + " + Outer(extent_) + ";\n" +
            spec_.k.Decoded(scope_, "k", Code());
    }
    const std::string inside =
        index_ + " < " + limit_ + " && k < " + k_end_ + (Few().empty() ? "" : " && " + Few());
    std::string read;
    if (factor_.statements.empty() && factor_.condition.empty() && OwnAxesAreFree()) {
      read = own + name_ + "_next[j] = " + inside + " ? " + value_ + " : " + Zero() + ";\n";
    } else {
      // Coordinates of k and of the position are computed only for elements that exist.
      const std::size_t line = own.find('\n') + 1;
      const std::string next = name_ + "_next[j] = " + value_ + ";\n";
      const std::string guarded =
          factor_.condition.empty() ? next : "if (" + factor_.condition + ") {\n  " + next + "}\n";
      read = own.substr(0, line) + name_ + "_next[j] = 0;\n" +
             FillHoles(
                 "if (@inside@) {\n  @body@\n}\n",
                 {{"inside", inside}, {"body", own.substr(line) + factor_.statements + guarded}});
    }
    const std::string all =
        FillHoles(R"(
@step@
#pragma unroll
for (int j = 0; j < @each@; ++j) {
  @read@
}
)",
                  {{"step", step}, {"each", std::to_string(each())}, {"read", read}});
    return step.empty() ? all : FillHoles("{\n  @all@\n}\n", {{"all", all}});
  }

  std::string Write() const {
    const std::string at = factor_.along_k ? '[' + Inner(depth_) + "][" + Outer(depth_) + ']'
                                           : '[' + Outer(extent_) + "][" + Inner(extent_) + ']';
    if (!Few().empty()) {
      return "if (" + Few() + ") " + name_ + "_tile" + at + " = " + name_ + "_next[0];\n";
    }
    return FillHoles(R"(
#pragma unroll
for (int j = 0; j < @each@; ++j) @name@_tile@at@ = @name@_next[j];
)",
                     {{"each", std::to_string(each())}, {"name", name_}, {"at", at}});
  }

  std::string Registers() const {
    return spec_.type + ' ' + name_ + "_next[" + std::to_string(each()) + "];\n";
  }

 private:
  std::string Code() const { return factor_.statements + factor_.condition + value_; }
  // Whether adjacent threads read along m or n, and the axes of that index must be decoded. They
  // are the same in all steps.
  bool Fixed() const { return !factor_.along_k && !own_.Decoded(scope_, index_, Code()).empty(); }
  // The condition for a thread to have an element, when there are fewer elements than threads.
  std::string Few() const {
    const int elements = extent_ * depth_;
    return elements < threads_ ? "threadIdx.x < " + std::to_string(elements) : "";
  }
  bool OwnAxesAreFree() const {
    return spec_.k.Decoded(scope_, "k", Code()).empty() &&
           (Fixed() || own_.Decoded(scope_, index_, Code()).empty());
  }
  static std::string Inner(int size) { return "threadIdx.x % " + std::to_string(size); }
  std::string Outer(int size) const {
    const int step = threads_ / size;
    return "threadIdx.x / " + std::to_string(size) +
           (each() == 1 ? "" : " + j * " + std::to_string(step));
  }
  std::string Own() const {
    return index_ + "0 + " + (factor_.along_k ? Outer(depth_) : Inner(extent_));
  }
  std::string Zero() const { return spec_.type == "float" ? "0.0f" : "0"; }
  std::string Named() const { return name_ == "a" ? "the first factor" : "the second factor"; }
  const GroupScope& scope_;
  const ContractionSpec& spec_;
  const Factor& factor_;
  const IndexAxes& own_;
  const std::string index_, name_, limit_, k_end_;
  const int extent_, depth_, padding_, threads_;
  const std::string& value_;
};

// The position of a thread's element `c` of `count` along an extent of `lanes * count`. Four
// elements are adjacent, so that a thread reads them from shared memory with one load.
std::string PlaceOf(const std::string& lane, const std::string& c, int count, int lanes) {
  if (count == 1) return lane;
  if (count <= 4) return lane + " * " + std::to_string(count) + " + " + c;
  return c + " / 4 * " + std::to_string(4 * lanes) + " + " + lane + " * 4 + " + c + " % 4";
}

// The most lanes of a warp of 32 that store to one bank of shared memory at once, with so many
// columns more than the tile has. Lanes that go along m or n store neighbours.
int LanesOfABank(const ContractionSpec& spec, const Tile& tile, int padding) {
  constexpr int kBanks = 32, kLanes = 32;
  int most = 1;
  for (const auto& [factor, extent] : {std::pair(&spec.a, tile.rows), {&spec.b, tile.cols}}) {
    if (!factor->along_k) continue;
    int lanes[kBanks] = {};
    for (int lane = 0; lane < kLanes; ++lane) {
      const int place = lane % tile.depth * (extent + padding) + lane / tile.depth;
      most = std::max(most, ++lanes[place % kBanks]);
    }
  }
  return most;
}

}  // namespace

std::int64_t TilesOf(const ContractionSpec& spec, const Tile& tile) {
  return Parts(spec.m.count, tile.rows) * Parts(spec.n.count, tile.cols) * spec.group.count;
}

TileNames TileNamesOf(GroupScope* scope, const ContractionSpec& spec) {
  // A grid may have 2^31 - 1 blocks along x but only 65,535 along y, so x gets the axis that can be
  // long: the rows of a matrix, or the positions of an image.
  const bool rows_first = scope->head().op->family == OperatorFamily::kMatmul;
  return {.M = scope->AddSize("M", spec.m.Count()),
          .N = scope->AddSize("N", spec.n.Count()),
          .k_begin = "0",
          .k_end = scope->AddSize("K", spec.k.Count()),
          .m_axis = rows_first ? "x" : "y",
          .n_axis = rows_first ? "y" : "x"};
}

std::string TileLaunchBounds(const Tile& tile) {
  return " __launch_bounds__(" + std::to_string(tile.threads()) + ", 2)";
}

std::string TileGrid(const TileNames& names, const Tile& tile) {
  const std::string rows = RoundedUpQuotient(names.M, tile.rows),
                    cols = RoundedUpQuotient(names.N, tile.cols);
  return names.m_axis == "x" ? rows + ", " + cols : cols + ", " + rows;
}

std::string TileGrid(const TileNames& names, const Tile& tile, const std::string& z) {
  return TileGrid(names, tile) + ", " + z;
}

std::string RoundedUpQuotient(const std::string& size, int part) {
  return '(' + GroupScope::Parenthesized(size) + " + " + std::to_string(part - 1) + ") / " +
         std::to_string(part);
}

Tile TileFor(const ContractionSpec& spec, bool fill_device) {
  // Of tiles that take equally long on a full device, the one that wastes the least.
  const auto cost = [&](const Tile& tile) {
    return std::pair(CostOf(spec, tile, fill_device), CostOf(spec, tile, false));
  };
  return *std::min_element(std::begin(kTiles), std::end(kTiles),
                           [&](const Tile& a, const Tile& b) { return cost(a) < cost(b); });
}

std::string TileBody(const GroupScope& scope, const ContractionSpec& spec, const Tile& tile,
                     const TileNames& names, const std::string& store) {
  const Reader a(scope, spec, tile, names, true), b(scope, spec, tile, names, false);
  const int across = tile.cols / tile.thread_cols, down = tile.rows / tile.thread_rows;
  const std::string reads = a.Before() + a.Read() + b.Before() + b.Read();
  Holes holes = {{"index", scope.index()},
                 {"type", spec.type},
                 {"a_shared", a.Declarations()},
                 {"b_shared", b.Declarations()},
                 {"group", spec.group.Decoded(scope, "group", reads + store)},
                 {"rows", std::to_string(tile.rows)},
                 {"cols", std::to_string(tile.cols)},
                 {"depth", std::to_string(tile.depth)},
                 {"across", std::to_string(across)},
                 {"tr", std::to_string(tile.thread_rows)},
                 {"tc", std::to_string(tile.thread_cols)},
                 {"a_place", PlaceOf("ty", "r", tile.thread_rows, down)},
                 {"b_place", PlaceOf("tx", "c", tile.thread_cols, across)},
                 {"before", a.Before() + b.Before()},
                 {"a_next", a.Registers()},
                 {"b_next", b.Registers()},
                 {"a_read", a.Read()},
                 {"b_read", b.Read()},
                 {"a_write", a.Write()},
                 {"b_write", b.Write()},
                 {"M", names.M},
                 {"N", names.N},
                 {"k_begin", names.k_begin},
                 {"k_end", names.k_end},
                 {"m_axis", names.m_axis},
                 {"n_axis", names.n_axis},
                 {"m_of_store", spec.m.Decoded(scope, "m", store)},
                 {"n_of_store", spec.n.Decoded(scope, "n", store)},
                 {"store", store}};
  std::string multiply = FillHoles(R"(
@before@
@a_next@
@b_next@
for (@index@ k0 = @k_begin@; k0 < @k_end@ + @depth@; k0 += @depth@) {
  // The loads of this step overlap with the multiplications of the previous one.
  if (k0 < @k_end@) {
    @a_read@
    @b_read@
  }
  if (k0 > @k_begin@) {
    #pragma unroll
    for (int k = 0; k < @depth@; ++k) {
      @type@ a[@tr@], b[@tc@];
      #pragma unroll
      for (int r = 0; r < @tr@; ++r) a[r] = a_tile[k][@a_place@];
      #pragma unroll
      for (int c = 0; c < @tc@; ++c) b[c] = b_tile[k][@b_place@];
      #pragma unroll
      for (int r = 0; r < @tr@; ++r) {
        #pragma unroll
        for (int c = 0; c < @tc@; ++c) sums[r][c] += a[r] * b[c];
      }
    }
    __syncthreads();
  }
  if (k0 < @k_end@) {
    @a_write@
    @b_write@
    __syncthreads();
  }
}
)",
                                   holes);
  // The braces limit the scope of the names that are declared for a read.
  if (!holes["before"].empty()) multiply = FillHoles("{\n  @all@\n}\n", {{"all", multiply}});
  holes["multiply"] = multiply;
  return FillHoles(R"(
@a_shared@
@b_shared@
@group@
const @index@ m0 = blockIdx.@m_axis@ * @rows@, n0 = blockIdx.@n_axis@ * @cols@;
const int ty = threadIdx.x / @across@, tx = threadIdx.x % @across@;
@type@ sums[@tr@][@tc@] = {};
@multiply@
#pragma unroll
for (int c = 0; c < @tc@; ++c) {
  const @index@ n = n0 + @b_place@;
  if (n >= @N@) continue;
  @n_of_store@
  #pragma unroll
  for (int r = 0; r < @tr@; ++r) {
    const @index@ m = m0 + @a_place@;
    if (m >= @M@) continue;
    @m_of_store@
    const @type@ acc = sums[r][c];
    @store@
  }
}
)",
                   holes);
}

void AddTileToPlan(const ContractionSpec& spec, const Tile& tile, CallPlan* plan) {
  const std::string rows = std::to_string(tile.rows), cols = std::to_string(tile.cols);
  plan->threads = tile.threads();
  plan->shared_bytes = 4 * tile.shared_floats();
  plan->reasons.push_back({"tiles in shared memory",
                           "each element of a factor is read from memory "
                           "once for " +
                               (tile.rows == tile.cols ? rows : rows + " or " + cols) +
                               " uses instead of once for each"});
  const int unpadded = LanesOfABank(spec, tile, 0),
            padded = LanesOfABank(spec, tile, tile.padding());
  if (padded < unpadded) {
    const bool pairs = tile.padding() == 2;
    plan->reasons.push_back(
        {pairs ? "two more columns in a tile" : "four more columns in a tile",
         (padded == 1
              ? std::string("the lanes of a warp that store along k then use different banks")
              : "at most " + std::to_string(padded) +
                    " lanes of a warp that store along k then use the same bank, instead "
                    "of " +
                    std::to_string(unpadded)) +
             (pairs ? ", and 8-byte reads stay aligned" : ", and 16-byte reads stay aligned")});
  }
  const int reads = tile.thread_rows + tile.thread_cols;
  plan->reasons.push_back({std::to_string(tile.thread_rows) + " x " +
                               std::to_string(tile.thread_cols) + " elements per thread",
                           std::to_string(reads) + " reads of shared memory serve " +
                               std::to_string(tile.results_of_thread()) + " multiply-adds"});
  plan->reasons.push_back({"reads one step ahead",
                           "the loads of the next step overlap with the multiplications of this "
                           "one"});
}

}  // namespace kernelmill
