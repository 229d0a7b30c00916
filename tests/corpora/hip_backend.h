// A row for HIP that only tests know: no other file names it.
#pragma once

#include "corpora/kernel_backend.h"

namespace kernelmill {

inline constexpr DeviceTarget kHipTargets[] = {{"gfx90a", 64, "#define __HIPCC__ 1\n"}};

inline constexpr NamePair kHipNames[] = {
    {"getCurrentHIPStream", "getCurrentCUDAStream"},
    {"HIPGuard", "CUDAGuard"},
    {"C10_HIP_KERNEL_LAUNCH_CHECK", "C10_CUDA_KERNEL_LAUNCH_CHECK"},
    {"__hip_bfloat16", "__nv_bfloat16"},
};
inline constexpr NamePair kHipPrefixes[] = {{"hiprand", "curand"}};
inline constexpr NamePair kHipToolkitHeaders[] = {{"hip/hip_runtime.h", "cuda_runtime.h"},
                                                  {"hip/hip_fp16.h", "cuda_fp16.h"}};
inline constexpr NamePair kHipAnswerHeaders[] = {{"c10/hip/HIPStream.h", "c10/cuda/CUDAStream.h"}};

// The names are torch's for ROCm (c10/hip), except the keywords of load_inline, which are CUDA's.
inline constexpr KernelBackend kHipBackend = {
    .name = "hip",
    .title = "HIP",
    .loader_module = "torch.utils.cpp_extension",
    .loader_imports = "from torch.utils.cpp_extension import load_inline\n",
    .sources_keyword = "hip_sources",
    .flags_keyword = "extra_hip_cflags",
    .source_suffix = ".hip",
    .headers =
        "#include <torch/extension.h>\n"
        "#include <hip/hip_runtime.h>\n"
        "#include <c10/hip/HIPException.h>\n"
        "#include <c10/hip/HIPGuard.h>\n"
        "#include <c10/hip/HIPStream.h>\n",
    .half_header = "#include <hip/hip_fp16.h>\n",
    .bfloat16_header = "#include <hip/hip_bf16.h>\n",
    .half_type = "__half",
    .bfloat16_type = "__hip_bfloat16",
    .device_guard = "c10::hip::HIPGuard",
    .current_stream = "c10::hip::getCurrentHIPStream()",
    .launch_check = "C10_HIP_KERNEL_LAUNCH_CHECK();",
    .targets = kHipTargets,
    .unavailable_compiler = "hipcc",
    .names = kHipNames,
    .name_prefixes = kHipPrefixes,
    .toolkit_headers = kHipToolkitHeaders,
    .answer_headers = kHipAnswerHeaders,
};

}  // namespace kernelmill
