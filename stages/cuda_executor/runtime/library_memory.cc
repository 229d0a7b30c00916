#include "stages/cuda_executor/runtime/library_memory.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <vector>

#include <kernelmill/executor.h>

namespace kernelmill {
namespace {

struct Range {
  const char* first;
  const char* last;
  bool Holds(const char* byte) const { return byte >= first && byte < last; }
};
struct Ranges {
  std::vector<Range> writable, constant;
};
Ranges& All() {
  static auto* const ranges = new Ranges;
  return *ranges;
}

bool Holds(const std::vector<Range>& ranges, const char* byte) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return range.Holds(byte); });
}

}  // namespace

void NoteLibrary(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* wanted) {
        if (info->dlpi_addr != reinterpret_cast<std::uintptr_t>(wanted)) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          const char* const first = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
          const Range range{first, first + part.p_memsz};
          if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0) All().writable.push_back(range);
          // Only the loader writes to this segment.
          if (part.p_type == PT_GNU_RELRO) All().constant.push_back(range);
        }
        return 1;
      },
      reinterpret_cast<void*>(map->l_addr));
}

void NoteConstants(const char* first, const char* last) {
  if (first != nullptr) All().constant.push_back({first, last});
}

bool IsDeviceVariable(const void* address) {
  const char* const byte = static_cast<const char*>(address);
  return Holds(All().writable, byte) && !Holds(All().constant, byte);
}

}  // namespace kernelmill
