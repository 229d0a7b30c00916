// What -use_fast_math makes of a device's functions of single precision. The judge's build has the
// units of a candidate that asks for it include this (stages/verify/build); in such a library these
// come before the executor's own (runtime/device_functions.cc).
#define KM_FAST extern "C" __attribute__((weak, visibility("hidden")))
KM_FAST float __wrap_expf(float x) { return __expf(x); }
KM_FAST float __wrap_exp10f(float x) { return __exp10f(x); }
KM_FAST float __wrap_logf(float x) { return __logf(x); }
KM_FAST float __wrap_log2f(float x) { return __log2f(x); }
KM_FAST float __wrap_log10f(float x) { return __log10f(x); }
KM_FAST float __wrap_powf(float x, float y) { return __powf(x, y); }
KM_FAST float __wrap_sinf(float x) { return __sinf(x); }
KM_FAST float __wrap_cosf(float x) { return __cosf(x); }
KM_FAST float __wrap_tanf(float x) { return __tanf(x); }
KM_FAST void __wrap_sincosf(float x, float* sine, float* cosine) { __sincosf(x, sine, cosine); }
#undef KM_FAST
