// Charts as inline SVG: no script, no reference to anything outside, colours by class, so that the
// style sheet of the page (generators/dataset_pages/html_report.cc) decides them in light and dark. Labels may
// be any text; they are escaped and cut here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/statistics/dataset_statistics.h"

namespace kernelmill {

struct Bar {
  std::string label;
  std::int64_t value = 0;
  std::string note;  // For the tooltip, after label and value; may be empty.
};
// Horizontal bars, one a line, in the order given.
std::string BarChart(const std::string& title, const std::vector<Bar>& bars);

// Bars of one line each that are cut into parts: what went on, was dropped, was rejected.
struct StageBar {
  std::string label;
  std::string detail;  // Beneath the label.
  std::int64_t kept = 0, dropped = 0, rejected = 0;
};
std::string StageChart(const std::string& title, const std::vector<StageBar>& bars);

// Vertical bars over the powers of 2^`log2_step`: the bin of 0 (if there are any), then [1, 2^s),
// [2^s, 2^2s) and so on, without gaps from the least value to the greatest. Values are >= 0.
std::string PowerHistogram(const std::string& title, const std::string& unit,
                           const Distribution& values, int log2_step);

}  // namespace kernelmill
