// Replaces the names in a source that refer to the device (RewriteDeviceNames).
#include <algorithm>
#include <cctype>
#include <span>

#include "corpora/kernel_backend.h"
#include "manifests/ascii.h"
#include "parsers/cuda_attributes.h"
#include "parsers/cuda_names.h"
#include "parsers/cuda_rewrite.h"

namespace kernelmill {
namespace {

// Names that state a tensor's device and depend on no backend. Tensors are in the CPU's memory here
// but must pass for device tensors. A candidate cannot have tensors that pass for CPU tensors.
constexpr NamePair kDeviceNames[] = {
    {"is_cpu", "is_meta"},
    {"__noinline__", "__attribute__((noinline))"},
};
constexpr std::string_view kUnsupported[] = {
    "cutlass",       "cute",          "this_grid",
    "grid_group",    "this_cluster",  "cluster_group",
    "__nv_fp8_e4m3", "__nv_fp8_e5m2", "cudaLaunchCooperativeKernel",
    "cudaGraph_t",   "CUtensorMap",
};

std::string_view Mapped(std::span<const NamePair> pairs, std::string_view name) {
  for (const auto& [from, to] : pairs) {
    if (from == name) return to;
  }
  return {};
}

// Whether `matches` holds for the backend of the source or for any other: a CUDA source can also
// ask is_musa().
template <typename Matches>
bool AnyBackend(const KernelBackend& backend, Matches matches) {
  const auto known = KernelBackends();
  return matches(backend) || std::any_of(known.begin(), known.end(),
                                         [&](const KernelBackend* one) { return matches(*one); });
}

// The name of a device: cuda.
bool IsDeviceName(std::string_view name, const KernelBackend& backend) {
  return AnyBackend(backend, [&](const KernelBackend& one) { return one.name == name; });
}

// Torch's key of a device: CUDA in DeviceType::CUDA and kCUDA.
bool IsDeviceKey(std::string_view name, const KernelBackend& backend) {
  return name == "PrivateUse1" ||
         AnyBackend(backend, [&](const KernelBackend& one) { return one.title == name; });
}

// The method by which torch asks whether a tensor is on a device: is_cuda.
bool IsDeviceQuery(std::string_view name, const KernelBackend& backend) {
  return name.starts_with("is_") &&
         (name == "is_privateuseone" || IsDeviceName(name.substr(3), backend));
}

std::size_t SkipBlank(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}
std::string_view BeforeBlank(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return text.substr(0, at);
}

// Whether the text goes on like that of x.type().is_cuda() after "type".
bool AsksTypeForDevice(std::string_view rest, const KernelBackend& backend) {
  constexpr std::string_view kCall = "().";
  if (!rest.starts_with(kCall)) return false;
  rest.remove_prefix(kCall.size());
  return IsDeviceQuery(rest.substr(0, rest.find('(')), backend);
}

// The replacement of the identifier [first, last), or "" to keep it.
std::string Replacement(std::string_view text, std::size_t first, std::size_t last,
                        const KernelBackend& backend) {
  const std::string_view name = text.substr(first, last - first);
  const std::string_view before = BeforeBlank(text, first);
  const std::size_t next = SkipBlank(text, last);
  const bool member = before.ends_with('.') || before.ends_with("->");
  const bool called = next < text.size() && text[next] == '(';
  if (const std::string_view mapped = Mapped(kDeviceNames, name); !mapped.empty()) {
    return std::string(mapped);
  }
  if (IsDeviceQuery(name, backend)) return "is_cpu";
  // Unlike a tensor and its device, its type has no is_cpu().
  if (name == "type" && member && AsksTypeForDevice(text.substr(next), backend)) return "device";
  if (name.starts_with('k') && IsDeviceKey(name.substr(1), backend)) return "kCPU";
  if (IsDeviceName(name, backend)) {
    if (member && called) return "cpu";
    const bool scope = before.ends_with("::") || text.substr(next).starts_with("::");
    return name == backend.name && scope ? "cuda" : "";
  }
  if (IsDeviceKey(name, backend)) {
    // As in DeviceType::CUDA, DispatchKey::CUDA, TORCH_LIBRARY_IMPL(name, CUDA, m).
    const bool key = before.ends_with(',') && next < text.size() && text[next] == ',';
    return before.ends_with("::") || key ? "CPU" : "";
  }
  return backend.HasCudaNames() ? "" : CudaNameOf(name, backend);
}

// Whether the literal names the device: "cuda", "cuda:0", "musa".
bool IsDeviceLiteral(std::string_view literal, const KernelBackend& backend) {
  if (literal.size() < 2 || literal.front() != '"' || literal.back() != '"') return false;
  literal = literal.substr(1, literal.size() - 2);
  if (literal.size() > 2 && literal[literal.size() - 2] == ':' &&
      std::isdigit(static_cast<unsigned char>(literal.back()))) {
    literal.remove_suffix(2);
  }
  return IsDeviceName(literal, backend);
}

bool IsUnsupported(std::string_view name) {
  for (const KernelBackend* backend : KernelBackends()) {
    for (const std::string_view library : backend->libraries) {
      if (name.size() > library.size() && name.starts_with(library) &&
          std::isupper(static_cast<unsigned char>(name[library.size()]))) {
        return true;
      }
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

std::string RewriteDeviceNames(std::string_view source, const KernelBackend& backend) {
  std::string text;
  text.reserve(source.size() + source.size() / 16);
  bool line_begins = true;
  for (std::size_t at = 0; at < source.size();) {
    if (line_begins) {
      const std::string_view line = source.substr(at, source.find('\n', at) - at);
      std::size_t first = 0;
      if (const std::string_view header = IncludedHeader(line, &first); !header.empty()) {
        std::string_view mapped = Mapped(backend.toolkit_headers, header);
        if (mapped.empty()) mapped = Mapped(backend.answer_headers, header);
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
      text += IsDeviceLiteral(literal, backend) ? std::string_view("\"cpu\"") : literal;
      at = opaque;
    } else if (IsNameStart(source[at])) {
      std::size_t last = at;
      while (last < source.size() && IsNamePart(source[last])) ++last;
      const std::string replacement = Replacement(source, at, last, backend);
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
