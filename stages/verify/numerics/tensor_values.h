// A view of a tensor that a worker has written into shared memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// The bytes of one element of a dtype as torch names it, without "torch."; 0 for an unknown one.
std::int64_t BytesOfElement(std::string_view dtype);

// Points into a SharedBuffer, which must outlive it. A complex number counts as two elements of an
// innermost dimension of size 2.
class TensorValues {
 public:
  // `spec`: {"dtype", "shape", "stride", "offset"} of stages/worker/torch_worker/exchange.py. The
  // worker may be hostile: kWorker if the spec does not fit into `bytes`.
  static Result<TensorValues> FromSpec(const Json& spec, std::string_view bytes);

  const std::string& dtype() const { return dtype_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t size() const { return size_; }
  bool is_floating() const { return floating_; }

  // Element `i` in row-major order. An int64 beyond 2^53 is rounded.
  double At(std::int64_t i) const;
  // The integer itself; only for dtypes that are not floating.
  std::int64_t IntegerAt(std::int64_t i) const;
  // Whether the element is the NaN of unwritten memory (torch's own NaN, or all bits set) or was
  // computed from one. An operation on numbers makes another NaN.
  bool IsFreshNan(std::int64_t i) const;
  // The same tensor with other values. `bytes` has the same size, and must outlive the result.
  TensorValues WithBytes(std::string_view bytes) const;
  std::string_view bytes() const { return bytes_; }
  // The index of element `i`, in row-major order, in every dimension.
  std::vector<std::int64_t> IndexOf(std::int64_t i) const;

 private:
  std::string dtype_;
  std::vector<std::int64_t> shape_;
  std::string_view bytes_;
  std::int64_t size_ = 0;
  int kind_ = 0;
  bool floating_ = false;
};

// Views of an array of such specs.
Result<std::vector<TensorValues>> TensorsFromSpecs(const Json& specs, std::string_view bytes);

// Formats an element with four significant digits, or as the integer itself: "0.1234", "nan",
// "-inf", "17".
std::string WriteValue(const TensorValues& tensor, std::int64_t i);

}  // namespace kernelmill
