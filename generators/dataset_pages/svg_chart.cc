#include "generators/dataset_pages/svg_chart.h"

#include <algorithm>
#include <bit>

#include "generators/dataset_pages/markup.h"
#include "generators/wording/number_format.h"
#include "manifests/printable.h"

namespace kernelmill {
namespace {

// Lengths are in units of the view box, which the page scales; text is 12 units high.
constexpr int kWidth = 640;
constexpr int kLabelWidth = 150;
constexpr int kValueWidth = 70;
constexpr int kBarLine = 22;
constexpr int kStageLine = 40;
constexpr int kPlotHeight = 140;
constexpr std::size_t kLabelBytes = 22;

std::string Open(const std::string& title, int height) {
  return "<svg viewBox=\"0 0 " + std::to_string(kWidth) + " " + std::to_string(height) +
         "\" role=\"img\" aria-label=\"" + HtmlText(title) + "\">\n";
}

std::string Text(int x, int y, const std::string& style, const std::string& text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" class=\"" + style +
         "\">" + HtmlText(text) + "</text>\n";
}

// The length of a bar in tenths of a unit, at least half a unit so that every bar is visible. It is
// computed in integers, so that every machine writes the same bytes.
std::int64_t Tenths(std::int64_t value, std::int64_t most, int length) {
  if (value <= 0 || most <= 0) return 0;
  const double share = static_cast<double>(value) / static_cast<double>(most);
  return std::max<std::int64_t>(5, static_cast<std::int64_t>(share * length * 10));
}

std::string Decimal(std::int64_t tenths) {
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string Rectangle(std::int64_t x_tenths, std::int64_t y_tenths, std::int64_t width_tenths,
                      std::int64_t height_tenths, const std::string& style,
                      const std::string& tooltip) {
  if (width_tenths == 0 || height_tenths == 0) return "";
  return "<rect x=\"" + Decimal(x_tenths) + "\" y=\"" + Decimal(y_tenths) + "\" width=\"" +
         Decimal(width_tenths) + "\" height=\"" + Decimal(height_tenths) + "\" rx=\"2\" class=\"" +
         style + "\"><title>" + HtmlText(tooltip) + "</title></rect>\n";
}

std::string Label(const std::string& text) { return PrintableLine(text, kLabelBytes); }

}  // namespace

std::string BarChart(const std::string& title, const std::vector<Bar>& bars) {
  std::int64_t most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.value);
  std::string svg = Open(title, kBarLine * static_cast<int>(bars.size()) + 4);
  int y = 2;
  for (const Bar& bar : bars) {
    const std::int64_t length = Tenths(bar.value, most, kWidth - kLabelWidth - kValueWidth);
    svg += Text(kLabelWidth - 8, y + 15, "end", Label(bar.label));
    svg += Rectangle(
        10 * kLabelWidth, 10 * y + 30, length, 160, "kept",
        bar.label + ": " + Grouped(bar.value) + (bar.note.empty() ? "" : ", " + bar.note));
    svg +=
        Text(kLabelWidth + static_cast<int>(length / 10) + 6, y + 15, "value", Grouped(bar.value));
    y += kBarLine;
  }
  return svg + "</svg>\n";
}

std::string ShareChart(const std::string& title, const std::vector<ShareBar>& bars) {
  constexpr int kLength = kWidth - kLabelWidth - kValueWidth;
  constexpr std::int64_t kMillionths = 1'000'000;
  const auto tenths = [](double share) {
    return Tenths(static_cast<std::int64_t>(share * kMillionths), kMillionths, kLength);
  };
  const auto percent = [](double share) {
    return Percent(static_cast<std::int64_t>(share * kMillionths), kMillionths);
  };
  std::string svg = Open(title, kBarLine * static_cast<int>(bars.size()) + 4);
  int y = 2;
  for (const ShareBar& bar : bars) {
    const std::string tooltip = bar.label + ": " + percent(bar.value) + ", " + percent(bar.low) +
                                " to " + percent(bar.high);
    svg += Text(kLabelWidth - 8, y + 15, "end", Label(bar.label));
    svg += Rectangle(10 * kLabelWidth, 10 * y + 30, tenths(bar.value), 160, "kept", tooltip);
    const std::int64_t low = tenths(bar.low), high = tenths(bar.high);
    svg += Rectangle(10 * kLabelWidth + low, 10 * y + 95, high - low, 30, "rejected", tooltip);
    svg += Text(kLabelWidth + kLength + 6, y + 15, "value", percent(bar.value));
    y += kBarLine;
  }
  return svg + "</svg>\n";
}

std::string StageChart(const std::string& title, const std::vector<StageBar>& bars) {
  std::int64_t most = 0;
  for (const StageBar& bar : bars) most = std::max(most, bar.kept + bar.dropped + bar.rejected);
  std::string svg = Open(title, kStageLine * static_cast<int>(bars.size()) + 4);
  int y = 2;
  for (const StageBar& bar : bars) {
    svg += Text(kLabelWidth - 8, y + 14, "end strong", Label(bar.label));
    svg += Text(kLabelWidth - 8, y + 28, "end muted small", PrintableLine(bar.detail, 28));
    std::int64_t x = 10 * kLabelWidth;
    const auto part = [&](std::int64_t value, const std::string& style) {
      const std::int64_t length = Tenths(value, most, kWidth - kLabelWidth - kValueWidth);
      svg += Rectangle(x, 10 * y + 40, length, 240, style,
                       bar.label + ": " + Grouped(value) + " " + style);
      x += length;
    };
    part(bar.kept, "kept");
    part(bar.dropped, "dropped");
    part(bar.rejected, "rejected");
    svg += Text(static_cast<int>(x / 10) + 6, y + 20, "value",
                Grouped(bar.kept + bar.dropped + bar.rejected));
    y += kStageLine;
  }
  return svg + "</svg>\n";
}

std::string PowerHistogram(const std::string& title, const std::string& unit,
                           const Distribution& values, int log2_step) {
  // Bin 0 counts zeros; bin i > 0 covers [2^(s (i - 1)), 2^(s i)).
  std::vector<std::int64_t> bins;
  std::size_t first = 64;
  for (const auto& [value, times] : values.counts()) {
    const auto bits = static_cast<std::size_t>(
        std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0))));
    const auto step = static_cast<std::size_t>(log2_step);
    const std::size_t bin = bits == 0 ? 0 : (bits - 1) / step + 1;
    if (bins.size() <= bin) bins.resize(bin + 1);
    bins[bin] += times;
    first = std::min(first, bin);
  }
  constexpr int kTop = 18, kBottom = 34;
  std::string svg = Open(title, kTop + kPlotHeight + kBottom);
  if (bins.empty()) {
    return svg + Text(kWidth / 2, kTop + kPlotHeight / 2, "middle muted", "nothing to show") +
           "</svg>\n";
  }
  const std::int64_t most = *std::max_element(bins.begin(), bins.end());
  const auto columns = static_cast<int>(bins.size() - first);
  // Limits the width of the bars when there are few bins.
  const int pitch = std::min((kWidth - 20) / columns, 64);
  int x = (kWidth - pitch * columns) / 2;
  const std::string base = std::to_string(kTop + kPlotHeight);
  svg += "<line x1=\"10\" x2=\"" + std::to_string(kWidth - 10) + "\" y1=\"" + base + "\" y2=\"" +
         base + "\" class=\"axis\"/>\n";
  for (std::size_t bin = first; bin < bins.size(); ++bin, x += pitch) {
    const auto edge = [&](std::size_t i) {
      const auto power = static_cast<std::size_t>(log2_step) * i;
      return power < 63 ? std::int64_t{1} << power : INT64_MAX;
    };
    const std::string from = bin == 0 ? "0" : Binary(edge(bin - 1));
    const std::string range = bin == 0 ? "0" : from + " to below " + Binary(edge(bin));
    const std::int64_t height = Tenths(bins[bin], most, kPlotHeight);
    svg += Rectangle(10 * x + 15, 10 * (kTop + kPlotHeight) - height, 10 * pitch - 30, height,
                     "kept", range + " " + unit + ": " + Grouped(bins[bin]));
    const int middle = x + pitch / 2;
    if (bins[bin] > 0) {
      svg += Text(middle, kTop + kPlotHeight - static_cast<int>(height / 10) - 5, "middle small",
                  Grouped(bins[bin]));
    }
    svg += Text(bin == 0 ? middle : x + 2, kTop + kPlotHeight + 14,
                bin == 0 ? "middle muted small" : "muted small", from);
  }
  svg += Text(kWidth / 2, kTop + kPlotHeight + 30, "middle muted small", unit);
  return svg + "</svg>\n";
}

}  // namespace kernelmill
