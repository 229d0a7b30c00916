#include "corpora/kernel_backend.h"

namespace kernelmill {
namespace {

constexpr WarpTarget kCudaWarps[] = {{32, ""}};

// mp_31 has warps of 32 threads; mp_21 and mp_22 have warps of 128.
constexpr WarpTarget kMusaWarps[] = {{32, "#define __MUSACC__ 1\n#define __MUSA_ARCH__ 310\n"},
                                     {128, "#define __MUSACC__ 1\n#define __MUSA_ARCH__ 220\n"}};

constexpr const KernelBackend* kBackends[] = {&kCudaBackend, &kMusaBackend};

}  // namespace

constexpr KernelBackend kCudaBackend = {
    .name = "cuda",
    .title = "CUDA",
    .loader_module = "torch.utils.cpp_extension",
    .loader_imports = "from torch.utils.cpp_extension import load_inline\n",
    .sources_keyword = "cuda_sources",
    .flags_keyword = "extra_cuda_cflags",
    .source_suffix = ".cu",
    .headers =
        "#include <torch/extension.h>\n"
        "#include <ATen/cuda/CUDAContext.h>\n"
        "#include <c10/cuda/CUDAException.h>\n"
        "#include <c10/cuda/CUDAGuard.h>\n",
    .half_header = "#include <cuda_fp16.h>\n",
    .bfloat16_header = "#include <cuda_bf16.h>\n",
    .half_type = "__half",
    .bfloat16_type = "__nv_bfloat16",
    .device_guard = "c10::cuda::CUDAGuard",
    .current_stream = "at::cuda::getCurrentCUDAStream()",
    .launch_check = "C10_CUDA_KERNEL_LAUNCH_CHECK();",
    .warp_targets = kCudaWarps,
    .has_cuda_names = true,
    .unavailable_compiler = "",
};

// Source: torch_musa 2.7.1 (github.com/MooreThreads/torch_musa, 8b583b3): load_inline with
// `musa_sources` in torch_musa/utils/musa_extension.py; MUSAStream.h, MUSAGuard.h and the launch
// check of MUSAException.h in torch_musa/csrc/core.
constexpr KernelBackend kMusaBackend = {
    .name = "musa",
    .title = "MUSA",
    .loader_module = "torch_musa.utils.musa_extension",
    .loader_imports =
        "import torch_musa\nfrom torch_musa.utils.musa_extension import load_inline\n",
    .sources_keyword = "musa_sources",
    .flags_keyword = "extra_musa_cflags",
    .source_suffix = ".mu",
    .headers =
        "#include <torch/extension.h>\n"
        "#include <musa_runtime.h>\n"
        "#include \"torch_musa/csrc/core/MUSAException.h\"\n"
        "#include \"torch_musa/csrc/core/MUSAGuard.h\"\n"
        "#include \"torch_musa/csrc/core/MUSAStream.h\"\n",
    .half_header = "#include <musa_fp16.h>\n",
    .bfloat16_header = "#include <musa_bf16.h>\n",
    .half_type = "__half",
    .bfloat16_type = "__mt_bfloat16",
    .device_guard = "c10::musa::MUSAGuard",
    .current_stream = "c10::musa::getCurrentMUSAStream()",
    .launch_check = "C10_MUSA_KERNEL_LAUNCH_CHECK();",
    .warp_targets = kMusaWarps,
    .has_cuda_names = false,
    .unavailable_compiler = "mcc",
};

std::span<const KernelBackend* const> KernelBackends() { return kBackends; }

std::vector<std::string> KernelBackendNames() {
  std::vector<std::string> names;
  for (const KernelBackend* backend : kBackends) names.emplace_back(backend->name);
  return names;
}

const KernelBackend* FindKernelBackend(std::string_view name) {
  for (const KernelBackend* backend : kBackends) {
    if (backend->name == name) return backend;
  }
  return nullptr;
}

Result<const KernelBackend*> KernelBackendNamed(std::string_view name) {
  if (const KernelBackend* backend = FindKernelBackend(name)) return backend;
  std::string known;
  for (const KernelBackend* backend : kBackends) {
    known += (known.empty() ? "" : ", ") + std::string(backend->name);
  }
  return Status(ErrorCode::kConfig,
                "unknown backend '" + std::string(name) + "': the backends are " + known);
}

}  // namespace kernelmill
