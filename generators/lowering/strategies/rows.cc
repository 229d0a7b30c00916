// Strategies for reductions, norms and softmax with one thread, one warp or one block per row. In
// split_rows.cc a row has several blocks.
#include <algorithm>

#include "generators/lowering/operator_class.h"
#include "generators/lowering/rows/row_writer.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

enum class Team { kThread, kWarp, kBlock, kTree };

// Rows up to this length leave most lanes of a warp idle.
constexpr std::int64_t kShortRow = 8;
// Rows up to this length leave most threads of a block idle.
constexpr std::int64_t kMediumRow = 128;
// The largest block, and the smallest one that merges in a tree.
constexpr int kMostThreads = 256, kFewestThreads = 32;

constexpr std::string_view kTreeMerge = R"(
// Merges what the threads of a block hold, half of them in every step; every thread gets the
// result. `scratch`: one state per thread, in shared memory; blockDim.x is a power of two.
template <typename State>
__device__ State tree_merge(State state, State* scratch) {
  // Wait until the previous reads of the scratch have finished.
  __syncthreads();
  scratch[threadIdx.x] = state;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) scratch[threadIdx.x].merge(scratch[threadIdx.x + half]);
    __syncthreads();
  }
  return scratch[0];
}
)";

class RowKernel {
 public:
  RowKernel(GroupScope* scope, RowSpec spec, Team team)
      : scope_(*scope), spec_(std::move(spec)), writer_(scope, spec_), team_(team) {
    if (team_ != Team::kTree) return;
    // A power of two.
    while (threads_ > kFewestThreads && threads_ / 2 >= spec_.geometry.row_length) threads_ /= 2;
  }

  GroupCode Write() {
    GroupCode code;
    const std::string name = scope_.function() + "_kernel";
    std::string body = spec_.geometry.Base(scope_) + spec_.constants;
    for (const RowPass& pass : spec_.passes) body += PassText(pass);
    body += spec_.one_result_per_row ? PerRow() : PerElement();
    const WrittenKernel kernel = WriteKernel(scope_, name, Comment(), Frame(body));
    code.definitions = Definitions();
    code.definitions.push_back(kernel.definition);
    code.after_outputs = Launch(name, kernel);
    code.plan = Plan(name);
    return code;
  }

  DeviceDefinitions Definitions() const {
    DeviceDefinitions definitions;
    const bool shuffles = team_ == Team::kWarp || team_ == Team::kBlock;
    if (shuffles) definitions.push_back(WarpMerge());
    if (team_ == Team::kBlock) definitions.push_back(BlockMerge());
    if (team_ == Team::kTree) definitions.push_back({"tree_merge", FillHoles(kTreeMerge, {})});
    if (shuffles) {
      writer_.AddShuffledStates(&definitions);
    } else {
      writer_.AddStates(&definitions, team_ == Team::kTree);
    }
    return definitions;
  }

 private:
  std::string First() const {
    return team_ == Team::kThread ? "0" : team_ == Team::kWarp ? "lane" : "threadIdx.x";
  }
  std::string Step() const {
    return team_ == Team::kThread ? "++k"
           : team_ == Team::kWarp ? "k += warpSize"
                                  : "k += blockDim.x";
  }
  std::string Loop(const std::string& body) const {
    return FillHoles("for (@index@ k = @first@; k < @length@; @step@) {\n  @body@\n}\n",
                     {{"index", scope_.index()},
                      {"first", First()},
                      {"length", spec_.geometry.length},
                      {"step", Step()},
                      {"body", body}});
  }

  std::string PassText(const RowPass& pass) {
    const std::string added = writer_.Add(pass);
    std::string text = pass.state.name + ' ' + pass.variable + " = " + pass.state.name +
                       "::empty();\n" + Loop(writer_.Load() + added);
    if (team_ == Team::kWarp) text += pass.variable + " = warp_merge(" + pass.variable + ");\n";
    if (team_ == Team::kBlock || team_ == Team::kTree) {
      const std::string scratch = pass.variable + "_scratch";
      const std::string count = team_ == Team::kBlock ? "32" : std::to_string(threads_);
      text = "__shared__ " + pass.state.name + ' ' + scratch + '[' + count + "];\n" + text +
             pass.variable + (team_ == Team::kBlock ? " = block_merge(" : " = tree_merge(") +
             pass.variable + ", " + scratch + ");\n";
    }
    return text + pass.result;
  }

  std::string PerRow() {
    const std::string stored = writer_.Store("row");
    if (team_ == Team::kThread) return stored;
    return FillHoles(
        "if (@first@) {\n  @stored@\n}\n",
        {{"first", team_ == Team::kWarp ? "lane == 0" : "threadIdx.x == 0"}, {"stored", stored}});
  }

  std::string PerElement() { return Loop(writer_.Load() + writer_.Store(writer_.Place())); }

  std::string Frame(const std::string& body) const {
    const Holes holes = {{"index", scope_.index()},
                         {"block", scope_.InIndexType("blockIdx.x")},
                         {"grid", scope_.InIndexType("gridDim.x")},
                         {"rows", spec_.geometry.rows},
                         {"body", body}};
    switch (team_) {
      case Team::kThread:
        return FillHoles(R"(
const @index@ row = @block@ * blockDim.x + threadIdx.x;
if (row >= @rows@) return;
@body@
)",
                         holes);
      case Team::kWarp:
        return FillHoles(R"(
const int lane = threadIdx.x % warpSize;
const @index@ warps = @grid@ * (blockDim.x / warpSize);
@index@ row = @block@ * (blockDim.x / warpSize) + threadIdx.x / warpSize;
for (; row < @rows@; row += warps) {
  @body@
}
)",
                         holes);
      default:
        return FillHoles("const @index@ row = blockIdx.x;\n@body@\n", holes);
    }
  }

  std::string Launch(const std::string& name, const WrittenKernel& kernel) const {
    const std::string& rows = spec_.geometry.rows;
    switch (team_) {
      case Team::kThread:
        return "const int threads = 128;\nconst int blocks = (" + rows +
               " + threads - 1) / threads;\n" +
               WriteLaunch(scope_, name, kernel, "blocks", "threads");
      case Team::kWarp:
        return "const int threads = 128;\n// Four warps of 32 threads; wider ones take several "
               "rows each.\n"
               "const int blocks = (" +
               rows + " + 3) / 4;\n" + WriteLaunch(scope_, name, kernel, "blocks", "threads");
      default:
        return "const int threads = " + std::to_string(threads_) + ";\n" +
               WriteLaunch(scope_, name, kernel, rows, "threads");
    }
  }

  std::string Comment() const {
    const std::string operators = OperatorsInWords(scope_.graph(), scope_.group());
    const char* const team = team_ == Team::kThread ? "one thread per row"
                             : team_ == Team::kWarp ? "one warp per row, merged by shuffles"
                             : team_ == Team::kBlock
                                 ? "one block per row, merged by shuffles and shared memory"
                                 : "one block per row, merged by a tree in shared memory";
    return "Computes " + operators + ": " + team +
           (spec_.passes.size() > 1 ? ", in " + std::to_string(spec_.passes.size()) + " passes."
                                    : ", in one pass.");
  }

  // The number of steps of a tree, in a word.
  std::string Steps() const {
    return threads_ == 256 ? "eight" : threads_ == 128 ? "seven" : threads_ == 64 ? "six" : "five";
  }

  CallPlan Plan(const std::string& name) const {
    CallPlan plan;
    plan.kernels = {name};
    plan.index_type = scope_.index();
    const std::string& rows = spec_.geometry.rows;
    const std::int64_t state_bytes = writer_.StateBytes();
    const bool apart = spec_.geometry.layout == RowGeometry::Layout::kMiddle;
    const std::string read = apart ? "read the elements of one row, which lie apart in memory"
                                   : "read neighbouring elements of one row";
    switch (team_) {
      case Team::kThread:
        plan.threads = 128;
        plan.grid = "(" + rows + " + 127) / 128";
        plan.mapping = "thread r reads row r alone, element after element";
        if (spec_.geometry.IsSideBySide()) {
          plan.reasons.push_back({"a thread a row",
                                  "corresponding elements of neighbouring rows are adjacent in "
                                  "memory, so the loads of neighbouring threads are coalesced"});
          break;
        }
        plan.reasons.push_back(
            {"no cooperation", spec_.geometry.row_length <= kShortRow
                                   ? "a row has too few elements to divide them among several "
                                     "threads"
                                   : "this is the simplest form, although neighbouring threads "
                                     "read addresses that are a row apart"});
        break;
      case Team::kWarp:
        plan.threads = 128;
        plan.grid = "(" + rows + " + 3) / 4";
        plan.mapping = "the lanes of a warp " + read + (apart ? ", and" : " and") +
                       " merge what they hold in log2(warpSize) shuffles";
        plan.reasons.push_back({"a warp a row",
                                "a warp needs neither barriers nor shared memory; this is best "
                                "for many short rows"});
        break;
      case Team::kBlock:
        plan.threads = 256;
        plan.grid = rows;
        plan.shared_bytes = 32 * state_bytes;
        plan.mapping = "the threads of a block " + read +
                       "; warps merge by shuffles, then once through shared memory";
        plan.reasons.push_back({"a block a row", "a long row has enough elements for 256 threads"});
        break;
      case Team::kTree:
        plan.threads = threads_;
        plan.grid = rows;
        plan.shared_bytes = threads_ * state_bytes;
        plan.mapping = "the threads of a block " + read +
                       "; half of them merge in shared memory in each of " + Steps() + " steps";
        plan.reasons.push_back(
            {"a tree in shared memory", "it does not depend on the width of a warp, and needs " +
                                            Steps() + " barriers per pass"});
        break;
    }
    const RowGeometry& geometry = spec_.geometry;
    plan.busy_threads = geometry.row_count;
    if (team_ != Team::kThread) {
      plan.busy_threads *=
          std::min<std::int64_t>(geometry.row_length, team_ == Team::kWarp ? 32 : threads_);
    }
    plan.uncoalesced = apart != (team_ == Team::kThread) && geometry.row_length > 1;
    writer_.AddReasons(&plan);
    return plan;
  }

  GroupScope& scope_;
  RowSpec spec_;
  RowWriter writer_;
  Team team_;
  int threads_ = kMostThreads;  // Of a block that computes a row.
};

template <Team kTeam, bool kSinglePass>
GroupCode WriteRows(GroupScope* scope) {
  return RowKernel(scope, *RowSpecOf(scope, kSinglePass), kTeam).Write();
}

template <bool kShort>
bool HasRowsOf(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<RowSpec> spec = SpecOfGroup(graph, group, false);
  return spec && (spec->geometry.row_length <= kShortRow) == kShort;
}

bool HasColumns(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<RowSpec> spec = SpecOfGroup(graph, group, false);
  return spec && spec->geometry.row_length > kShortRow && spec->geometry.HasManyColumns();
}

// Whether a row has work for more than half of the threads of the largest block.
bool HasLongRows(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<RowSpec> spec = SpecOfGroup(graph, group, false);
  return spec && spec->geometry.row_length > kMediumRow;
}

bool HasSinglePassOfLongRows(const OperatorGraph& graph, const FusionGroup& group) {
  return HasLongRows(graph, group) && HasSinglePass(graph, group);
}

bool HasSinglePassOfMore(const OperatorGraph& graph, const FusionGroup& group) {
  return HasRowsOf<false>(graph, group) && HasSinglePass(graph, group);
}

// Whether a warp reads the row in a few steps.
bool HasMediumRows(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<RowSpec> spec = SpecOfGroup(graph, group, false);
  return spec && spec->geometry.row_length > kShortRow && spec->geometry.row_length <= kMediumRow &&
         !spec->geometry.IsSideBySide();
}

bool HasMediumSinglePass(const OperatorGraph& graph, const FusionGroup& group) {
  return HasMediumRows(graph, group) && HasSinglePass(graph, group);
}

template <auto kHas>
bool HasNoMediumRowsBut(const OperatorGraph& graph, const FusionGroup& group) {
  return !HasMediumRows(graph, group) && kHas(graph, group);
}

}  // namespace

void AddRowStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back({"thread_a_short_row", "rows of a few elements", HasRowsOf<true>,
                         WriteRows<Team::kThread, false>});
  strategies->push_back({"thread_a_column", "rows that lie side by side", HasColumns,
                         WriteRows<Team::kThread, true>});
  strategies->push_back({"warp_a_row_online", "one reading of a row", HasMediumSinglePass,
                         WriteRows<Team::kWarp, true>});
  strategies->push_back({"warp_a_row", "shuffles", HasMediumRows, WriteRows<Team::kWarp, false>});
  strategies->push_back({"block_a_row_online", "one reading of a row", HasSinglePassOfLongRows,
                         WriteRows<Team::kBlock, true>});
  strategies->push_back(
      {"block_a_row", "shuffles and shared memory", HasLongRows, WriteRows<Team::kBlock, false>});
  strategies->push_back({"warp_a_row", "shuffles", HasNoMediumRowsBut<HasRowsOf<false>>,
                         WriteRows<Team::kWarp, false>});
  strategies->push_back(
      {"tree_a_row", "a tree in shared memory", HasRowsOf<false>, WriteRows<Team::kTree, false>});
  strategies->push_back({"warp_a_row_online", "one reading of a row",
                         HasNoMediumRowsBut<HasSinglePassOfMore>, WriteRows<Team::kWarp, true>});
  strategies->push_back(
      {"thread_a_row", "naive", HasRowsOf<false>, WriteRows<Team::kThread, false>});
}

}  // namespace kernelmill
