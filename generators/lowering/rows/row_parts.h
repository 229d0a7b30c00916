// RowParts: text for kernels whose rows are so long that they are split among blocks: each block
// writes the state of its part to memory, and a second kernel merges the states of each row. States
// lie in the order in which neighbouring threads of the second kernel read them: split_rows.cc puts
// (in strategies/) puts the parts of a row side by side, columns.cc the rows of a part.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/lowering/rows/row_spec.h"

namespace kernelmill {

class RowParts {
 public:
  // `spec` must have one pass. Both arguments must outlive this object.
  RowParts(const GroupScope& scope, const RowSpec& spec) : scope_(scope), spec_(spec) {}

  // The parameters `parts` and `splits`: for the kernel that writes states, and for the one that
  // reads them.
  std::vector<LaunchParameter> ParametersToWrite() const {
    return Parameters(state() + "* __restrict__");
  }
  std::vector<LaunchParameter> ParametersToRead() const {
    return Parameters("const " + state() + "* __restrict__");
  }
  // Declares the part of a row that a block has, the elements [first, last). `part`: the name for
  // the number of the part; empty when no statement needs it.
  std::string RangeDeclarations(std::string_view part) const;
  // The number of blocks at which the parts aim.
  int Blocks() const;
  // Host statements that compute `splits` and allocate `parts`: enough blocks to fill a device, but
  // at most `most_parts` parts per row. `unsplit_blocks`: the number of blocks without splitting.
  std::string Allocation(const std::string& most_parts, const std::string& unsplit_blocks) const;

 private:
  const std::string& state() const { return spec_.passes[0].state.name; }
  std::vector<LaunchParameter> Parameters(const std::string& type) const;

  const GroupScope& scope_;
  const RowSpec& spec_;
};

}  // namespace kernelmill
