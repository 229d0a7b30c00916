// Strategies for rows that are columns in memory: a block takes 32 adjacent columns, so that each
// warp's reads are coalesced, and several threads share the length of each column.
#include "generators/lowering/operator_class.h"
#include "generators/lowering/rows/row_parts.h"
#include "generators/lowering/rows/row_writer.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

// The number of columns that fills a device with 32 columns per block.
constexpr std::int64_t kManyColumns = 8192;
// Columns shorter than this are not worth a second block.
constexpr std::int64_t kShortestSplit = 256;
constexpr std::int64_t kShortest = 8;

constexpr std::string_view kColumnMerge = R"(
// Merges what the threads of a column hold, from the first to the last; each of them gets the
// result. `scratch`: one state per thread, in shared memory.
template <typename State>
__device__ State column_merge(State state, State (*scratch)[32]) {
  // Wait until the previous reads of the scratch have finished.
  __syncthreads();
  scratch[threadIdx.y][threadIdx.x] = state;
  __syncthreads();
  state = scratch[0][threadIdx.x];
  for (int i = 1; i < static_cast<int>(blockDim.y); ++i) state.merge(scratch[i][threadIdx.x]);
  return state;
}
)";

class ColumnBlocks {
 public:
  // `in_parts`: each block takes only a part of the length of its columns.
  ColumnBlocks(GroupScope* scope, RowSpec spec, bool in_parts)
      : scope_(*scope),
        spec_(std::move(spec)),
        writer_(scope, spec_),
        parts_(*scope, spec_),
        in_parts_(in_parts) {}

  // One block per 32 columns.
  GroupCode WriteWhole() {
    const std::string name = scope_.function() + "_kernel";
    std::string body = spec_.geometry.Base(scope_) + spec_.constants;
    for (const RowPass& pass : spec_.passes) {
      body += State(pass) + Loop(Added(pass)) + Merged(pass) + pass.result;
    }
    body += spec_.one_result_per_row ? PerRow() : PerElement();
    const WrittenKernel kernel =
        WriteKernel(scope_, name,
                    "Computes " + Operators() +
                        ": one block for 32 columns, eight threads for each, merged in shared "
                        "memory.",
                    Frame(body, false));
    GroupCode code;
    code.definitions = {{"column_merge", FillHoles(kColumnMerge, {})}};
    writer_.AddStates(&code.definitions, true);
    code.definitions.push_back(kernel.definition);
    code.after_outputs =
        "// 32 columns side by side, eight threads along each.\nconst dim3 threads(32, 8);\n" +
        WriteLaunch(scope_, name, kernel, Groups(), "threads");
    code.plan = Plan({name}, Groups());
    code.plan.mapping =
        "thread (x, y) of a block of 32 by 8 reads the elements y, y + 8 and so on of column x of "
        "32; the eight threads of a column merge what they hold in shared memory";
    return code;
  }

  // Several blocks per 32 columns: partial states in memory, which a second kernel merges.
  GroupCode WriteParts() {
    const RowPass& pass = spec_.passes[0];
    const std::string parts_name = scope_.function() + "_parts_kernel",
                      name = scope_.function() + "_kernel";
    const WrittenKernel first = WriteKernel(
        scope_, parts_name,
        "First half of " + Operators() + ": every block reduces a part of 32 columns.",
        Frame(spec_.geometry.Base(scope_) + spec_.constants + State(pass) + Loop(Added(pass)) +
                  Merged(pass) + "if (inside && threadIdx.y == 0) parts[part * " +
                  GroupScope::Parenthesized(spec_.geometry.rows) + " + row] = " + pass.variable +
                  ";\n",
              true),
        parts_.ParametersToWrite());
    const std::string merged =
        spec_.constants + State(pass) +
        FillHoles(
            R"(
for (int i = threadIdx.y; i < splits; i += blockDim.y) {
  @state@.merge(parts[i * @rows@ + row]);
}
)",
            {{"state", pass.variable}, {"rows", GroupScope::Parenthesized(spec_.geometry.rows)}}) +
        Merged(pass) + pass.result;
    const WrittenKernel second = WriteKernel(
        scope_, name,
        "Second half of " + Operators() +
            (spec_.one_result_per_row
                 ? ": a block merges the parts of 32 columns."
                 : ": every block merges the parts of 32 columns, and then writes a part of them."),
        spec_.one_result_per_row ? Frame(merged + PerRow(), false)
                                 : Frame(spec_.geometry.Base(scope_) + merged + PerElement(), true),
        parts_.ParametersToRead());
    GroupCode code;
    code.definitions = {{"column_merge", FillHoles(kColumnMerge, {})}};
    writer_.AddStates(&code.definitions, true);
    code.definitions.push_back(first.definition);
    code.definitions.push_back(second.definition);
    const std::string blocks = Groups() + " * splits";
    code.after_outputs =
        "const dim3 threads(32, 8);\n"
        "// Parts of a column: about " +
        std::to_string(parts_.Blocks()) + " blocks in all, with 64 elements at least.\n" +
        parts_.Allocation('(' + spec_.geometry.length + " + 63) / 64", Groups()) +
        WriteLaunch(scope_, parts_name, first, blocks, "threads") +
        WriteLaunch(scope_, name, second, spec_.one_result_per_row ? Groups() : blocks, "threads");
    code.plan = Plan({parts_name, name},
                     blocks + (spec_.one_result_per_row ? ", then " + Groups() : " twice"));
    code.plan.mapping =
        "thread (x, y) of a block of 32 by 8 reads every eighth element of a part of column x of "
        "32; a second kernel merges what the blocks of a column left in memory";
    code.plan.reasons.push_back({"several blocks for the same columns",
                                 "the columns are long and few, so one block for 32 of them "
                                 "would leave most multiprocessors without work"});
    return code;
  }

 private:
  std::string Operators() const { return OperatorsInWords(scope_.graph(), scope_.group()); }
  std::string Groups() const {
    return "((" + GroupScope::Parenthesized(spec_.geometry.rows) + " + 31) / 32)";
  }

  // Declares the thread's column and, if a block takes a part of it, the part.
  std::string Frame(const std::string& body, bool in_parts) const {
    return FillHoles(
        R"(
const @index@ column = @block@ * 32 + threadIdx.x;
// Threads beyond the last column neither read nor store, but they reach every barrier.
const bool inside = column < @rows@;
const @index@ row = inside ? column : @rows@ - 1;
@part@
@body@
)",
        {{"index", scope_.index()},
         {"rows", spec_.geometry.rows},
         {"block", scope_.InIndexType(in_parts ? "blockIdx.x / splits" : "blockIdx.x")},
         {"part", in_parts ? parts_.RangeDeclarations("part") : ""},
         {"body", body}});
  }
  // A loop with `statements` over the elements of a thread.
  std::string Loop(const std::string& statements) const {
    return FillHoles(
        in_parts_ ? "for (@index@ k = first + threadIdx.y; inside && k < last; k += "
                    "blockDim.y) {\n  @body@\n}\n"
                  : "for (@index@ k = threadIdx.y; inside && k < @length@; k += "
                    "blockDim.y) {\n  @body@\n}\n",
        {{"index", scope_.index()}, {"length", spec_.geometry.length}, {"body", statements}});
  }
  std::string Added(const RowPass& pass) { return writer_.Load() + RowWriter::Add(pass); }
  static std::string State(const RowPass& pass) {
    return FillHoles(
        "__shared__ @state@ @name@_scratch[8][32];\n@state@ @name@ = @state@::empty();\n",
        {{"state", pass.state.name}, {"name", pass.variable}});
  }
  static std::string Merged(const RowPass& pass) {
    return FillHoles("@name@ = column_merge(@name@, @name@_scratch);\n", {{"name", pass.variable}});
  }
  std::string PerRow() {
    return FillHoles("if (inside && threadIdx.y == 0) {\n  @stored@\n}\n",
                     {{"stored", writer_.Store("row")}});
  }
  std::string PerElement() { return Loop(writer_.Load() + writer_.Store(writer_.Place())); }

  CallPlan Plan(std::vector<std::string> kernels, const std::string& grid) const {
    CallPlan plan;
    plan.kernels = std::move(kernels);
    plan.index_type = scope_.index();
    plan.threads = 256;
    plan.grid = grid;
    plan.shared_bytes = 256 * writer_.StateBytes();
    if (!in_parts_) plan.busy_threads = 8 * spec_.geometry.row_count;
    plan.reasons.push_back({"32 columns a block",
                            "the threads of a warp read 32 neighbouring elements; along a column "
                            "they would read addresses that are far apart"});
    writer_.AddReasons(&plan);
    return plan;
  }

  GroupScope& scope_;
  const RowSpec spec_;
  RowWriter writer_;
  const RowParts parts_;
  const bool in_parts_;
};

// Whether 32 columns at a time are read efficiently, and are too long for one thread each.
bool HasLongColumns(const RowSpec& spec) {
  constexpr std::int64_t kSector = 8;  // The number of floats in a memory sector.
  const RowGeometry& geometry = spec.geometry;
  return geometry.layout == RowGeometry::Layout::kMiddle && geometry.inner_count >= kSector &&
         geometry.row_length > kShortest && !geometry.HasManyColumns();
}

template <bool kParts>
bool HasColumns(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<RowSpec> spec = SpecOfGroup(graph, group, true);
  if (!spec || !HasLongColumns(*spec)) return false;
  return !kParts || (spec->passes.size() == 1 && spec->geometry.row_count < kManyColumns &&
                     spec->geometry.row_length >= kShortestSplit);
}

GroupCode WriteWhole(GroupScope* scope) {
  return ColumnBlocks(scope, *RowSpecOf(scope, true), false).WriteWhole();
}

GroupCode WriteParts(GroupScope* scope) {
  return ColumnBlocks(scope, *RowSpecOf(scope, true), true).WriteParts();
}

}  // namespace

void AddColumnStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"blocks_a_column", "several blocks for 32 long columns", HasColumns<true>, WriteParts});
  strategies->push_back({"block_of_columns", "32 columns per block, eight threads each",
                         HasColumns<false>, WriteWhole});
}

}  // namespace kernelmill
