#include "stages/mine/file_gate.h"

#include <algorithm>

#include "manifests/json.h"
#include "stages/mine/licence_map.h"

namespace kernelmill {
namespace {

constexpr std::size_t kLongestPath = 1024;

bool IsCleanPath(std::string_view path) {
  if (path.empty() || path.size() > kLongestPath || !IsUtf8(path)) return false;
  if (std::any_of(path.begin(), path.end(),
                  [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
    return false;
  }
  for (std::size_t first = 0; first <= path.size();) {
    const std::size_t last = std::min(path.find('/', first), path.size());
    const std::string_view part = path.substr(first, last - first);
    if (part.empty() || part == "." || part == "..") return false;
    first = last + 1;
  }
  return true;
}

bool EndsWithOneOf(std::string_view path, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return path.ends_with(end); });
}

}  // namespace

bool IsDeviceSource(std::string_view path) {
  return EndsWithOneOf(path, {".cu", ".cuh", ".mu", ".muh"});
}

bool IsNativeSource(std::string_view path) {
  return IsDeviceSource(path) || EndsWithOneOf(path, {".h", ".hpp", ".hh", ".hxx", ".cpp", ".cc",
                                                      ".cxx", ".c", ".inl", ".inc"});
}

std::string_view GateOf(const TreeEntry& entry, bool kernels) {
  if (entry.kind != TreeEntryKind::kFile) return "not_a_file";
  if (!IsCleanPath(entry.path)) return "bad_path";
  const bool source = entry.path.ends_with(".py") || LicenceFile::Is(entry.path) ||
                      (kernels && IsNativeSource(entry.path));
  return source ? "" : "not_source";
}

Refusal RefuseContent(std::string_view path, std::string_view bytes) {
  if (bytes.starts_with("version https://git-lfs.github.com/spec/")) return {"lfs_pointer", false};
  // UTF-16 files hold NUL bytes too.
  if (bytes.find('\0') != std::string_view::npos) return {"binary", true};
  if (!IsUtf8(bytes)) return {"not_utf8", true};
  if (IsNativeSource(path)) return {};
  // Any file with a definition or an import may be what a slice of another file needs.
  for (std::string_view marker : {"class ", "def ", "import ", "="}) {
    if (bytes.find(marker) != std::string_view::npos) return {};
  }
  return {"no_marker", false};
}

}  // namespace kernelmill
