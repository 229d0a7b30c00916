#include "stages/verify/numerics/tensor_shape.h"

#include <algorithm>

#include "manifests/json_fields.h"

namespace kernelmill {

Result<TensorShape> TensorShape::FromSpec(const Json& spec) {
  TensorShape tensor;
  std::vector<std::int64_t> stride;
  std::int64_t offset = 0;
  JsonFields fields(spec, "tensor");
  fields.Read("dtype", &tensor.dtype);
  fields.Read("shape", &tensor.shape);
  fields.Read("stride", &stride);
  fields.Read("offset", &offset);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](auto size) { return size < 0; })) {
    return Status(ErrorCode::kWorker, "a worker described a tensor with a size below zero");
  }
  return tensor;
}

}  // namespace kernelmill
