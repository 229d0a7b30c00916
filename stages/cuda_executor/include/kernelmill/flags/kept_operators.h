// What the macros of a translation unit leave of the operators and conversions of __half and
// __nv_bfloat16 (half.h), as in cuda_fp16.h and cuda_bf16.h. The judge's build has every unit of a
// candidate include it, once, after the macros of its flags (stages/verify/build).
namespace kernelmill {

#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define KM_CONVERSIONS false
#else
#define KM_CONVERSIONS true
#endif
#ifdef __CUDA_NO_HALF_OPERATORS__
#define KM_OPERATORS false
#else
#define KM_OPERATORS true
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
#define KM_PAIR_OPERATORS false
#else
#define KM_PAIR_OPERATORS true
#endif
template <>
struct KeptOperators<HalfFormat> {
  static constexpr bool kConversions = KM_CONVERSIONS, kOperators = KM_OPERATORS,
                        kPairOperators = KM_PAIR_OPERATORS;
};
#undef KM_CONVERSIONS
#undef KM_OPERATORS
#undef KM_PAIR_OPERATORS

#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define KM_CONVERSIONS false
#else
#define KM_CONVERSIONS true
#endif
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define KM_OPERATORS false
#else
#define KM_OPERATORS true
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#define KM_PAIR_OPERATORS false
#else
#define KM_PAIR_OPERATORS true
#endif
template <>
struct KeptOperators<Bfloat16Format> {
  static constexpr bool kConversions = KM_CONVERSIONS, kOperators = KM_OPERATORS,
                        kPairOperators = KM_PAIR_OPERATORS;
};
#undef KM_CONVERSIONS
#undef KM_OPERATORS
#undef KM_PAIR_OPERATORS

}  // namespace kernelmill
