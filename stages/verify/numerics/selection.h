// Compares outputs that are indices into another tensor: those of sort(), topk() or argmax(). If
// torch does not specify which of several equal elements is chosen, other indices are right too.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/verify/numerics/tensor_values.h"

namespace kernelmill {

// Made by the reference's run alone (stages/worker/torch_worker/selections.py). Points into a
// SharedBuffer, which must outlive it.
class Selection {
 public:
  // `output`: the output of indices.
  static Result<Selection> FromJson(const Json& json, const TensorValues& output,
                                    std::string_view bytes);

  // The elements of an output whose index is wrong, among `elements` (nullptr: among all). An index
  // that differs from the expected one is right if no other element of the output has it and it
  // points at an element of the same line that is as good: at an equal element if torch leaves
  // their order open, or, if the searched values are results of rounding, at one that differs only
  // by their rounding error.
  std::vector<std::int64_t> Wrong(const TensorValues& expected, const TensorValues& got,
                                  const std::vector<std::int64_t>* elements) const;

 private:
  // The largest rounding error of the searched values, against the same in float64.
  double LargestError() const;
  bool AsGood(std::int64_t line, std::int64_t want, std::int64_t have, double error) const;

  TensorValues lines_;                 // [lines, length]: the values that were searched.
  std::optional<TensorValues> exact_;  // The same in float64.
  TensorValues line_of_;               // The line of each element of the output.
  bool open_ = false;                  // torch leaves the order of equal elements open.
};

}  // namespace kernelmill
