// How a text writes shapes and amounts: "(2, 64)", "[2, 64]" or "2×64"; "18,816" or "18816";
// "150,528 bytes" or "147.0 KiB". Every row has a style of its own and keeps to it.
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
  // With its unit.
  std::string Bytes(std::int64_t bytes) const;

 private:
  std::size_t shape_, count_, bytes_;
};

// "147.0 KiB", "150.5 kB", "1.50 MB": the forms of Bytes() for so many, beside the plain one; fewer
// where it is too small for them.
std::vector<std::string> RoundedBytes(std::int64_t bytes);

}  // namespace kernelmill
