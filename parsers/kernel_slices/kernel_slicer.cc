#include "parsers/kernel_slices/kernel_slicer.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "corpora/kernel_backend.h"
#include "parsers/kernel_slices/kernel_closure.h"
#include "parsers/kernel_slices/kernel_text.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostRoots = 8;  // Files that include a header; each is tried as its context.
constexpr int kMostCalls = 6;          // Calls between a bound function and one that launches.
constexpr std::size_t kMostFunctions = 64;
constexpr std::size_t kMostLaunches = 16;
constexpr std::size_t kMostBindings = 8;

// The backend that a file is for, by its suffix or by the headers that it includes.
const KernelBackend& BackendOf(const NativeFile& file) {
  const KernelBackend* const by_suffix = BackendOfFile(file.path);
  if (by_suffix != nullptr && !by_suffix->HasCudaNames()) return *by_suffix;
  for (const KernelBackend* backend : KernelBackends()) {
    if (backend->HasCudaNames()) continue;
    if (std::any_of(file.cuda.items.begin(), file.cuda.items.end(), [&](const CudaItem& item) {
          return item.kind == CudaItemKind::kInclude && item.name.starts_with(backend->name);
        })) {
      return *backend;
    }
  }
  return kCudaBackend;
}

// Finds the functions that Python can call and that lead to one of `launchers`.
std::vector<KernelBinding> BindingsOf(const NativeIndex& index,
                                      const std::set<std::string>& launchers) {
  std::set<KernelBinding> bindings;
  for (const std::string& launcher : launchers) {
    std::map<std::string, int> depth = {{launcher, 0}};
    std::vector<std::string> open = {launcher};
    for (std::size_t i = 0; i < open.size() && open.size() < kMostFunctions; ++i) {
      const std::string function = open[i];
      const auto [first, last] = index.bindings().equal_range(function);
      for (auto at = first; at != last; ++at) {
        bindings.insert({at->second, function, launcher});
      }
      // The users of a bound function are its registration and other languages.
      if (first != last || depth[function] >= kMostCalls) continue;
      if (!index.IsUnambiguous(function)) continue;
      for (const FunctionPlace& user : index.UsersOf(function)) {
        const std::string& name = index.item(user.file, user.item).name;
        if (depth.emplace(name, depth[function] + 1).second) open.push_back(name);
      }
    }
  }
  std::vector<KernelBinding> sorted(bindings.begin(), bindings.end());
  if (sorted.size() > kMostBindings) sorted.resize(kMostBindings);
  return sorted;
}

// Finds the kernel's launches in files that see its definition, and the bindings that lead to them.
void FindLaunches(const NativeIndex& index, int file, KernelCut* cut) {
  KernelSource& kernel = cut->kernel;
  std::set<KernelLaunch> launches;
  std::set<std::tuple<std::string, std::int64_t>> sites;
  std::set<std::string> launchers;
  for (const FunctionPlace& user : LaunchersOf(index, file, kernel.name)) {
    for (const CudaLaunch& launch : index.item(user.file, user.item).launches) {
      if (launch.kernel != kernel.name) continue;
      sites.emplace(index.files()[user.file].path, launch.line);
      launchers.insert(launch.launch.function);
      launches.insert(launch.launch);
    }
  }
  kernel.launches.assign(launches.begin(), launches.end());
  if (kernel.launches.size() > kMostLaunches) kernel.launches.resize(kMostLaunches);
  kernel.bindings = BindingsOf(index, launchers);
  for (const auto& [path, line] : sites) {
    if (cut->launch_sites.size() < kMostLaunches) {
      cut->launch_sites.push_back(path + ":" + std::to_string(line));
    }
  }
}

}  // namespace

std::vector<FunctionPlace> LaunchersOf(const NativeIndex& index, int file,
                                       std::string_view kernel) {
  std::vector<FunctionPlace> launchers;
  for (const FunctionPlace& user : index.UsersOf(kernel)) {
    const auto& launches = index.item(user.file, user.item).launches;
    if (std::none_of(launches.begin(), launches.end(),
                     [&](const CudaLaunch& launch) { return launch.kernel == kernel; })) {
      continue;
    }
    const std::vector<int> seen = index.WithIncludedFiles(user.file);
    if (std::binary_search(seen.begin(), seen.end(), file)) launchers.push_back(user);
  }
  return launchers;
}

KernelCut CutKernel(TranslationUnits* units, int file, int item, const KernelSliceLimits& limits) {
  const NativeIndex& index = units->index();
  KernelCut cut;
  KernelSource& best = cut.kernel;
  best.name = index.item(file, item).name;
  const KernelBackend& backend = BackendOf(index.files()[file]);
  best.backend = backend.name;
  std::vector<int> roots = {file};
  for (int includer : index.IncludersOf(file)) {
    if (roots.size() <= kMostRoots) roots.push_back(includer);
  }
  bool found = false;
  for (int root : roots) {
    const TranslationUnit& unit = units->Of(root);
    const int kernel = unit.EntryOf(file, item);
    if (kernel < 0) continue;
    const KernelClosure closure = CloseOver(unit, kernel, limits.lines);
    // A header can depend on what the files that include it have included before.
    if (found && closure.missing.size() >= best.missing.size()) continue;
    KernelText text = WriteKernelSlice(unit, closure, kernel, backend);
    best.code = std::move(text.code);
    best.line = text.line;
    best.omitted = std::move(text.omitted);
    best.missing.assign(closure.missing.begin(), closure.missing.end());
    std::set<int> files;
    for (int entry : closure.entries) files.insert(unit.entries()[entry].file);
    cut.files.assign(files.begin(), files.end());
    found = true;
    if (best.missing.empty()) break;
  }
  FindLaunches(index, file, &cut);
  return cut;
}

}  // namespace kernelmill
