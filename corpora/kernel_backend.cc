#include "corpora/kernel_backend.h"

#include <utility>

namespace kernelmill {
namespace {

constexpr DeviceTarget kCudaTargets[] = {{"sm_80", 32, ""}};

// mp_21 is the MTT S80's architecture, mp_22 the S4000's, mp_31 the S5000's.
constexpr DeviceTarget kMusaTargets[] = {
    {"mp_31", 32, "#define __MUSACC__ 1\n#define __MUSA_ARCH__ 310\n"},
    {"mp_22", 128, "#define __MUSACC__ 1\n#define __MUSA_ARCH__ 220\n"},
    {"mp_21", 128, "#define __MUSACC__ 1\n#define __MUSA_ARCH__ 210\n"}};

constexpr std::string_view kCudaLibraries[] = {"cublas",   "cublasLt", "cudnn", "cufft",
                                               "cusparse", "cusolver", "nccl"};

constexpr std::string_view kMusaModules[] = {"torch_musa", "torch_musa.core", "torch_musa.utils",
                                             "torchada"};
constexpr std::string_view kMusaLoaders[] = {"torch_musa.utils.cpp_extension",
                                             "torchada.utils.cpp_extension"};
constexpr NamePair kMusaNames[] = {
    {"getCurrentMUSAStream", "getCurrentCUDAStream"},
    {"getDefaultMUSAStream", "getDefaultCUDAStream"},
    {"MUSAGuard", "CUDAGuard"},
    {"OptionalMUSAGuard", "OptionalCUDAGuard"},
    {"MUSAStreamGuard", "CUDAStreamGuard"},
    {"MUSAStream", "CUDAStream"},
    {"C10_MUSA_CHECK", "C10_CUDA_CHECK"},
    {"AT_MUSA_CHECK", "AT_CUDA_CHECK"},
    {"TORCH_MUSA_CHECK", "TORCH_CUDA_CHECK"},
    {"C10_MUSA_KERNEL_LAUNCH_CHECK", "C10_CUDA_KERNEL_LAUNCH_CHECK"},
    {"MUSA_KERNEL_LOOP", "CUDA_KERNEL_LOOP"},
    {"MUSA_KERNEL_ASSERT", "CUDA_KERNEL_ASSERT"},
    {"MUSART_VERSION", "CUDART_VERSION"},
    {"MUSART_CB", "CUDART_CB"},
    {"MUSACachingAllocator", "CUDACachingAllocator"},
    {"MUSAEvent", "CUDAEvent"},
    {"mub", "cub"},
    {"__mt_bfloat16", "__nv_bfloat16"},
    {"__mt_bfloat162", "__nv_bfloat162"},
    {"mt_bfloat16", "nv_bfloat16"},
    {"mt_bfloat162", "nv_bfloat162"},
    {"__mt_bfloat16_raw", "__nv_bfloat16_raw"},
    {"__mt_bfloat162_raw", "__nv_bfloat162_raw"},
    {"setCurrentMUSAStream", "setCurrentCUDAStream"},
    {"getDefaultMUSAGenerator", "getDefaultCUDAGenerator"},
    {"MUSAGeneratorImpl", "CUDAGeneratorImpl"},
    {"PhiloxMusaState", "PhiloxCudaState"},
    {"murand_state_philox4x32_10", "curandStatePhilox4_32_10_t"},
    {"MUSA_NUM_THREADS", "CUDA_NUM_THREADS"},
};
constexpr NamePair kMusaPrefixes[] = {{"murand", "curand"}, {"MURAND_", "CURAND_"}};
constexpr NamePair kMusaToolkitHeaders[] = {
    {"musa_runtime.h", "cuda_runtime.h"}, {"musa.h", "cuda.h"},
    {"musa_fp16.h", "cuda_fp16.h"},       {"musa_bf16.h", "cuda_bf16.h"},
    {"musa_fp8.h", "cuda_fp8.h"},         {"murand_kernel.h", "curand_kernel.h"},
    {"muComplex.h", "cuComplex.h"},
};
// Headers of libraries and of torch_musa.
constexpr NamePair kMusaAnswerHeaders[] = {
    {"musa_runtime_api.h", "cuda_runtime_api.h"},
    {"musa_cooperative_groups.h", "cooperative_groups.h"},
    {"murand.h", "curand.h"},
    {"musa_profiler_api.h", "cuda_profiler_api.h"},
    {"musa_fp16.hpp", "cuda_fp16.hpp"},
    {"musa_bf16.hpp", "cuda_bf16.hpp"},
    {"musa_pipeline.h", "cuda_pipeline.h"},
    {"musa_awbarrier.h", "cuda_awbarrier.h"},
    {"musa_occupancy.h", "cuda_occupancy.h"},
    {"murand_philox4x32_10.h", "curand_philox4x32_x.h"},
    {"mub/mub.cuh", "cub/cub.cuh"},
    {"torch_musa/csrc/core/MUSAEvent.h", "ATen/cuda/CUDAEvent.h"},
    {"torch_musa/csrc/core/MUSACachingAllocator.h", "c10/cuda/CUDACachingAllocator.h"},
    {"torch_musa/csrc/aten/musa/MUSAGeneratorImpl.h", "ATen/cuda/CUDAGeneratorImpl.h"},
    {"ATen/musa/MUSA_PORT_ApplyUtils.muh", "ATen/cuda/CUDAApplyUtils.cuh"},
    {"THC/THCAtomics.muh", "THC/THCAtomics.cuh"},
    {"torch_musa/csrc/core/MUSAStream.h", "c10/cuda/CUDAStream.h"},
    {"torch_musa/csrc/core/MUSAGuard.h", "c10/cuda/CUDAGuard.h"},
    {"torch_musa/csrc/core/MUSAException.h", "c10/cuda/CUDAException.h"},
    {"torch_musa/csrc/aten/musa/MUSAContext.h", "ATen/cuda/CUDAContext.h"},
    {"torch_musa/csrc/aten/musa/Exceptions.h", "ATen/cuda/Exceptions.h"},
    {"ATen/musa/MUSAContext.h", "ATen/cuda/CUDAContext.h"},
    {"c10/musa/MUSAStream.h", "c10/cuda/CUDAStream.h"},
    {"c10/musa/MUSAGuard.h", "c10/cuda/CUDAGuard.h"},
    {"c10/musa/MUSAException.h", "c10/cuda/CUDAException.h"},
};
constexpr std::string_view kMusaLibraries[] = {"mublas", "mudnn", "mufft", "mccl"};

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
    .targets = kCudaTargets,
    .unavailable_compiler = "",
    .libraries = kCudaLibraries,
};

// Source: torch_musa 2.7.1 (github.com/MooreThreads/torch_musa, 8b583b3): load_inline with
// `musa_sources` in torch_musa/utils/musa_extension.py; MUSAStream.h, MUSAGuard.h and the launch
// check of MUSAException.h in torch_musa/csrc/core; torch_musa/utils/mapping, with which
// bench/port_names.py compares the names.
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
    .targets = kMusaTargets,
    .unavailable_compiler = "mcc",
    .python_modules = kMusaModules,
    .more_loader_modules = kMusaLoaders,
    .names = kMusaNames,
    .name_prefixes = kMusaPrefixes,
    .toolkit_headers = kMusaToolkitHeaders,
    .answer_headers = kMusaAnswerHeaders,
    .libraries = kMusaLibraries,
};

std::span<const KernelBackend* const> KernelBackends() { return kBackends; }

std::vector<std::string> KernelBackendNames() {
  std::vector<std::string> names;
  for (const KernelBackend* backend : kBackends) names.emplace_back(backend->name);
  return names;
}

std::string KernelBackendList() {
  std::string list;
  for (const KernelBackend* backend : kBackends) {
    list += (list.empty() ? "" : ", ") + std::string(backend->name);
  }
  return list;
}

Json BackendTable() {
  Json::Array table;
  for (const KernelBackend* backend : kBackends) {
    Json::Array loaders = {backend->loader_module};
    for (std::string_view module : backend->more_loader_modules) loaders.push_back(module);
    Json::Array modules(backend->python_modules.begin(), backend->python_modules.end());
    table.push_back(
        Json::Object{{"name", backend->name},
                     {"title", backend->title},
                     {"suffixes", Json::Array{backend->source_suffix, backend->HeaderSuffix()}},
                     {"sources_keyword", backend->sources_keyword},
                     {"flags_keyword", backend->flags_keyword},
                     {"modules", std::move(modules)},
                     {"loaders", std::move(loaders)}});
  }
  return table;
}

Result<const DeviceTarget*> KernelBackend::TargetNamed(std::string_view target) const {
  std::string known;
  for (const DeviceTarget& one : targets) {
    if (target.empty() || one.name == target) return &one;
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  return Status(ErrorCode::kUsage, "unknown target '" + std::string(target) + "' of " +
                                       std::string(title) + ": its targets are " + known);
}

const std::vector<std::string>& DeviceQueries() {
  static const std::vector<std::string> kQueries = [] {
    std::vector<std::string> queries;
    for (const KernelBackend* backend : kBackends) {
      queries.push_back("is_" + std::string(backend->name));
    }
    queries.emplace_back("is_privateuseone");
    return queries;
  }();
  return kQueries;
}

const KernelBackend* BackendOfFile(std::string_view path) {
  for (const KernelBackend* backend : kBackends) {
    if (path.ends_with(backend->source_suffix) || path.ends_with(backend->HeaderSuffix())) {
      return backend;
    }
  }
  return nullptr;
}

const KernelBackend* FindKernelBackend(std::string_view name) {
  for (const KernelBackend* backend : kBackends) {
    if (backend->name == name) return backend;
  }
  return nullptr;
}

Result<const KernelBackend*> KernelBackendNamed(std::string_view name) {
  if (const KernelBackend* backend = FindKernelBackend(name)) return backend;
  return Status(ErrorCode::kConfig, "unknown backend '" + std::string(name) +
                                        "': the backends are " + KernelBackendList());
}

Status CheckBackendName(std::string_view record, std::string_view name) {
  if (FindKernelBackend(name) != nullptr) return Status::Ok();
  return Status(ErrorCode::kCorrupt,
                std::string(record) + ": unknown backend '" + std::string(name) + "'");
}

}  // namespace kernelmill
