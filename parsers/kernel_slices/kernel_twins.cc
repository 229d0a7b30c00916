#include "parsers/kernel_slices/kernel_twins.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace kernelmill {
namespace {

// "musa" → "Musa".
std::string Capitalized(std::string_view name) {
  std::string text(name);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

void ReplaceAll(std::string* text, std::string_view from, std::string_view to) {
  for (std::size_t at = text->find(from); at != text->npos; at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

// The kernels that a file defines, by their names as `backend` spells them.
std::map<std::string, std::vector<int>> KernelsOf(const NativeFile& file,
                                                  const KernelBackend& backend) {
  std::map<std::string, std::vector<int>> kernels;
  const std::vector<CudaItem>& items = file.cuda.items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].kernel || !items[i].body) continue;
    kernels[RespelledFor(backend, items[i].name)].push_back(static_cast<int>(i));
  }
  return kernels;
}

// The file that is the version of `path` for `backend`, or -1.
int TwinOf(const NativeIndex& index, std::string_view path, const KernelBackend& backend) {
  for (const std::string& twin : TwinPaths(path, backend)) {
    if (const int file = index.FileAt(twin); file >= 0) return file;
  }
  return -1;
}

}  // namespace

std::string RespelledFor(const KernelBackend& backend, std::string_view text) {
  std::string respelled(text);
  ReplaceAll(&respelled, kCudaBackend.name, backend.name);
  ReplaceAll(&respelled, kCudaBackend.title, backend.title);
  ReplaceAll(&respelled, Capitalized(kCudaBackend.name), Capitalized(backend.name));
  return respelled;
}

std::vector<std::string> TwinPaths(std::string_view path, const KernelBackend& backend) {
  const auto with_suffix = [&](std::string text) {
    for (const std::string& suffix :
         {kCudaBackend.HeaderSuffix(), std::string(kCudaBackend.source_suffix)}) {
      if (!text.ends_with(suffix)) continue;
      text.resize(text.size() - suffix.size());
      return text +
             (suffix.ends_with('h') ? backend.HeaderSuffix() : std::string(backend.source_suffix));
    }
    return text;
  };
  const std::string respelled = RespelledFor(backend, path);
  std::vector<std::string> paths = {with_suffix(respelled), respelled,
                                    with_suffix(std::string(path))};
  std::erase(paths, path);
  return paths;
}

std::vector<KernelTwins> FindKernelTwins(const NativeIndex& index) {
  std::vector<KernelTwins> twins;
  for (const KernelBackend* backend : KernelBackends()) {
    if (backend->HasCudaNames()) continue;
    for (std::size_t i = 0; i < index.files().size(); ++i) {
      const NativeFile& file = index.files()[i];
      const KernelBackend* const of_file = BackendOfFile(file.path);
      if (of_file != nullptr && !of_file->HasCudaNames()) continue;
      const auto kernels = KernelsOf(file, *backend);
      if (kernels.empty()) continue;
      const int other = TwinOf(index, file.path, *backend);
      if (other < 0) continue;
      const auto ports = KernelsOf(index.files()[static_cast<std::size_t>(other)], *backend);
      for (const auto& [name, items] : kernels) {
        const auto found = ports.find(name);
        if (found == ports.end() || found->second.size() != items.size()) continue;
        for (std::size_t at = 0; at < items.size(); ++at) {
          twins.push_back({{static_cast<int>(i), items[at]}, {other, found->second[at]}, backend});
        }
      }
    }
  }
  return twins;
}

}  // namespace kernelmill
