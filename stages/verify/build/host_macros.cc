#include "stages/verify/build/host_macros.h"

#include <string_view>

namespace kernelmill {
namespace {

// What `clang++ -dM -E` lists and `g++ -dM -E` does not, and operators that are clang's alone.
constexpr const char* kOfClang[] = {
    "__BITINT_MAXWIDTH__", "__BOOL_WIDTH__", "__CLANG_ATOMIC_BOOL_LOCK_FREE",
    "__CLANG_ATOMIC_CHAR16_T_LOCK_FREE", "__CLANG_ATOMIC_CHAR32_T_LOCK_FREE",
    "__CLANG_ATOMIC_CHAR8_T_LOCK_FREE", "__CLANG_ATOMIC_CHAR_LOCK_FREE",
    "__CLANG_ATOMIC_INT_LOCK_FREE", "__CLANG_ATOMIC_LLONG_LOCK_FREE",
    "__CLANG_ATOMIC_LONG_LOCK_FREE", "__CLANG_ATOMIC_POINTER_LOCK_FREE",
    "__CLANG_ATOMIC_SHORT_LOCK_FREE", "__CLANG_ATOMIC_WCHAR_T_LOCK_FREE",
    "__CONSTANT_CFSTRINGS__", "__FLOAT128__", "__FPCLASS_NEGINF", "__FPCLASS_NEGNORMAL",
    "__FPCLASS_NEGSUBNORMAL", "__FPCLASS_NEGZERO", "__FPCLASS_POSINF", "__FPCLASS_POSNORMAL",
    "__FPCLASS_POSSUBNORMAL", "__FPCLASS_POSZERO", "__FPCLASS_QNAN", "__FPCLASS_SNAN",
    "__GCC_ATOMIC_CHAR8_T_LOCK_FREE", "__GNUC_GNU_INLINE__", "__INT16_C_SUFFIX__",
    "__INT16_FMTd__", "__INT16_FMTi__", "__INT32_C_SUFFIX__", "__INT32_FMTd__",
    "__INT32_FMTi__", "__INT64_C_SUFFIX__", "__INT64_FMTd__", "__INT64_FMTi__",
    "__INT8_C_SUFFIX__", "__INT8_FMTd__", "__INT8_FMTi__", "__INTMAX_C_SUFFIX__",
    "__INTMAX_FMTd__", "__INTMAX_FMTi__", "__INTPTR_FMTd__", "__INTPTR_FMTi__",
    "__INT_FAST16_FMTd__", "__INT_FAST16_FMTi__", "__INT_FAST32_FMTd__", "__INT_FAST32_FMTi__",
    "__INT_FAST64_FMTd__", "__INT_FAST64_FMTi__", "__INT_FAST8_FMTd__", "__INT_FAST8_FMTi__",
    "__INT_LEAST16_FMTd__", "__INT_LEAST16_FMTi__", "__INT_LEAST32_FMTd__",
    "__INT_LEAST32_FMTi__", "__INT_LEAST64_FMTd__", "__INT_LEAST64_FMTi__",
    "__INT_LEAST8_FMTd__", "__INT_LEAST8_FMTi__", "__LITTLE_ENDIAN__", "__LLONG_WIDTH__",
    "__MEMORY_SCOPE_DEVICE", "__MEMORY_SCOPE_SINGLE", "__MEMORY_SCOPE_SYSTEM",
    "__MEMORY_SCOPE_WRKGRP", "__MEMORY_SCOPE_WVFRNT", "__NO_MATH_ERRNO__", "__NO_MATH_INLINES",
    "__OBJC_BOOL_IS_BOOL", "__OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES",
    "__OPENCL_MEMORY_SCOPE_DEVICE", "__OPENCL_MEMORY_SCOPE_SUB_GROUP",
    "__OPENCL_MEMORY_SCOPE_WORK_GROUP", "__OPENCL_MEMORY_SCOPE_WORK_ITEM", "__POINTER_WIDTH__",
    "__PTRDIFF_FMTd__", "__PTRDIFF_FMTi__", "__SIZE_FMTX__", "__SIZE_FMTo__", "__SIZE_FMTu__",
    "__SIZE_FMTx__", "__STDC_EMBED_EMPTY__", "__STDC_EMBED_FOUND__", "__STDC_EMBED_NOT_FOUND__",
    "__UINT16_C_SUFFIX__", "__UINT16_FMTX__", "__UINT16_FMTo__", "__UINT16_FMTu__",
    "__UINT16_FMTx__", "__UINT32_C_SUFFIX__", "__UINT32_FMTX__", "__UINT32_FMTo__",
    "__UINT32_FMTu__", "__UINT32_FMTx__", "__UINT64_C_SUFFIX__", "__UINT64_FMTX__",
    "__UINT64_FMTo__", "__UINT64_FMTu__", "__UINT64_FMTx__", "__UINT8_C_SUFFIX__",
    "__UINT8_FMTX__", "__UINT8_FMTo__", "__UINT8_FMTu__", "__UINT8_FMTx__",
    "__UINTMAX_C_SUFFIX__", "__UINTMAX_FMTX__", "__UINTMAX_FMTo__", "__UINTMAX_FMTu__",
    "__UINTMAX_FMTx__", "__UINTMAX_WIDTH__", "__UINTPTR_FMTX__", "__UINTPTR_FMTo__",
    "__UINTPTR_FMTu__", "__UINTPTR_FMTx__", "__UINTPTR_WIDTH__", "__UINT_FAST16_FMTX__",
    "__UINT_FAST16_FMTo__", "__UINT_FAST16_FMTu__", "__UINT_FAST16_FMTx__",
    "__UINT_FAST32_FMTX__", "__UINT_FAST32_FMTo__", "__UINT_FAST32_FMTu__",
    "__UINT_FAST32_FMTx__", "__UINT_FAST64_FMTX__", "__UINT_FAST64_FMTo__",
    "__UINT_FAST64_FMTu__", "__UINT_FAST64_FMTx__", "__UINT_FAST8_FMTX__",
    "__UINT_FAST8_FMTo__", "__UINT_FAST8_FMTu__", "__UINT_FAST8_FMTx__",
    "__UINT_LEAST16_FMTX__", "__UINT_LEAST16_FMTo__", "__UINT_LEAST16_FMTu__",
    "__UINT_LEAST16_FMTx__", "__UINT_LEAST32_FMTX__", "__UINT_LEAST32_FMTo__",
    "__UINT_LEAST32_FMTu__", "__UINT_LEAST32_FMTx__", "__UINT_LEAST64_FMTX__",
    "__UINT_LEAST64_FMTo__", "__UINT_LEAST64_FMTu__", "__UINT_LEAST64_FMTx__",
    "__UINT_LEAST8_FMTX__", "__UINT_LEAST8_FMTo__", "__UINT_LEAST8_FMTu__",
    "__UINT_LEAST8_FMTx__", "__WINT_UNSIGNED__", "__clang__", "__clang_literal_encoding__",
    "__clang_major__", "__clang_minor__", "__clang_patchlevel__", "__clang_version__",
    "__clang_wide_literal_encoding__", "__cpp_aggregate_paren_init", "__cpp_char8_t",
    "__cpp_concepts", "__cpp_conditional_explicit", "__cpp_consteval",
    "__cpp_constexpr_dynamic_alloc", "__cpp_constexpr_in_decltype", "__cpp_constinit",
    "__cpp_deleted_function", "__cpp_designated_initializers", "__cpp_impl_coroutine",
    "__cpp_impl_destroying_delete", "__cpp_impl_three_way_comparison",
    "__cpp_named_character_escapes", "__cpp_pack_indexing", "__cpp_placeholder_variables",
    "__cpp_static_call_operator", "__cpp_using_enum", "__llvm__", "__private_extern__",
    "__seg_fs", "__seg_gs", "__has_extension", "__has_warning",
    "__is_identifier", "__has_declspec_attribute", "__is_target_arch",
    "__is_target_vendor", "__is_target_os", "__is_target_environment", "__is_target_variant_os",
    "__is_target_variant_environment"};

// What `g++ -std=c++17 -dM -E` lists and clang does not, or with another value that code may ask for.
constexpr const char* kOfGcc = R"(
#undef __BIGGEST_ALIGNMENT__
#undef __GNUC_PATCHLEVEL__
#undef __GNUC__
#undef __GNUG__
#undef __GXX_ABI_VERSION
#undef __INT_FAST16_MAX__
#undef __INT_FAST16_TYPE__
#undef __INT_FAST16_WIDTH__
#undef __INT_FAST32_MAX__
#undef __INT_FAST32_TYPE__
#undef __INT_FAST32_WIDTH__
#undef __INT_FAST64_MAX__
#undef __INT_FAST8_MAX__
#undef __UINT_FAST16_MAX__
#undef __UINT_FAST16_TYPE__
#undef __UINT_FAST32_MAX__
#undef __UINT_FAST32_TYPE__
#undef __UINT_FAST64_MAX__
#undef __UINT_FAST8_MAX__
#undef __VERSION__
#undef __cplusplus
#undef __cpp_constexpr
#undef __cpp_generic_lambdas
#undef __cpp_init_captures
#undef __cpp_structured_bindings
#undef __cpp_unicode_characters
#define __BIGGEST_ALIGNMENT__ 32
#define __GNUC_PATCHLEVEL__ 0
#define __GNUC__ 12
#define __GNUG__ 12
#define __GXX_ABI_VERSION 1017
#define __INT_FAST16_MAX__ 0x7fffffffffffffffL
#define __INT_FAST16_TYPE__ long int
#define __INT_FAST16_WIDTH__ 64
#define __INT_FAST32_MAX__ 0x7fffffffffffffffL
#define __INT_FAST32_TYPE__ long int
#define __INT_FAST32_WIDTH__ 64
#define __INT_FAST64_MAX__ 0x7fffffffffffffffL
#define __INT_FAST8_MAX__ 0x7f
#define __UINT_FAST16_MAX__ 0xffffffffffffffffUL
#define __UINT_FAST16_TYPE__ long unsigned int
#define __UINT_FAST32_MAX__ 0xffffffffffffffffUL
#define __UINT_FAST32_TYPE__ long unsigned int
#define __UINT_FAST64_MAX__ 0xffffffffffffffffUL
#define __UINT_FAST8_MAX__ 0xff
#define __VERSION__ "12.2.0"
#define __cplusplus 201703L
#define __cpp_constexpr 201603L
#define __cpp_generic_lambdas 201304L
#define __cpp_init_captures 201304L
#define __cpp_structured_bindings 201606L
#define __cpp_unicode_characters 201411L
#define __ATOMIC_HLE_ACQUIRE 65536
#define __ATOMIC_HLE_RELEASE 131072
#define __DBL_IS_IEC_60559__ 2
#define __DEC128_EPSILON__ 1E-33DL
#define __DEC128_MANT_DIG__ 34
#define __DEC128_MAX_EXP__ 6145
#define __DEC128_MAX__ 9.999999999999999999999999999999999E6144DL
#define __DEC128_MIN_EXP__ (-6142)
#define __DEC128_MIN__ 1E-6143DL
#define __DEC128_SUBNORMAL_MIN__ 0.000000000000000000000000000000001E-6143DL
#define __DEC32_EPSILON__ 1E-6DF
#define __DEC32_MANT_DIG__ 7
#define __DEC32_MAX_EXP__ 97
#define __DEC32_MAX__ 9.999999E96DF
#define __DEC32_MIN_EXP__ (-94)
#define __DEC32_MIN__ 1E-95DF
#define __DEC32_SUBNORMAL_MIN__ 0.000001E-95DF
#define __DEC64_EPSILON__ 1E-15DD
#define __DEC64_MANT_DIG__ 16
#define __DEC64_MAX_EXP__ 385
#define __DEC64_MAX__ 9.999999999999999E384DD
#define __DEC64_MIN_EXP__ (-382)
#define __DEC64_MIN__ 1E-383DD
#define __DEC64_SUBNORMAL_MIN__ 0.000000000000001E-383DD
#define __DECIMAL_BID_FORMAT__ 1
#define __DEC_EVAL_METHOD__ 2
#define __FLOAT_WORD_ORDER__ __ORDER_LITTLE_ENDIAN__
#define __FLT128_DECIMAL_DIG__ 36
#define __FLT128_DENORM_MIN__ 6.47517511943802511092443895822764655e-4966F128
#define __FLT128_DIG__ 33
#define __FLT128_EPSILON__ 1.92592994438723585305597794258492732e-34F128
#define __FLT128_HAS_DENORM__ 1
#define __FLT128_HAS_INFINITY__ 1
#define __FLT128_HAS_QUIET_NAN__ 1
#define __FLT128_IS_IEC_60559__ 2
#define __FLT128_MANT_DIG__ 113
#define __FLT128_MAX_10_EXP__ 4932
#define __FLT128_MAX_EXP__ 16384
#define __FLT128_MAX__ 1.18973149535723176508575932662800702e+4932F128
#define __FLT128_MIN_10_EXP__ (-4931)
#define __FLT128_MIN_EXP__ (-16381)
#define __FLT128_MIN__ 3.36210314311209350626267781732175260e-4932F128
#define __FLT128_NORM_MAX__ 1.18973149535723176508575932662800702e+4932F128
#define __FLT16_IS_IEC_60559__ 2
#define __FLT32X_DECIMAL_DIG__ 17
#define __FLT32X_DENORM_MIN__ 4.94065645841246544176568792868221372e-324F32x
#define __FLT32X_DIG__ 15
#define __FLT32X_EPSILON__ 2.22044604925031308084726333618164062e-16F32x
#define __FLT32X_HAS_DENORM__ 1
#define __FLT32X_HAS_INFINITY__ 1
#define __FLT32X_HAS_QUIET_NAN__ 1
#define __FLT32X_IS_IEC_60559__ 2
#define __FLT32X_MANT_DIG__ 53
#define __FLT32X_MAX_10_EXP__ 308
#define __FLT32X_MAX_EXP__ 1024
#define __FLT32X_MAX__ 1.79769313486231570814527423731704357e+308F32x
#define __FLT32X_MIN_10_EXP__ (-307)
#define __FLT32X_MIN_EXP__ (-1021)
#define __FLT32X_MIN__ 2.22507385850720138309023271733240406e-308F32x
#define __FLT32X_NORM_MAX__ 1.79769313486231570814527423731704357e+308F32x
#define __FLT32_DECIMAL_DIG__ 9
#define __FLT32_DENORM_MIN__ 1.40129846432481707092372958328991613e-45F32
#define __FLT32_DIG__ 6
#define __FLT32_EPSILON__ 1.19209289550781250000000000000000000e-7F32
#define __FLT32_HAS_DENORM__ 1
#define __FLT32_HAS_INFINITY__ 1
#define __FLT32_HAS_QUIET_NAN__ 1
#define __FLT32_IS_IEC_60559__ 2
#define __FLT32_MANT_DIG__ 24
#define __FLT32_MAX_10_EXP__ 38
#define __FLT32_MAX_EXP__ 128
#define __FLT32_MAX__ 3.40282346638528859811704183484516925e+38F32
#define __FLT32_MIN_10_EXP__ (-37)
#define __FLT32_MIN_EXP__ (-125)
#define __FLT32_MIN__ 1.17549435082228750796873653722224568e-38F32
#define __FLT32_NORM_MAX__ 3.40282346638528859811704183484516925e+38F32
#define __FLT64X_DECIMAL_DIG__ 21
#define __FLT64X_DENORM_MIN__ 3.64519953188247460252840593361941982e-4951F64x
#define __FLT64X_DIG__ 18
#define __FLT64X_EPSILON__ 1.08420217248550443400745280086994171e-19F64x
#define __FLT64X_HAS_DENORM__ 1
#define __FLT64X_HAS_INFINITY__ 1
#define __FLT64X_HAS_QUIET_NAN__ 1
#define __FLT64X_IS_IEC_60559__ 2
#define __FLT64X_MANT_DIG__ 64
#define __FLT64X_MAX_10_EXP__ 4932
#define __FLT64X_MAX_EXP__ 16384
#define __FLT64X_MAX__ 1.18973149535723176502126385303097021e+4932F64x
#define __FLT64X_MIN_10_EXP__ (-4931)
#define __FLT64X_MIN_EXP__ (-16381)
#define __FLT64X_MIN__ 3.36210314311209350626267781732175260e-4932F64x
#define __FLT64X_NORM_MAX__ 1.18973149535723176502126385303097021e+4932F64x
#define __FLT64_DECIMAL_DIG__ 17
#define __FLT64_DENORM_MIN__ 4.94065645841246544176568792868221372e-324F64
#define __FLT64_DIG__ 15
#define __FLT64_EPSILON__ 2.22044604925031308084726333618164062e-16F64
#define __FLT64_HAS_DENORM__ 1
#define __FLT64_HAS_INFINITY__ 1
#define __FLT64_HAS_QUIET_NAN__ 1
#define __FLT64_IS_IEC_60559__ 2
#define __FLT64_MANT_DIG__ 53
#define __FLT64_MAX_10_EXP__ 308
#define __FLT64_MAX_EXP__ 1024
#define __FLT64_MAX__ 1.79769313486231570814527423731704357e+308F64
#define __FLT64_MIN_10_EXP__ (-307)
#define __FLT64_MIN_EXP__ (-1021)
#define __FLT64_MIN__ 2.22507385850720138309023271733240406e-308F64
#define __FLT64_NORM_MAX__ 1.79769313486231570814527423731704357e+308F64
#define __FLT_EVAL_METHOD_TS_18661_3__ 0
#define __FLT_EVAL_METHOD__ 0
#define __FLT_IS_IEC_60559__ 2
#define __FP_FAST_FMA 1
#define __FP_FAST_FMAF 1
#define __FP_FAST_FMAF32 1
#define __FP_FAST_FMAF32x 1
#define __FP_FAST_FMAF64 1
#define __GCC_IEC_559 2
#define __GCC_IEC_559_COMPLEX 2
#define __GNUC_EXECUTION_CHARSET_NAME "UTF-8"
#define __GNUC_STDC_INLINE__ 1
#define __GNUC_WIDE_EXECUTION_CHARSET_NAME "UTF-32LE"
#define __HAVE_SPECULATION_SAFE_VALUE 1
#define __INT16_C(c) c
#define __INT32_C(c) c
#define __INT64_C(c) c ## L
#define __INT8_C(c) c
#define __INTMAX_C(c) c ## L
#define __LDBL_IS_IEC_60559__ 2
#define __LONG_LONG_WIDTH__ 64
#define __MMX_WITH_SSE__ 1
#define __SCHAR_WIDTH__ 8
#define __SIG_ATOMIC_MIN__ (-__SIG_ATOMIC_MAX__ - 1)
#define __SIG_ATOMIC_TYPE__ int
#define __SIZEOF_FLOAT80__ 16
#define __STDC_IEC_559_COMPLEX__ 1
#define __STDC_IEC_559__ 1
#define __STDC_IEC_60559_BFP__ 201404L
#define __STDC_IEC_60559_COMPLEX__ 201404L
#define __STDC_ISO_10646__ 201706L
#define __UINT16_C(c) c
#define __UINT32_C(c) c ## U
#define __UINT64_C(c) c ## UL
#define __UINT8_C(c) c
#define __UINTMAX_C(c) c ## UL
#define __WCHAR_MIN__ (-__WCHAR_MAX__ - 1)
#define __WINT_MIN__ 0U
#define __cpp_runtime_arrays 198712L
#define __cpp_rvalue_reference 200610L
#define __k8 1
#define __k8__ 1
)";

}  // namespace

std::string HostMacros(const std::string& language) {
  std::string text;
  for (const char* name : kOfClang) {
    // What C++20 has added keeps the compiler's value.
    const bool kept = language == "c++20" && std::string_view(name).starts_with("__cpp_");
    if (!kept) text += std::string("#undef ") + name + "\n";
  }
  text += kOfGcc;
  if (language == "c++20") text += "#undef __cplusplus\n#define __cplusplus 202002L\n";
  return text;
}

}  // namespace kernelmill
