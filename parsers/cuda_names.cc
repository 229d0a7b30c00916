#include "parsers/cuda_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kernelmill {
namespace {

template <std::size_t N>
bool Contains(const std::array<std::string_view, N>& sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

// Functions of <cmath> that the compiler declares for the device, without the suffix f.
constexpr std::array<std::string_view, 84> kMath = {
    "abs",           "acos",          "acosh",   "asin",     "asinh",     "atan",      "atan2",
    "atanh",         "cbrt",          "ceil",    "copysign", "cos",       "cosh",      "cospi",
    "cyl_bessel_i0", "cyl_bessel_i1", "erf",     "erfc",     "erfcinv",   "erfcx",     "erfinv",
    "exp",           "exp10",         "exp2",    "expm1",    "fabs",      "fdim",      "fdivide",
    "floor",         "fma",           "fmax",    "fmin",     "fmod",      "frexp",     "hypot",
    "ilogb",         "isfinite",      "isinf",   "isnan",    "j0",        "j1",        "jn",
    "labs",          "ldexp",         "lgamma",  "llabs",    "llmax",     "llmin",     "llrint",
    "llround",       "log",           "log10",   "log1p",    "log2",      "logb",      "lrint",
    "lround",        "max",           "min",     "modf",     "nearbyint", "nextafter", "norm",
    "norm3d",        "norm4d",        "normcdf", "pow",      "powi",      "rcbrt",     "remainder",
    "remquo",        "rhypot",        "rint",    "rnorm",    "rnorm3d",   "rnorm4d",   "round",
    "rsqrt",         "scalbn",        "signbit", "sin",      "sincos",    "sincospi",  "sinh"};
constexpr std::array<std::string_view, 13> kMoreMath = {
    "sinpi",  "sqrt", "tan",  "tanh", "tgamma", "trunc", "ullmax",
    "ullmin", "umax", "umin", "y0",   "y1",     "yn"};
constexpr std::array<std::string_view, 37> kLanguage = {"NULL",        "abort",
                                                        "alignas",     "alignof",
                                                        "alloca",      "assert",
                                                        "blockDim",    "blockIdx",
                                                        "clock",       "clock64",
                                                        "const_cast",  "decltype",
                                                        "dim3",        "dynamic_cast",
                                                        "false",       "free",
                                                        "gridDim",     "malloc",
                                                        "memcmp",      "memcpy",
                                                        "memset",      "nanosleep",
                                                        "nullptr",     "printf",
                                                        "ptrdiff_t",   "reinterpret_cast",
                                                        "size_t",      "sizeof",
                                                        "ssize_t",     "static_assert",
                                                        "static_cast", "this",
                                                        "threadIdx",   "true",
                                                        "typeid",      "uint",
                                                        "warpSize"};
constexpr std::array<std::string_view, 9> kShortTypes = {
    "clock_t", "signed", "uchar", "uint", "uintptr", "ulong", "unsigned", "ushort", "wchar_t"};
// Functions and types of cuda_fp16.h that do not begin with "__".
constexpr std::array<std::string_view, 40> kHalf = {
    "h2ceil", "h2cos", "h2exp",    "h2exp10",    "h2exp2",  "h2floor",  "h2log",  "h2log10",
    "h2log2", "h2rcp", "h2rint",   "h2rsqrt",    "h2sin",   "h2sqrt",   "h2tanh", "h2trunc",
    "half",   "half2", "half_raw", "hceil",      "hcos",    "hexp",     "hexp10", "hexp2",
    "hfloor", "hlog",  "hlog10",   "hlog2",      "hrcp",    "hrint",    "hrsqrt", "hsin",
    "hsqrt",  "htanh", "htrunc",   "make_half2", "nv_half", "nv_half2", "__half", "__half2"};
bool IsDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

bool IsMath(std::string_view name) {
  const auto is_base = [](std::string_view base) {
    return Contains(kMath, base) || Contains(kMoreMath, base);
  };
  return is_base(name) || (name.ends_with('f') && is_base(name.substr(0, name.size() - 1)));
}

// Whether it is int32_t, uint8_t, intptr_t, … or a macro of their limits.
bool IsStandardInteger(std::string_view name) {
  std::string_view rest = name;
  if (rest.starts_with("UINT") || rest.starts_with("INT")) {
    rest.remove_prefix(rest[0] == 'U' ? 4 : 3);
    for (std::string_view suffix : {"_MAX", "_MIN", "_C"}) {
      if (rest.ends_with(suffix) && IsDigits(rest.substr(0, rest.size() - suffix.size()))) {
        return true;
      }
    }
    return false;
  }
  if (rest.starts_with('u')) rest.remove_prefix(1);
  if (!rest.starts_with("int") || !rest.ends_with("_t")) return false;
  rest = rest.substr(3, rest.size() - 5);
  if (rest == "ptr" || rest == "max") return true;
  if (rest.starts_with("_fast") || rest.starts_with("_least")) rest = rest.substr(5);
  while (!rest.empty() && !std::isdigit(static_cast<unsigned char>(rest[0]))) rest.remove_prefix(1);
  return IsDigits(rest);
}

std::optional<std::string_view> LimitHeaderOf(std::string_view name) {
  static constexpr std::array<std::string_view, 12> kClimits = {
      "CHAR_BIT",  "CHAR_MAX", "CHAR_MIN", "INT_MAX",  "INT_MIN",  "LLONG_MAX",
      "LLONG_MIN", "LONG_MAX", "LONG_MIN", "SHRT_MAX", "SHRT_MIN", "UINT_MAX"};
  if (Contains(kClimits, name)) return "climits";
  if (name.starts_with("FLT_") || name.starts_with("DBL_")) return "cfloat";
  if (name == "INFINITY" || name == "NAN" || name == "HUGE_VALF" || name.starts_with("M_")) {
    return "cmath";
  }
  if (name.starts_with("CUDART_")) return "math_constants.h";
  return std::nullopt;
}

std::string_view StandardHeaderOf(std::string_view member) {
  static constexpr std::array<std::string_view, 9> kAlgorithms = {
      "clamp", "copy", "fill", "lower_bound", "max", "min", "sort", "swap", "upper_bound"};
  static constexpr std::array<std::string_view, 10> kUtilities = {"declval",
                                                                  "exchange",
                                                                  "forward",
                                                                  "get",
                                                                  "index_sequence",
                                                                  "integer_sequence",
                                                                  "make_index_sequence",
                                                                  "make_pair",
                                                                  "move",
                                                                  "pair"};
  static constexpr std::array<std::string_view, 5> kFunctions = {"divides", "minus", "multiplies",
                                                                 "negate", "plus"};
  if (member == "numeric_limits") return "limits";
  if (member == "array") return "array";
  if (member == "complex") return "complex";
  if (member == "tuple" || member == "tie" || member == "make_tuple") return "tuple";
  if (IsStandardInteger(member)) return "cstdint";
  if (member == "size_t" || member == "ptrdiff_t" || member == "nullptr_t") return "cstddef";
  if (Contains(kAlgorithms, member)) return "algorithm";
  if (Contains(kUtilities, member)) return "utility";
  if (Contains(kFunctions, member)) return "functional";
  if (IsMath(member)) return "cmath";
  return "type_traits";
}

std::optional<std::string_view> QualifiedHeaderOf(std::string_view name) {
  const auto colon = name.find("::");
  const std::string_view head = name.substr(0, colon);
  const std::string_view rest =
      colon == std::string_view::npos ? std::string_view() : name.substr(colon + 2);
  if (head == "std") return StandardHeaderOf(rest);
  if (head == "cooperative_groups") {
    static constexpr std::array<std::string_view, 9> kReduce = {
        "bit_and", "bit_or", "bit_xor",      "greater",           "less",
        "plus",    "reduce", "reduce_async", "reduce_store_async"};
    if (Contains(kReduce, rest)) return "cooperative_groups/reduce.h";
    if (rest == "memcpy_async" || rest == "wait") return "cooperative_groups/memcpy_async.h";
    if (rest.ends_with("_scan")) return "cooperative_groups/scan.h";
    return "cooperative_groups.h";
  }
  if (head == "cub") return "cub/cub.cuh";
  if (head == "nvcuda" || head == "wmma") return "mma.h";
  if (head == "thrust") return "thrust/tuple.h";
  if (head == "cuda") return rest.starts_with("std::") ? "cuda/std/utility" : "cuda/barrier";
  return std::nullopt;
}

}  // namespace

bool IsVectorType(std::string_view name) {
  if (name == "dim3") return true;
  if (name.empty() || name.back() < '1' || name.back() > '4') return false;
  std::string_view base = name.substr(0, name.size() - 1);
  if (base == "double" || base == "float") return true;
  if (base.starts_with('u')) base.remove_prefix(1);
  return base == "char" || base == "short" || base == "int" || base == "long" || base == "longlong";
}

std::optional<std::string_view> ToolkitHeaderOf(std::string_view name) {
  if (name.find("::") != std::string_view::npos) return QualifiedHeaderOf(name);
  if (name.find("bfloat16") != std::string_view::npos ||
      name.find("bf16") != std::string_view::npos) {
    return "cuda_bf16.h";
  }
  if (name.starts_with("__nv_fp8") || name.starts_with("__nv_cvt")) return "cuda_fp8.h";
  if (std::find(kHalf.begin(), kHalf.end(), name) != kHalf.end() ||
      (name.starts_with("__") && (name.find("half") != std::string_view::npos ||
                                  name.find("2float") != std::string_view::npos))) {
    // __int2float_rn, __uint2float_rz and others are declared by the compiler.
    const bool integer = name.find("int2float") != std::string_view::npos ||
                         name.find("double2float") != std::string_view::npos ||
                         name.find("ll2float") != std::string_view::npos;
    return integer ? "" : "cuda_fp16.h";
  }
  // __hadd, __hfma2, __heq and others are in cuda_fp16.h, with a few exceptions.
  if (name.starts_with("__h") && name != "__host__" && !name.starts_with("__hiloint")) {
    return "cuda_fp16.h";
  }
  if (IsStandardInteger(name)) return "cstdint";
  if (name.starts_with("__") || Contains(kLanguage, name) || Contains(kShortTypes, name) ||
      IsMath(name) || IsVectorType(name) || name.starts_with("atomic") ||
      (name.starts_with("make_") && IsVectorType(name.substr(5))) || name.starts_with("tex1D") ||
      name.starts_with("tex2D") || name.starts_with("tex3D") || name.starts_with("surf2D")) {
    return "";
  }
  if (const auto header = LimitHeaderOf(name)) return header;
  if (name == "CUDA_VERSION") return "cuda.h";
  if (name == "CUDART_VERSION" || name.starts_with("cudaTextureObject") ||
      name.starts_with("cudaSurfaceObject")) {
    return "cuda_runtime.h";
  }
  if (name.starts_with("curand")) return "curand_kernel.h";
  if (name.starts_with("cuFloatComplex") || name.starts_with("cuDoubleComplex") ||
      name.starts_with("make_cu") || name == "cuComplex") {
    return "cuComplex.h";
  }
  static constexpr std::array<std::string_view, 7> kNamespaces = {
      "cooperative_groups", "cub", "cuda", "nvcuda", "std", "thrust", "wmma"};
  if (Contains(kNamespaces, name)) return "";
  return std::nullopt;
}

bool IsToolkitHeader(std::string_view header) {
  static constexpr std::array<std::string_view, 12> kPrefixes = {
      "cooperative_groups", "cub/",    "cuda/", "cuda_bf16", "cuda_fp16", "cuda_fp8",
      "cuda_pipeline",      "curand_", "math_", "mma.h",     "thrust/",   "cuComplex"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return header.starts_with(prefix); });
}

std::string_view HeaderNameFor(const KernelBackend& backend, std::string_view header) {
  for (const auto& [own, cuda] : backend.toolkit_headers) {
    if (header == cuda) return own;
  }
  return header;
}

std::string CudaNameOf(std::string_view name, const KernelBackend& backend) {
  for (const auto& [own, cuda] : backend.names) {
    if (own == name) return std::string(cuda);
  }
  if (name.starts_with(backend.name) && name.size() > backend.name.size() &&
      std::isupper(static_cast<unsigned char>(name[backend.name.size()]))) {
    return "cuda" + std::string(name.substr(backend.name.size()));
  }
  for (const auto& [own, cuda] : backend.name_prefixes) {
    if (name.starts_with(own)) return std::string(cuda) + std::string(name.substr(own.size()));
  }
  return {};
}

}  // namespace kernelmill
