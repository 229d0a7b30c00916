#include "generators/lowering/atomic_functions.h"

#include "generators/lowering/code_template.h"

namespace kernelmill {

DeviceDefinition AtomicProduct(const std::string& name, bool floating) {
  return {name, FillHoles(floating ? R"(
// Multiplies by compare-and-swap, since no device has an atomic product: whoever was overtaken
// tries again with what it has found.
__device__ void @name@(float* address, float value) {
  int* const word = reinterpret_cast<int*>(address);
  int seen = atomicAdd(word, 0), assumed;
  do {
    assumed = seen;
    seen = atomicCAS(word, assumed, __float_as_int(__int_as_float(assumed) * value));
  } while (seen != assumed);
}
)"
                                   : R"(
// Multiplies by compare-and-swap, since no device has an atomic product: whoever was overtaken
// tries again with what it has found. Without a sign overflow is defined.
__device__ void @name@(int* address, int value) {
  int seen = atomicAdd(address, 0), assumed;
  do {
    assumed = seen;
    const unsigned int product = static_cast<unsigned int>(assumed) * value;
    seen = atomicCAS(address, assumed, static_cast<int>(product));
  } while (seen != assumed);
}
)",
                          {{"name", name}})};
}

DeviceDefinitions AtomicKeys(const std::string& to_key, const std::string& from_key, bool largest) {
  const Holes holes = {
      {"key", to_key}, {"value", from_key}, {"nan", largest ? "0x7fffffff" : "(-0x7fffffff - 1)"}};
  return {{to_key, FillHoles(R"(
// An integer in the order of the values: of negative ones all bits but the sign turn. NaN wins.
__device__ int @key@(float value) {
  if (value != value) return @nan@;
  const int bits = __float_as_int(value);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}
)",
                             holes)},
          {from_key, FillHoles(R"(
__device__ float @value@(int number) {
  if (number == @nan@) return NAN;
  return __int_as_float(number < 0 ? number ^ 0x7fffffff : number);
}
)",
                               holes)}};
}

}  // namespace kernelmill
