// The shape and dtype of a tensor whose values are not known, or are nowhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

struct TensorShape {
  std::string dtype;                // As torch names it, without "torch.": "float32".
  std::vector<std::int64_t> shape;  // Elements in every dimension.

  // `spec`: {"dtype", "shape", "stride", "offset"} of stages/worker/torch_worker/exchange.py, of
  // which the last two are ignored. The worker may be hostile: kWorker for sizes below zero.
  static Result<TensorShape> FromSpec(const Json& spec);

  bool operator==(const TensorShape&) const = default;
};

}  // namespace kernelmill
