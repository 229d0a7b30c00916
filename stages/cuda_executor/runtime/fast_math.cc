// Implements exp2f(), what has the addresses of fmaxf() and such, and what -use_fast_math makes of
// a device's functions of single precision: the linker puts these in their place in such a
// candidate's library (FastMathFlags() in compile_flags.cc), whether the code calls expf(), exp()
// or std::exp().
#include <kernelmill/extremes.h>
#include <kernelmill/fast_functions.h>

extern "C" {
float __wrap_fmaxf(float a, float b) { return kernelmill::Larger(a, b); }
float __wrap_fminf(float a, float b) { return kernelmill::Smaller(a, b); }
double __wrap_fmax(double a, double b) { return kernelmill::Larger(a, b); }
double __wrap_fmin(double a, double b) { return kernelmill::Smaller(a, b); }
float __wrap_exp2f(float x) { return kernelmill::ApproximateExp2(x); }
float __wrap_expf(float x) { return __expf(x); }
float __wrap_exp10f(float x) { return __exp10f(x); }
float __wrap_logf(float x) { return __logf(x); }
float __wrap_log2f(float x) { return __log2f(x); }
float __wrap_log10f(float x) { return __log10f(x); }
float __wrap_powf(float x, float y) { return __powf(x, y); }
float __wrap_sinf(float x) { return __sinf(x); }
float __wrap_cosf(float x) { return __cosf(x); }
float __wrap_tanf(float x) { return __tanf(x); }
void __wrap_sincosf(float x, float* sine, float* cosine) { __sincosf(x, sine, cosine); }
}
