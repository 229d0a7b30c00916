#include "generators/lowering/dialect.h"

#include <charconv>
#include <cmath>

namespace kernelmill {
namespace {

constexpr Dialect kCuda = {
    .backend = KernelBackend::kCuda,
    .name = "cuda",
    .loader_imports = "from torch.utils.cpp_extension import load_inline\n",
    .sources = "cuda_sources",
    .flags = "extra_cuda_cflags",
    .headers =
        "#include <torch/extension.h>\n"
        "#include <ATen/cuda/CUDAContext.h>\n"
        "#include <c10/cuda/CUDAException.h>\n"
        "#include <c10/cuda/CUDAGuard.h>\n",
    .half_header = "#include <cuda_fp16.h>\n",
    .bfloat16_header = "#include <cuda_bf16.h>\n",
    .bfloat16 = "__nv_bfloat16",
    .guard = "c10::cuda::CUDAGuard",
    .stream = "at::cuda::getCurrentCUDAStream()",
    .check = "C10_CUDA_KERNEL_LAUNCH_CHECK();",
};

// torch_musa 2.7.1 (github.com/MooreThreads/torch_musa, 8b583b3): load_inline with `musa_sources`
// of torch_musa/utils/musa_extension.py, MUSAStream.h, MUSAGuard.h and the launch check of
// MUSAException.h in torch_musa/csrc/core.
constexpr Dialect kMusa = {
    .backend = KernelBackend::kMusa,
    .name = "musa",
    .loader_imports =
        "import torch_musa\nfrom torch_musa.utils.musa_extension import load_inline\n",
    .sources = "musa_sources",
    .flags = "extra_musa_cflags",
    .headers =
        "#include <torch/extension.h>\n"
        "#include <musa_runtime.h>\n"
        "#include \"torch_musa/csrc/core/MUSAException.h\"\n"
        "#include \"torch_musa/csrc/core/MUSAGuard.h\"\n"
        "#include \"torch_musa/csrc/core/MUSAStream.h\"\n",
    .half_header = "#include <musa_fp16.h>\n",
    .bfloat16_header = "#include <musa_bf16.h>\n",
    .bfloat16 = "__mt_bfloat16",
    .guard = "c10::musa::MUSAGuard",
    .stream = "c10::musa::getCurrentMUSAStream()",
    .check = "C10_MUSA_KERNEL_LAUNCH_CHECK();",
};

}  // namespace

KernelBackend KernelBackendOf(std::string_view name) {
  return name == "musa" ? KernelBackend::kMusa : KernelBackend::kCuda;
}

const Dialect& DialectOf(KernelBackend backend) {
  return backend == KernelBackend::kCuda ? kCuda : kMusa;
}

ScalarName ScalarNameOf(DType dtype, const Dialect& dialect) {
  switch (dtype) {
    case DType::kBool:
      return {"bool", "bool", "bool", "torch::kBool"};
    case DType::kUInt8:
      return {"uint8_t", "uint8_t", "uint8_t", "torch::kUInt8"};
    case DType::kInt8:
      return {"int8_t", "int8_t", "int8_t", "torch::kInt8"};
    case DType::kInt16:
      return {"int16_t", "int16_t", "int16_t", "torch::kInt16"};
    case DType::kInt32:
      return {"int", "int", "int", "torch::kInt32"};
    case DType::kInt64:
      return {"int64_t", "int64_t", "int64_t", "torch::kInt64"};
    case DType::kFloat16:
      return {"__half", "float", "at::Half", "torch::kFloat16"};
    case DType::kBFloat16:
      return {std::string(dialect.bfloat16), "float", "at::BFloat16", "torch::kBFloat16"};
    case DType::kFloat32:
      return {"float", "float", "float", "torch::kFloat32"};
    case DType::kFloat64:
      return {"double", "double", "double", "torch::kFloat64"};
  }
  return {};
}

std::string Loaded(DType dtype, const Dialect&, const std::string& place) {
  if (dtype == DType::kFloat16) return "__half2float(" + place + ")";
  if (dtype == DType::kBFloat16) return "__bfloat162float(" + place + ")";
  return place;
}

std::string Stored(DType dtype, const Dialect&, const std::string& value) {
  if (dtype == DType::kFloat16) return "__float2half(" + value + ")";
  if (dtype == DType::kBFloat16) return "__float2bfloat16(" + value + ")";
  return value;
}

std::string Literal(double number, DType dtype) {
  if (dtype == DType::kBool) return number != 0 ? "true" : "false";
  if (!IsFloating(dtype)) return std::to_string(static_cast<std::int64_t>(number));
  if (std::isnan(number)) return "NAN";
  if (dtype != DType::kFloat64) number = static_cast<float>(number);
  if (std::isinf(number)) return number > 0 ? "INFINITY" : "-INFINITY";
  char digits[64];
  const bool is_double = dtype == DType::kFloat64;
  const auto end = is_double ? std::to_chars(digits, digits + sizeof digits, number)
                             : std::to_chars(digits, digits + sizeof digits, float(number));
  std::string text(digits, end.ptr);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return is_double ? text : text + "f";
}

}  // namespace kernelmill
