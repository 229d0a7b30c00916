// How fast kernels of a strategy are beside what their bytes, flops and threads say
// (estimated_speed.h), as a GPU measured it for answers of one kernel: a table that
// `bench/measured_answers.py speeds` prints (bench/README says when and where).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace kernelmill {

struct MeasuredSpeed {
  std::string_view strategy;  // Strategy::name.
  std::string_view op;        // OperatorRow::name; "" for all that have no row of their own.
  bool sixteen_bits = false;  // The first input's elements, where eager has tensor cores.
  int answers = 0;            // That were measured.
  double speed = 0;           // Their median.
};

std::span<const MeasuredSpeed> AllMeasuredSpeeds();

// Of the row that says the most about it: its operator and width, its operator, its width, its
// strategy. None where nothing was measured.
std::optional<double> FindMeasuredSpeed(std::string_view strategy, std::string_view op,
                                        bool sixteen_bits);

}  // namespace kernelmill
