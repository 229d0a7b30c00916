#include "generators/lowering/rows/row_parts.h"

namespace kernelmill {
namespace {

// Enough blocks to fill a large device several times.
constexpr int kBlocks = 2048;
// Enough to fill it where every block of the second kernel reads all parts of its rows, so that
// each further part costs a read in every block.
constexpr int kBlocksThatReadAllParts = 512;

}  // namespace

std::vector<LaunchParameter> RowParts::Parameters(const std::string& type) const {
  return {{type, "parts", "reinterpret_cast<" + state() + "*>(parts.data_ptr<uint8_t>())"},
          {"int", "splits", "splits"}};
}

std::string RowParts::RangeDeclarations(std::string_view part) const {
  const std::string name(part), number = "blockIdx.x % splits";
  return FillHoles(R"(
const @index@ @named@span = (@length@ + splits - 1) / splits;
const @index@ first = @part@ * span;
const @index@ last = first + span < @length@ ? first + span : @length@;
)",
                   {{"index", scope_.index()},
                    {"length", spec_.geometry.length},
                    {"named", name.empty() ? "" : name + " = " + number + ", "},
                    {"part", name.empty() ? '(' + number + ')' : name}});
}

int RowParts::Blocks() const {
  return spec_.one_result_per_row ? kBlocks : kBlocksThatReadAllParts;
}

std::string RowParts::Allocation(const std::string& most_parts,
                                 const std::string& unsplit_blocks) const {
  return FillHoles(R"(
const int splits = static_cast<int>(std::max<int64_t>(
    1, std::min<int64_t>(@most@, @all@ / std::max<int64_t>(1, @blocks@))));
auto parts = torch::empty({static_cast<int64_t>(@rows@) * splits * static_cast<int64_t>(sizeof(@state@))},
                          @out@.options().dtype(torch::kUInt8));
)",
                   {{"most", most_parts},
                    {"all", std::to_string(Blocks())},
                    {"blocks", unsplit_blocks},
                    {"rows", spec_.geometry.rows},
                    {"state", state()},
                    {"out", scope_.TensorName(scope_.group().outputs[0])}});
}

}  // namespace kernelmill
