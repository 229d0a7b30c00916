// Replaces CUDA's cuComplex.h for kernels that run on the executor: complex numbers and their
// functions.
#pragma once

#include <cmath>

#include <kernelmill/vector_types.h>

#define KM_COMPLEX(Complex, Real, Vector, suffix, magnitude)                             \
  using Complex = Vector;                                                                \
  inline Complex make_##Complex(Real real, Real imaginary) { return {real, imaginary}; } \
  inline Real cuCreal##suffix(Complex a) { return a.x; }                                 \
  inline Real cuCimag##suffix(Complex a) { return a.y; }                                 \
  inline Complex cuConj##suffix(Complex a) { return {a.x, -a.y}; }                       \
  inline Complex cuCadd##suffix(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; } \
  inline Complex cuCsub##suffix(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; } \
  inline Complex cuCmul##suffix(Complex a, Complex b) {                                  \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                               \
  }                                                                                      \
  inline Complex cuCdiv##suffix(Complex a, Complex b) {                                  \
    const Real scale = std::fabs(b.x) + std::fabs(b.y),                                  \
               length = (b.x / scale) * b.x + (b.y / scale) * b.y;                       \
    return {((a.x / scale) * b.x + (a.y / scale) * b.y) / length,                        \
            ((a.y / scale) * b.x - (a.x / scale) * b.y) / length};                       \
  }                                                                                      \
  inline Real cuCabs##suffix(Complex a) { return magnitude(a.x, a.y); }                  \
  inline Complex cuCfma##suffix(Complex a, Complex b, Complex c) {                       \
    return cuCadd##suffix(cuCmul##suffix(a, b), c);                                      \
  }
KM_COMPLEX(cuFloatComplex, float, float2, f, hypotf)
KM_COMPLEX(cuDoubleComplex, double, double2, , hypot)
#undef KM_COMPLEX
using cuComplex = cuFloatComplex;
inline cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
