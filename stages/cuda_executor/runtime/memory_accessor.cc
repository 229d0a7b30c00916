#include "stages/cuda_executor/runtime/memory_accessor.h"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <string_view>

namespace kernelmill {

CodeOwner OwnerOf(const void* instruction) {
  // dladdr() would also look for a symbol, which takes milliseconds in a library of torch's size.
  dl_find_object object{};
  if (_dl_find_object(const_cast<void*>(instruction), &object) != 0) return CodeOwner::kLibrary;
  const std::string_view path = object.dlfo_link_map->l_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("extension.so")) return CodeOwner::kExtension;
  if (name.starts_with("libtorch") || name.starts_with("libc10")) return CodeOwner::kTorch;
  return CodeOwner::kLibrary;
}

Accessor AccessorAt(const char* instruction) {
  struct Walk {
    const char* from;
    bool begun = false;
    bool decided = false;
    int frames = 0;
    Accessor found;
  } walk{instruction};
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        Walk* const walk = static_cast<Walk*>(data);
        int before = 0;
        const char* at = reinterpret_cast<const char*>(_Unwind_GetIPInfo(context, &before));
        walk->begun = walk->begun || at == walk->from;
        if (++walk->frames > 64) return _URC_END_OF_STACK;
        if (!walk->begun) return _URC_NO_REASON;
        if (before == 0) --at;  // It is a return address, which may lie in the next line.
        const CodeOwner owner = OwnerOf(at);
        if (owner == CodeOwner::kLibrary) return _URC_NO_REASON;
        if (!walk->decided) {
          walk->found.is_torch = owner == CodeOwner::kTorch;
          walk->found.is_extension = owner == CodeOwner::kExtension;
        }
        walk->decided = true;
        if (owner == CodeOwner::kTorch) return _URC_END_OF_STACK;
        walk->found.line = LineOf(at);  // Empty if all code there is inlined from headers.
        return walk->found.line.line == 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
      },
      &walk);
  return walk.found;
}

}  // namespace kernelmill
