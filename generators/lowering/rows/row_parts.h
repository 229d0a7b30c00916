// Rows that are split between blocks: each block writes the state of its part to memory, at row *
// splits + part, and a second kernel merges the states of a row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/lowering/rows/row_spec.h"

namespace kernelmill {

class RowParts {
 public:
  // `spec` has one pass. Both outlive this.
  RowParts(const GroupScope& scope, const RowSpec& spec) : scope_(scope), spec_(spec) {}

  // `parts` and `splits`, of the kernel that writes states and of the one that reads them.
  std::vector<LaunchParameter> Written() const { return Parameters(state() + "* __restrict__"); }
  std::vector<LaunchParameter> Read() const {
    return Parameters("const " + state() + "* __restrict__");
  }
  // Declares what a block has of a row, the elements from `first` to before `last`. `part`: a name
  // for which part that is; empty where no statement asks.
  std::string Range(std::string_view part) const;
  // The host's `splits` and `parts`: so many blocks in all as fill a device, but at most `most`
  // parts a row. `blocks`: how many there are without parts.
  std::string Allocation(const std::string& most, const std::string& blocks) const;

 private:
  const std::string& state() const { return spec_.passes[0].state.name; }
  std::vector<LaunchParameter> Parameters(const std::string& type) const;

  const GroupScope& scope_;
  const RowSpec& spec_;
};

}  // namespace kernelmill
