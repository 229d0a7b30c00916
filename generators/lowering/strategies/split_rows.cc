// Strategies for few long rows, for which one block per row would leave most of a device idle:
// several blocks per row write partial states to memory, and a second kernel merges them.
#include "generators/lowering/operator_class.h"
#include "generators/lowering/rows/row_parts.h"
#include "generators/lowering/rows/row_writer.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

// Rows are split if their length exceeds their number by this factor.
constexpr std::int64_t kLengthOverRows = 32;
// Rows shorter than this are not worth a second block.
constexpr std::int64_t kShortest = 512;

class SplitRows {
 public:
  SplitRows(GroupScope* scope, RowSpec spec)
      : scope_(*scope),
        spec_(std::move(spec)),
        writer_(scope, spec_),
        parts_(*scope, spec_),
        pass_(spec_.passes[0]) {}

  GroupCode Write() {
    const std::string parts_name = scope_.function() + "_parts_kernel";
    const std::string name = scope_.function() + "_kernel";
    const std::string operators = OperatorsInWords(scope_.graph(), scope_.group());
    const WrittenKernel first = WriteKernel(
        scope_, parts_name, "First half of " + operators + ": every block reduces a part of a row.",
        PartsBody(), parts_.ParametersToWrite());
    const WrittenKernel second = WriteKernel(
        scope_, name,
        spec_.one_result_per_row
            ? "Second half of " + operators + ": merges the parts of a row, a block each."
            : "Second half of " + operators +
                  ": every block merges the parts of its row, and then writes a part of it.",
        spec_.one_result_per_row ? MergeBody() : SpreadBody(), parts_.ParametersToRead());
    GroupCode code;
    code.definitions = {WarpMerge(), BlockMerge()};
    writer_.AddShuffledStates(&code.definitions);
    code.definitions.push_back(first.definition);
    code.definitions.push_back(second.definition);
    code.after_outputs = Launch(parts_name, first, name, second);
    code.plan = Plan(parts_name, name);
    return code;
  }

 private:
  // Declares the block's row and part, with a loop over the part's elements.
  std::string Part(std::string_view body) const {
    const std::string row =
        UsesName(body, "row") ? "const " + scope_.index() + " row = blockIdx.x / splits;\n" : "";
    return row + parts_.RangeDeclarations("");
  }
  std::string Loop(const std::string& body) const {
    return FillHoles(
        "for (@index@ k = first + threadIdx.x; k < last; k += blockDim.x) {\n  @body@\n}\n",
        {{"index", scope_.index()}, {"body", body}});
  }
  std::string State() const {
    return FillHoles("__shared__ @state@ scratch[32];\n@state@ @name@ = @state@::empty();\n",
                     {{"state", pass_.state.name}, {"name", pass_.variable}});
  }
  std::string Merged() const {
    return pass_.variable + " = block_merge(" + pass_.variable + ", scratch);\n";
  }

  std::string PartsBody() {
    const std::string body = spec_.geometry.Base(scope_) + spec_.constants + State() +
                             Loop(writer_.Load() + RowWriter::Add(pass_)) + Merged() +
                             "if (threadIdx.x == 0) parts[blockIdx.x] = " + pass_.variable + ";\n";
    return Part(body) + body;
  }

  std::string MergeParts() const {
    return FillHoles(R"(
for (int part = threadIdx.x; part < splits; part += blockDim.x) {
  @name@.merge(parts[row * splits + part]);
}
)",
                     {{"name", pass_.variable}}) +
           Merged() + pass_.result;
  }

  std::string MergeBody() {
    return "const " + scope_.index() + " row = blockIdx.x;\n" + spec_.constants + State() +
           MergeParts() + "if (threadIdx.x == 0) {\n" +
           FillHoles("  @stored@\n", {{"stored", writer_.Store("row")}}) + "}\n";
  }

  std::string SpreadBody() {
    const std::string body = spec_.geometry.Base(scope_) + spec_.constants + State() +
                             MergeParts() + Loop(writer_.Load() + writer_.Store(writer_.Place()));
    return Part(body) + body;
  }

  std::string Launch(const std::string& parts_name, const WrittenKernel& first,
                     const std::string& name, const WrittenKernel& second) const {
    const RowGeometry& geometry = spec_.geometry;
    const std::string blocks =
        geometry.rows == "1" ? "splits" : GroupScope::Parenthesized(geometry.rows) + " * splits";
    return "const int threads = 256;\n"
           "// Parts of a row: about " +
           std::to_string(parts_.Blocks()) +
           " blocks in all, with one element per thread at least.\n" +
           parts_.Allocation('(' + geometry.length + " + threads - 1) / threads", geometry.rows) +
           WriteLaunch(scope_, parts_name, first, blocks, "threads") +
           WriteLaunch(scope_, name, second, spec_.one_result_per_row ? geometry.rows : blocks,
                       "threads");
  }

  CallPlan Plan(const std::string& parts_name, const std::string& name) const {
    CallPlan plan;
    plan.kernels = {parts_name, name};
    plan.index_type = scope_.index();
    plan.threads = 256;
    plan.grid = spec_.geometry.rows + " * splits" +
                (spec_.one_result_per_row ? ", then " + spec_.geometry.rows : " twice");
    plan.shared_bytes = 32 * writer_.StateBytes();
    plan.mapping =
        "the threads of a block read neighbouring elements of a part of one row and merge what "
        "they hold by shuffles and shared memory; a second kernel merges what the blocks of a row "
        "left in memory";
    plan.reasons.push_back({"several blocks a row",
                            "the rows are long and few, so one block for each would leave most "
                            "multiprocessors without work"});
    plan.reasons.push_back({"parts in memory instead of atomics",
                            "the parts are combined in a fixed order, which gives the same bits "
                            "in every run"});
    writer_.AddReasons(&plan);
    return plan;
  }

  GroupScope& scope_;
  const RowSpec spec_;
  RowWriter writer_;
  const RowParts parts_;
  const RowPass& pass_;
};

bool HasLongRows(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<RowSpec> spec = SpecOfGroup(graph, group, true);
  if (!spec || spec->passes.size() != 1) return false;
  const RowGeometry& geometry = spec->geometry;
  return geometry.row_length >= kShortest &&
         geometry.row_length >= kLengthOverRows * geometry.row_count;
}

GroupCode WriteSplitRows(GroupScope* scope) {
  return SplitRows(scope, *RowSpecOf(scope, true)).Write();
}

}  // namespace

void AddSplitRowStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"blocks_a_row", "several blocks for each long row", HasLongRows, WriteSplitRows});
}

}  // namespace kernelmill
