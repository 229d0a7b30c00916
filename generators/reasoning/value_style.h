// ValueStyle: how the text of one row writes shapes and amounts. A shape is "(2, 64)", "[2, 64]" or
// "2×64", a count "18,816", an amount "150,528 bytes" or "150.5 kB". A row uses one
// style throughout. Used by the reasoning steps and the shape rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/wording/wording.h"

namespace kernelmill {

class ValueStyle {
 public:
  explicit ValueStyle(const Wording& wording);

  std::string Shape(const std::vector<std::int64_t>& shape) const;
  std::string Count(std::int64_t number) const;
  // Includes the unit.
  std::string Bytes(std::int64_t bytes) const;

 private:
  std::size_t shape_, bytes_;
};

// The rounded form that Bytes() can choose: "150.5 kB", "1.50 MB" or "1.50 GB". Small amounts have
// none.
std::vector<std::string> RoundedBytes(std::int64_t bytes);

}  // namespace kernelmill
