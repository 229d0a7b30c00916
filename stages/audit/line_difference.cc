#include "stages/audit/line_difference.h"

#include <algorithm>

#include "manifests/printable.h"

namespace kernelmill {
namespace {

constexpr std::size_t kShownBytes = 120;  // Of a line that differs,
constexpr std::size_t kBytesBefore = 40;  // and of these so many before the difference.

}  // namespace

LineDifference FirstDifference(const std::string& found, const std::string& expected) {
  const auto at = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end()).first;
  const auto start = static_cast<std::size_t>(at - found.begin());
  const std::size_t begin = start == 0 ? 0 : found.rfind('\n', start - 1) + 1;
  const std::size_t shown = std::max(begin, start - std::min(start, kBytesBefore));
  const auto line = [&](const std::string& text) {
    return PrintableLine(text.substr(shown, text.find('\n', shown) - shown), kShownBytes);
  };
  return {std::count(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(begin), '\n') + 1,
          line(found), line(expected)};
}

AuditFinding FindingOn(const std::string& file, const LineDifference& difference,
                       const std::string& makers) {
  return {file, "line " + std::to_string(difference.line),
          "it says '" + difference.found + "', but " + makers + " '" + difference.expected + "'"};
}

}  // namespace kernelmill
