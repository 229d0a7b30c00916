// Replaces the names in a source that refer to the device (RewriteDeviceNames).
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "manifests/ascii.h"
#include "parsers/cuda_attributes.h"
#include "parsers/cuda_rewrite.h"

namespace kernelmill {
namespace {

using NamePair = std::pair<std::string_view, std::string_view>;

// Names that ask for or state a tensor's device. Tensors are in the CPU's memory here but must pass
// for device tensors. A candidate cannot have tensors that pass for CPU tensors.
constexpr NamePair kDeviceNames[] = {
    {"is_cuda", "is_cpu"},
    {"is_musa", "is_cpu"},
    {"is_privateuseone", "is_cpu"},
    {"is_cpu", "is_meta"},
    {"kCUDA", "kCPU"},
    {"kMUSA", "kCPU"},
    {"kPrivateUse1", "kCPU"},
    {"__noinline__", "__attribute__((noinline))"},
};
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
};
// Headers of the MUSA toolkit and of torch_musa.
constexpr NamePair kMusaHeaders[] = {
    {"musa_runtime.h", "cuda_runtime.h"},
    {"musa_runtime_api.h", "cuda_runtime_api.h"},
    {"musa.h", "cuda.h"},
    {"musa_fp16.h", "cuda_fp16.h"},
    {"musa_bf16.h", "cuda_bf16.h"},
    {"musa_cooperative_groups.h", "cooperative_groups.h"},
    {"murand.h", "curand.h"},
    {"murand_kernel.h", "curand_kernel.h"},
    {"muComplex.h", "cuComplex.h"},
    {"musa_profiler_api.h", "cuda_profiler_api.h"},
    {"mub/mub.cuh", "cub/cub.cuh"},
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
constexpr std::string_view kUnsupported[] = {
    "wmma",          "asm",           "__asm__",
    "cutlass",       "cute",          "this_grid",
    "grid_group",    "this_cluster",  "cluster_group",
    "__nv_fp8_e4m3", "__nv_fp8_e5m2", "cudaLaunchCooperativeKernel",
    "cudaGraph_t",   "CUtensorMap",   "__pipeline_memcpy_async",
};
// Libraries whose functions and types begin with the library's name: cublasCreate, cudnnHandle_t.
constexpr std::string_view kLibraries[] = {"cublas",   "cublasLt", "cudnn", "cufft",
                                           "cusparse", "cusolver", "nccl",  "mublas",
                                           "mudnn",    "mufft",    "mccl"};

template <std::size_t kCount>
std::string_view Mapped(const NamePair (&pairs)[kCount], std::string_view name) {
  for (const auto& [from, to] : pairs) {
    if (from == name) return to;
  }
  return {};
}

std::size_t SkipBlank(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}
std::string_view BeforeBlank(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return text.substr(0, at);
}

// The replacement of the identifier [first, last), or "" to keep it.
std::string Replacement(std::string_view text, std::size_t first, std::size_t last, bool musa) {
  const std::string_view name = text.substr(first, last - first);
  const std::string_view before = BeforeBlank(text, first);
  const std::size_t next = SkipBlank(text, last);
  const bool member = before.ends_with('.') || before.ends_with("->");
  const bool called = next < text.size() && text[next] == '(';
  if (const std::string_view mapped = Mapped(kDeviceNames, name); !mapped.empty()) {
    return std::string(mapped);
  }
  if (name == "cuda" || name == "musa") {
    if (member && called) return "cpu";
    const bool scope = before.ends_with("::") || text.substr(next).starts_with("::");
    return name == "musa" && musa && scope ? "cuda" : "";
  }
  if (name == "CUDA" || name == "PrivateUse1" || name == "MUSA") {
    // As in DeviceType::CUDA, DispatchKey::CUDA, TORCH_LIBRARY_IMPL(name, CUDA, m).
    const bool key = before.ends_with(',') && next < text.size() && text[next] == ',';
    return before.ends_with("::") || key ? "CPU" : "";
  }
  if (!musa) return {};
  if (const std::string_view mapped = Mapped(kMusaNames, name); !mapped.empty()) {
    return std::string(mapped);
  }
  if (name.size() > 4 && name.starts_with("musa") &&
      std::isupper(static_cast<unsigned char>(name[4]))) {
    return "cuda" + std::string(name.substr(4));
  }
  if (name.starts_with("murand")) return "cu" + std::string(name.substr(2));
  return {};
}

// Whether the literal names the device: "cuda", "cuda:0", "musa".
bool IsDeviceLiteral(std::string_view literal) {
  for (const std::string_view device : {"\"cuda", "\"musa"}) {
    if (!literal.starts_with(device)) continue;
    const std::string_view rest = literal.substr(device.size());
    if (rest == "\"" || (rest.size() == 3 && rest[0] == ':' && rest[2] == '"' &&
                         std::isdigit(static_cast<unsigned char>(rest[1])))) {
      return true;
    }
  }
  return false;
}

bool IsUnsupported(std::string_view name) {
  for (const std::string_view library : kLibraries) {
    if (name.size() > library.size() && name.starts_with(library) &&
        std::isupper(static_cast<unsigned char>(name[library.size()]))) {
      return true;
    }
  }
  return std::find(std::begin(kUnsupported), std::end(kUnsupported), name) !=
         std::end(kUnsupported);
}

// The header named by an #include line, "" for other lines. `*first` is set to the offset of its
// name.
std::string_view IncludedHeader(std::string_view line, std::size_t* first) {
  std::size_t at = SkipBlank(line, 0);
  if (at >= line.size() || line[at] != '#') return {};
  at = SkipBlank(line, at + 1);
  constexpr std::string_view kInclude = "include";
  if (!line.substr(at).starts_with(kInclude)) return {};
  at = SkipBlank(line, at + kInclude.size());
  if (at >= line.size() || (line[at] != '<' && line[at] != '"')) return {};
  const std::size_t end = line.find(line[at] == '<' ? '>' : '"', at + 1);
  if (end == std::string_view::npos) return {};
  *first = at + 1;
  return line.substr(at + 1, end - at - 1);
}

}  // namespace

std::string RewriteDeviceNames(std::string_view source, bool musa) {
  std::string text;
  text.reserve(source.size() + source.size() / 16);
  bool line_begins = true;
  for (std::size_t at = 0; at < source.size();) {
    if (line_begins) {
      const std::string_view line = source.substr(at, source.find('\n', at) - at);
      std::size_t first = 0;
      if (const std::string_view header = IncludedHeader(line, &first); !header.empty()) {
        const std::string_view mapped = musa ? Mapped(kMusaHeaders, header) : "";
        text += line.substr(0, first);
        text += mapped.empty() ? header : mapped;
        text += line.substr(first + header.size());
        at += line.size();
        line_begins = false;
        continue;
      }
    }
    line_begins = source[at] == '\n';
    const std::size_t opaque = SkipCommentOrLiteral(source, at);
    if (opaque > at) {
      const std::string_view literal = source.substr(at, opaque - at);
      text += IsDeviceLiteral(literal) ? std::string_view("\"cpu\"") : literal;
      at = opaque;
    } else if (IsNameStart(source[at])) {
      std::size_t last = at;
      while (last < source.size() && IsNamePart(source[last])) ++last;
      const std::string replacement = Replacement(source, at, last, musa);
      text += replacement.empty() ? source.substr(at, last - at) : std::string_view(replacement);
      at = last;
    } else if (std::isdigit(static_cast<unsigned char>(source[at]))) {
      while (at < source.size() && (IsNamePart(source[at]) || source[at] == '.')) {
        text += source[at++];
      }
    } else {
      text += source[at++];
    }
  }
  return text;
}

std::optional<UnsupportedFeature> FindUnsupportedFeature(std::string_view source) {
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t opaque = SkipCommentOrLiteral(source, at);
    if (opaque > at) {
      at = opaque;
      continue;
    }
    if (!IsNameStart(source[at])) {
      ++at;
      continue;
    }
    std::size_t last = at;
    while (last < source.size() && IsNamePart(source[last])) ++last;
    const std::string_view name = source.substr(at, last - at);
    if (IsUnsupported(name)) {
      const auto lines = std::count(source.begin(), source.begin() + static_cast<long>(at), '\n');
      return UnsupportedFeature{name, static_cast<std::size_t>(lines) + 1};
    }
    at = last;
  }
  return std::nullopt;
}

}  // namespace kernelmill
