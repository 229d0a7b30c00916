// The table of the measured speeds of strategies, relative to the model in estimated_speed.h, which
// looks them up. They are from runs of answers with one kernel on a GPU; `bench/measured_answers.py
// speeds` prints the table (see bench/README.md).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace kernelmill {

struct MeasuredSpeed {
  std::string_view strategy;  // Strategy::name.
  std::string_view op;  // OperatorRow::name, or "" for all operators without a row of their own.
  // The first input has 16-bit elements, for which eager uses tensor cores.
  bool sixteen_bits = false;
  int answers = 0;   // The number of measured answers.
  double speed = 0;  // The median of their speeds.
};

std::span<const MeasuredSpeed> AllMeasuredSpeeds();

// The speed of the most specific row: by operator and width, by operator, by width, or by strategy
// alone. std::nullopt when nothing was measured.
std::optional<double> FindMeasuredSpeed(std::string_view strategy, std::string_view op,
                                        bool sixteen_bits);

}  // namespace kernelmill
