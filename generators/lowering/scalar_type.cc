#include "generators/lowering/scalar_type.h"

namespace kernelmill {

ScalarName ScalarNameOf(DType dtype, const KernelBackend& backend) {
  switch (dtype) {
    case DType::kBool:
      return {"bool", "bool", "bool", "torch::kBool"};
    case DType::kUInt8:
      return {"uint8_t", "uint8_t", "uint8_t", "torch::kUInt8"};
    case DType::kInt8:
      return {"int8_t", "int8_t", "int8_t", "torch::kInt8"};
    case DType::kInt16:
      return {"int16_t", "int16_t", "int16_t", "torch::kInt16"};
    case DType::kInt32:
      return {"int", "int", "int", "torch::kInt32"};
    case DType::kInt64:
      return {"int64_t", "int64_t", "int64_t", "torch::kInt64"};
    case DType::kFloat16:
      return {std::string(backend.half_type), "float", "at::Half", "torch::kFloat16"};
    case DType::kBFloat16:
      return {std::string(backend.bfloat16_type), "float", "at::BFloat16", "torch::kBFloat16"};
    case DType::kFloat32:
      return {"float", "float", "float", "torch::kFloat32"};
    case DType::kFloat64:
      return {"double", "double", "double", "torch::kFloat64"};
  }
  return {};
}

std::string ToComputeType(DType dtype, const std::string& place) {
  if (dtype == DType::kFloat16) return "__half2float(" + place + ")";
  if (dtype == DType::kBFloat16) return "__bfloat162float(" + place + ")";
  return place;
}

std::string ToStorageType(DType dtype, const std::string& value) {
  if (dtype == DType::kFloat16) return "__float2half(" + value + ")";
  if (dtype == DType::kBFloat16) return "__float2bfloat16(" + value + ")";
  return value;
}

}  // namespace kernelmill
