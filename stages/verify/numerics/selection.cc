#include "stages/verify/numerics/selection.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

// The tolerated difference of two elements, in multiples of the reference's error (comparison.cc).
constexpr double kErrorMultiple = 2 * 8.0;

}  // namespace

Result<Selection> Selection::FromJson(const Json& json, const TensorValues& output,
                                      std::string_view bytes) {
  Selection selection;
  Json lines, exact, line_of;
  JsonFields fields(json, "selection");
  fields.Read("lines", &lines);
  fields.Read("exact", &exact);
  fields.Read("line_of", &line_of);
  fields.Read("open", &selection.open_);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(selection.lines_, TensorValues::FromSpec(lines, bytes));
  KM_ASSIGN(selection.line_of_, TensorValues::FromSpec(line_of, bytes));
  if (!exact.is_null()) {
    KM_ASSIGN(selection.exact_, TensorValues::FromSpec(exact, bytes));
  }
  const bool fits = selection.lines_.shape().size() == 2 &&
                    selection.line_of_.shape() == output.shape() &&
                    selection.line_of_.dtype() == "int64" && !output.is_floating() &&
                    (!selection.exact_ || (selection.exact_->is_floating() &&
                                           selection.exact_->shape() == selection.lines_.shape()));
  if (!fits) return Status(ErrorCode::kWorker, "a selection that does not fit its output");
  return selection;
}

double Selection::LargestError() const {
  double error = 0.0;
  if (!exact_) return error;
  for (std::int64_t i = 0; i < lines_.size(); ++i) {
    const double exact = exact_->At(i), rounded = lines_.At(i);
    if (!std::isfinite(exact) || !std::isfinite(rounded)) continue;
    error = std::max(error, std::abs(exact - rounded));
  }
  return error;
}

bool Selection::AsGood(std::int64_t line, std::int64_t want, std::int64_t have,
                       double error) const {
  const std::int64_t count = lines_.shape()[0], length = lines_.shape()[1];
  for (const std::int64_t index : {want, have}) {
    if (index < 0 || index >= length || line < 0 || line >= count) return false;
  }
  const std::int64_t i = line * length + want, j = line * length + have;
  if (!lines_.is_floating()) return open_ && lines_.IntegerAt(i) == lines_.IntegerAt(j);
  const double a = lines_.At(i), b = lines_.At(j);
  if (std::isnan(a) || std::isnan(b)) return open_ && std::isnan(a) && std::isnan(b);
  if (a == b) return open_ || error > 0.0;
  return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= kErrorMultiple * error;
}

std::vector<std::int64_t> Selection::Wrong(const TensorValues& expected, const TensorValues& got,
                                           const std::vector<std::int64_t>* elements) const {
  std::vector<std::int64_t> looked_at;
  if (elements == nullptr) {
    looked_at.resize(static_cast<std::size_t>(expected.size()));
    std::iota(looked_at.begin(), looked_at.end(), 0);
  } else {
    std::unique_copy(elements->begin(), elements->end(), std::back_inserter(looked_at));
  }
  const auto differs = [&](std::int64_t i) { return expected.IntegerAt(i) != got.IntegerAt(i); };
  std::vector<std::int64_t> wrong;
  if (std::none_of(looked_at.begin(), looked_at.end(), differs)) return wrong;
  const auto target = [&](std::int64_t i) {
    return std::pair(line_of_.IntegerAt(i), got.IntegerAt(i));
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (const std::int64_t i : looked_at) taken.push_back(target(i));
  std::sort(taken.begin(), taken.end());
  const double error = LargestError();
  for (const std::int64_t i : looked_at) {
    if (!differs(i)) continue;
    const auto [first, last] = std::equal_range(taken.begin(), taken.end(), target(i));
    const bool alone = last - first == 1;
    if (alone && AsGood(line_of_.IntegerAt(i), expected.IntegerAt(i), got.IntegerAt(i), error)) {
      continue;
    }
    wrong.push_back(i);
  }
  return wrong;
}

}  // namespace kernelmill
