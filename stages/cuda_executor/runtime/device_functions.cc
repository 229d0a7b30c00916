// Implements functions of the C library as a device has them. The linker puts these in their place
// in every candidate's library (LinkFlags() in compile_flags.cc), whether the code calls expf(),
// exp() or std::exp(), or takes the address of fmaxf().
//
// A device's functions of single precision are exact to some units in the last place (CUDA C++
// Programming Guide, "Mathematical Functions"), while the C library's are nearly always the nearest
// floats: a kernel could tell the two by that.
#include <math.h>

#include <bit>

#include <kernelmill/extremes.h>
#include <kernelmill/fast_functions.h>

namespace kernelmill {
namespace {

// For every fourth argument, the neighbour of the nearest float on the other side of the exact
// result. A result that is nearly a float is that float.
float ToOneUnit(double exact, float x, float y = 0.0f) {
  const auto nearest = static_cast<float>(exact);
  const double away = fabs(double{nearest}) - fabs(exact);
  if (!(fabs(away) > fabs(exact) * 0x1p-36) || nearest == 0.0f || isinf(nearest)) return nearest;
  const unsigned arguments = std::bit_cast<unsigned>(x) + 31 * std::bit_cast<unsigned>(y);
  if ((arguments * 0x9e3779b1u) >> 30 != 0) return nearest;
  const auto bits = std::bit_cast<unsigned>(nearest);
  const auto neighbour = std::bit_cast<float>(away < 0.0 ? bits + 1 : bits - 1);
  return isinf(neighbour) ? nearest : neighbour;
}

}  // namespace
}  // namespace kernelmill

#define KM_TO_ONE_UNIT(name) \
  float __wrap_##name##f(float x) { return kernelmill::ToOneUnit(name(double{x}), x); }
#define KM_TO_ONE_UNIT_OF_TWO(name)                                 \
  float __wrap_##name##f(float x, float y) {                        \
    return kernelmill::ToOneUnit(name(double{x}, double{y}), x, y); \
  }

extern "C" {
float __wrap_fmaxf(float a, float b) { return kernelmill::Larger(a, b); }
float __wrap_fminf(float a, float b) { return kernelmill::Smaller(a, b); }
double __wrap_fmax(double a, double b) { return kernelmill::Larger(a, b); }
double __wrap_fmin(double a, double b) { return kernelmill::Smaller(a, b); }
float __wrap_exp2f(float x) { return kernelmill::ApproximateExp2(x); }
KM_TO_ONE_UNIT(exp)
KM_TO_ONE_UNIT(exp10)
KM_TO_ONE_UNIT(expm1)
KM_TO_ONE_UNIT(log)
KM_TO_ONE_UNIT(log2)
KM_TO_ONE_UNIT(log10)
KM_TO_ONE_UNIT(log1p)
KM_TO_ONE_UNIT(sin)
KM_TO_ONE_UNIT(cos)
KM_TO_ONE_UNIT(tan)
KM_TO_ONE_UNIT(asin)
KM_TO_ONE_UNIT(acos)
KM_TO_ONE_UNIT(atan)
KM_TO_ONE_UNIT(sinh)
KM_TO_ONE_UNIT(cosh)
KM_TO_ONE_UNIT(tanh)
KM_TO_ONE_UNIT(asinh)
KM_TO_ONE_UNIT(acosh)
KM_TO_ONE_UNIT(atanh)
KM_TO_ONE_UNIT(cbrt)
KM_TO_ONE_UNIT(erf)
KM_TO_ONE_UNIT(erfc)
KM_TO_ONE_UNIT(tgamma)
KM_TO_ONE_UNIT(lgamma)
KM_TO_ONE_UNIT_OF_TWO(pow)
KM_TO_ONE_UNIT_OF_TWO(atan2)
KM_TO_ONE_UNIT_OF_TWO(hypot)
void __wrap_sincosf(float x, float* sine, float* cosine) {
  *sine = __wrap_sinf(x);
  *cosine = __wrap_cosf(x);
}
}
#undef KM_TO_ONE_UNIT
#undef KM_TO_ONE_UNIT_OF_TWO
