#include "parsers/kernel_slices/port_slicer.h"

#include <algorithm>
#include <set>

#include "parsers/kernel_slices/kernel_closure.h"
#include "parsers/kernel_slices/kernel_text.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostHosts = 4;  // Of the functions that launch the kernel.

struct Side {
  std::string code;
  std::set<std::string> kernels;
  std::set<int> files;
  bool has_hosts = false;
};

// The files that the unit includes from outside of the repository, in order, as it writes them.
std::vector<std::string> IncludeLines(const TranslationUnit& unit, const NativeIndex& index) {
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (int entry : unit.includes()) {
    const CudaItem& item = unit.item(entry);
    if (item.quoted && index.ResolveInclude(unit.entries()[entry].file, item.name) >= 0) continue;
    const auto enclosures = unit.EnclosuresOf(entry);
    if (std::any_of(enclosures.begin(), enclosures.end(), [&](const auto& at) {
          return unit.scope(at).kind == CudaScope::Kind::kCondition;
        })) {
      continue;
    }
    std::string line =
        item.quoted ? "#include \"" + item.name + "\"" : "#include <" + item.name + ">";
    if (seen.insert(line).second) lines.push_back(std::move(line));
  }
  return lines;
}

Side CutSide(TranslationUnits* units, const FunctionPlace& kernel, std::int64_t lines) {
  const NativeIndex& index = units->index();
  const std::string& name = index.item(kernel.file, kernel.item).name;
  const std::vector<FunctionPlace> launchers = LaunchersOf(index, kernel.file, name);
  // A launch in the kernel's own file before one in another file.
  const auto own =
      std::find_if(launchers.begin(), launchers.end(),
                   [&](const FunctionPlace& place) { return place.file == kernel.file; });
  const auto first = own == launchers.end() ? launchers.begin() : own;
  const TranslationUnit& unit = units->Of(first == launchers.end() ? kernel.file : first->file);
  const int entry = unit.EntryOf(kernel.file, kernel.item);
  Side side;
  if (entry < 0) return side;
  std::vector<int> hosts;
  for (const FunctionPlace& place : launchers) {
    const int host = unit.EntryOf(place.file, place.item);
    if (host >= 0 && hosts.size() < kMostHosts) hosts.push_back(host);
  }
  const KernelClosure closure = CloseOver(unit, entry, lines, hosts);
  side.code = WriteKernelSlice(unit, closure, entry, IncludeLines(unit, index)).code;
  for (int at : closure.entries) {
    side.files.insert(unit.entries()[at].file);
    const CudaItem& item = unit.item(at);
    if (item.kernel && item.body) side.kernels.insert(item.name);
    side.has_hosts = side.has_hosts || std::find(hosts.begin(), hosts.end(), at) != hosts.end();
  }
  return side;
}

}  // namespace

PortCut CutPort(TranslationUnits* units, const KernelTwins& twins,
                const KernelSliceLimits& limits) {
  Side from = CutSide(units, twins.kernel, limits.lines);
  Side to = CutSide(units, twins.port, limits.lines);
  PortCut cut;
  cut.port.kernels.assign(from.kernels.begin(), from.kernels.end());
  cut.port.port_kernels.assign(to.kernels.begin(), to.kernels.end());
  cut.port.code = std::move(from.code);
  cut.port.port_backend = twins.backend->name;
  cut.port.port_code = std::move(to.code);
  from.files.merge(to.files);
  cut.files.assign(from.files.begin(), from.files.end());
  cut.same_hosts = from.has_hosts == to.has_hosts;
  return cut;
}

}  // namespace kernelmill
