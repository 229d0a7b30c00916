// Implements the device API of cuRAND, for kernels that run on the executor, with a counter-based
// generator: a number depends only on seed, sequence and offset. The numbers differ from NVIDIA's.
#pragma once

#include <cmath>
#include <cstdint>

#include <kernelmill/split_mix.h>
#include <kernelmill/vector_types.h>

struct curandState {
  std::uint64_t key;
  std::uint64_t counter;
};
using curandState_t = curandState;
using curandStateXORWOW_t = curandState;
using curandStateXORWOW = curandState;
using curandStatePhilox4_32_10_t = curandState;
using curandStatePhilox4_32_10 = curandState;
using curandStateMRG32k3a_t = curandState;

inline void curand_init(unsigned long long seed, unsigned long long sequence,
                        unsigned long long offset, curandState* state) {
  state->key = kernelmill::MixedBits(kernelmill::MixedBits(seed + 1) + sequence);
  state->counter = offset;
}
inline unsigned curand(curandState* state) {
  return static_cast<unsigned>(
      kernelmill::MixedBits(state->key + kernelmill::kSplitMixStep * ++state->counter) >> 32);
}
// Uniform in (0, 1], as in cuRAND.
inline float curand_uniform(curandState* state) {
  return static_cast<float>((curand(state) >> 8) + 1) * 0x1p-24f;
}
inline double curand_uniform_double(curandState* state) {
  return (static_cast<double>(curand(state)) + 1.0) * 0x1p-32;
}
inline float2 curand_normal2(curandState* state) {
  const float radius = std::sqrt(-2.0f * std::log(curand_uniform(state)));
  const float angle = 6.2831853f * curand_uniform(state);
  return {radius * std::sin(angle), radius * std::cos(angle)};
}
inline float curand_normal(curandState* state) { return curand_normal2(state).x; }
inline float4 curand_uniform4(curandState* state) {
  const float x = curand_uniform(state), y = curand_uniform(state), z = curand_uniform(state);
  return {x, y, z, curand_uniform(state)};
}
inline float4 curand_normal4(curandState* state) {
  const float2 a = curand_normal2(state), b = curand_normal2(state);
  return {a.x, a.y, b.x, b.y};
}
inline uint4 curand4(curandState* state) {
  const unsigned x = curand(state), y = curand(state), z = curand(state);
  return {x, y, z, curand(state)};
}
inline double2 curand_uniform2_double(curandState* state) {
  const double x = curand_uniform_double(state);
  return {x, curand_uniform_double(state)};
}
inline double2 curand_normal2_double(curandState* state) {
  const double radius = std::sqrt(-2.0 * std::log(curand_uniform_double(state)));
  const double angle = 2.0 * M_PI * curand_uniform_double(state);
  return {radius * std::sin(angle), radius * std::cos(angle)};
}
inline double curand_normal_double(curandState* state) { return curand_normal2_double(state).x; }
// Multiplies uniform numbers (Knuth's algorithm), in steps that keep exp(-mean) representable.
inline unsigned curand_poisson(curandState* state, double mean) {
  unsigned count = 0;
  double left = mean, product = 1.0;
  while (true) {
    product *= curand_uniform_double(state);
    while (product < 1.0 && left > 0.0) {
      const double step = left < 500.0 ? left : 500.0;
      product *= std::exp(step);
      left -= step;
    }
    if (product <= 1.0) return count;
    ++count;
  }
}
inline double curand_log_normal_double(curandState* state, double mean, double deviation) {
  return std::exp(mean + deviation * curand_normal2_double(state).x);
}
inline float curand_log_normal(curandState* state, float mean, float deviation) {
  return std::exp(mean + deviation * curand_normal(state));
}
inline void skipahead(unsigned long long count, curandState* state) { state->counter += count; }
