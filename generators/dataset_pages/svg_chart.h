// Charts as inline SVG, without scripts and external references, for reports
// (html_page.h). Colours are given by classes, so that the style sheet of the page chooses them
// for light and dark mode. Labels may be any text: they are escaped and shortened.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/statistics/dataset_statistics.h"

namespace kernelmill {

struct Bar {
  std::string label;
  std::int64_t value = 0;
  std::string note;  // Text of the tooltip after label and value; may be empty.
};
// Horizontal bars, one per line, in the given order.
std::string BarChart(const std::string& title, const std::vector<Bar>& bars);

// Horizontal bars of shares, 0 to 1, each with the interval that holds the true share.
struct ShareBar {
  std::string label;
  double value = 0, low = 0, high = 0;
};
std::string ShareChart(const std::string& title, const std::vector<ShareBar>& bars);

// Horizontal bars, each divided into kept, dropped and rejected.
struct StageBar {
  std::string label;
  std::string detail;  // Shown below the label.
  std::int64_t kept = 0, dropped = 0, rejected = 0;
};
std::string StageChart(const std::string& title, const std::vector<StageBar>& bars);

// Vertical bars over bins with bounds that are powers of 2^`log2_step`: a bin for 0 (if there are
// zeros), then [1, 2^s), [2^s, 2^2s) and so on, without gaps from the smallest to the largest
// value. Values must not be negative.
std::string PowerHistogram(const std::string& title, const std::string& unit,
                           const Distribution& values, int log2_step);

}  // namespace kernelmill
