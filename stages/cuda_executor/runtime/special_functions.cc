// Implements mathematical functions of CUDA that the C++ library lacks, or lacks on some systems.
#include <cmath>
#include <limits>

#include <kernelmill/device_math.h>

namespace kernelmill {
namespace {

// Refines a root of erfc(x) = y by Halley's method; each step triples the number of correct digits.
double Refine(double x, double y) {
  for (int i = 0; i < 4; ++i) {
    const double step = (std::erfc(x) - y) / (M_2_SQRTPI * std::exp(-x * x));
    x += step / (1.0 + x * step);
  }
  return x;
}

}  // namespace

double InverseErfc(double y) {
  if (!(y >= 0.0 && y <= 2.0)) return std::numeric_limits<double>::quiet_NaN();
  if (y == 0.0) return std::numeric_limits<double>::infinity();
  if (y == 2.0) return -std::numeric_limits<double>::infinity();
  if (y > 1.0) return -InverseErfc(2.0 - y);
  // Winitzki's approximation of the inverse is correct to two or three digits.
  constexpr double kA = 0.147;
  const double log = std::log(y * (2.0 - y));
  const double middle = 2.0 / (M_PI * kA) + 0.5 * log;
  return Refine(std::sqrt(std::sqrt(middle * middle - log / kA) - middle), y);
}

double InverseErf(double x) {
  // Near 0, 1 - x loses the digits of x.
  if (std::fabs(x) < 1e-4) return x / M_2_SQRTPI * (1.0 + M_PI / 12.0 * x * x);
  return x < 0.0 ? -InverseErfc(1.0 + x) : InverseErfc(1.0 - x);
}

double BesselI(int order, double x) {
  const double value = std::cyl_bessel_i(static_cast<double>(order), std::fabs(x));
  return x < 0.0 && order % 2 == 1 ? -value : value;
}

}  // namespace kernelmill
