#include "generators/lowering/order_key.h"

#include "generators/lowering/code_template.h"

namespace kernelmill {

bool HasNarrowKey(DType dtype) { return dtype != DType::kInt64 && dtype != DType::kFloat64; }

DeviceDefinition OrderKey(const std::string& name, DType dtype, const std::string& type,
                          bool descending) {
  const Holes holes = {{"name", name},
                       {"type", type},
                       {"order", descending ? "the largest first" : "the least first"},
                       {"turned", descending ? "~" : ""}};
  if (IsFloating(dtype)) {
    return {name, FillHoles(R"(
// A number in the order of the values, @order@: of negative ones all bits turn, of others the sign.
// NaN counts as larger than every number; the sum makes one zero of both.
__device__ unsigned int @name@(@type@ value) {
  if (value != value) return @turned@0xffffffffu;
  const unsigned int bits = __float_as_uint(value + 0.0f);
  return @turned@(bits & 0x80000000u ? ~bits : bits | 0x80000000u);
}
)",
                            holes)};
  }
  return {name, FillHoles(HasNarrowKey(dtype) ? R"(
// A number without a sign, in the order of the values, @order@.
__device__ unsigned int @name@(@type@ value) {
  return @turned@(static_cast<unsigned int>(value) ^ 0x80000000u);
}
)"
                                              : R"(
// A number without a sign, in the order of the values, @order@.
__device__ unsigned long long @name@(@type@ value) {
  return @turned@(static_cast<unsigned long long>(value) ^ 0x8000000000000000ull);
}
)",
                          holes)};
}

}  // namespace kernelmill
