// An output that says where elements of another tensor lie: of sort(), topk() or argmax().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/verify/numerics/tensor_values.h"

namespace kernelmill {

// Comes from the reference's run alone (stages/worker/torch_worker/selections.py). Points into a
// SharedBuffer, which must outlive it.
class Selection {
 public:
  // `output`: what it belongs to.
  static Result<Selection> FromJson(const Json& json, const TensorValues& output,
                                    std::string_view bytes);

  // Of `elements` of an output (nullptr: of all), those that do not do in place of what is
  // expected. Another index does where it points at as good an element of its line and no other
  // element of the output points there: at an equal one, where their order is open, and, where
  // what was searched had been rounded, at one that differs by rounding only.
  std::vector<std::int64_t> Wrong(const TensorValues& expected, const TensorValues& got,
                                  const std::vector<std::int64_t>* elements) const;

 private:
  // Of what was searched, against the same in float64.
  double LargestError() const;
  bool AsGood(std::int64_t line, std::int64_t want, std::int64_t have, double error) const;

  TensorValues lines_;                 // [lines, length]: what was searched.
  std::optional<TensorValues> exact_;  // The same in float64.
  TensorValues line_of_;               // Of each element of the output.
  bool open_ = false;                  // The order of equal elements.
};

}  // namespace kernelmill
