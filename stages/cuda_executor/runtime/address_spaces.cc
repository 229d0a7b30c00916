#include "stages/cuda_executor/runtime/address_spaces.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

#include <kernelmill/executor.h>

#include "stages/cuda_executor/runtime/arguments_at_launch.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/memory_accessor.h"
#include "stages/cuda_executor/runtime/memory_checks.h"
#include "stages/cuda_executor/runtime/page_store.h"

namespace kernelmill {
namespace {

// Allocations start at different offsets in their first page. With equal offsets they would compete
// for the same sets of the first-level cache.
#ifdef KERNELMILL_CHECK_MEMORY
constexpr std::size_t kOffsetSteps = 1;
#else
constexpr std::size_t kOffsetSteps = 7;
#endif
constexpr std::size_t kColourStep = 512;

// The bytes around an allocation are NaN in every floating-point format, and large and odd as
// integers, so that reads beyond its ends show in the result. The sanitizer, in builds that have
// it, uses its own red zones.
#ifdef KERNELMILL_CHECK_MEMORY
constexpr std::size_t kMargin = 0;
#else
constexpr std::size_t kMargin = 512;
#endif
// The pages behind an allocation if memory is spread. More than most blocks write beside it that
// are made for larger sizes: 1,024 threads with 64 bytes each. Nothing touches them otherwise.
constexpr std::size_t kSpreadPages = (kMargin > 0 ? std::size_t{64} << 10 : 0) / kPageBytes;
// The bytes behind an allocation if memory is spread and not filled, so that it costs nothing: more
// than an index of 32 bits that leaves its type leads away.
constexpr std::size_t kGap = std::size_t{18} << 30;
constexpr unsigned char kMarginBytes[] = {0xFF, 0xFF, 0xFF, 0x7F};

constexpr std::size_t kMostReleased = 10'000;

struct Region {
  std::size_t bytes = 0;  // Size in whole pages.
  std::size_t size = 0;   // Size up to the last requested byte.
  Space space = Space::kUnknown;
  std::size_t shift = 0;  // Offset of the first requested byte.
  std::uint64_t number = 0;
  bool device_data = false;  // See MemoryState.
  bool taken = false;        // Whether TakeWrittenByHost() has given its values.
};

enum class Access : unsigned char { kNone, kRead, kAll };

// The inaccessible address range that replaces pointers to host memory in a kernel's arguments.
constexpr std::size_t kArgumentBytes = std::size_t{1} << 20;
constexpr std::size_t kArguments = 16;
constexpr std::size_t kBeforeArgument = 64 << 10;  // Room for negative indices.

// What BytesToHost() says. It lies on a page that nobody can write to but Add(): host code may find
// it, but not change it.
class HostCount {
 public:
  std::uint64_t bytes() const { return *place_; }
  void Add(std::uint64_t bytes) {
    Set(PROT_READ | PROT_WRITE);
    *place_ += bytes;
    Set(PROT_READ);
  }

 private:
  void Set(int rights) const {
    if (mprotect(place_, kPageBytes, rights) != 0) std::abort();
  }
  std::uint64_t* place_ = static_cast<std::uint64_t*>(
      mmap(nullptr, kPageBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
};

struct Spaces {
  std::recursive_mutex mutex;
  std::map<const char*, Region> regions;
  std::map<const char*, Access> open;           // Regions that are accessible now.
  std::map<const char*, std::size_t> released;  // Regions that were released.
  std::size_t colour = 0;
  std::uint64_t allocations = 0, first_allocation = 0;  // The count of all, and the number of the
                                                        // first since ForgetAccesses().
  Running running = Running::kAnything;
  const char* function = nullptr;
  bool all_open = false;  // Set after a fault of host code.
  HostCount to_host;
  bool retain = false;  // See RetainReleased().
  std::map<char*, Region> retained;
  char* arguments = static_cast<char*>(
      mmap(nullptr, kArguments* kArgumentBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
};
// Never destroyed: tensors outlive static objects.
Spaces& All() {
  static auto* const spaces = new Spaces;
  return *spaces;
}
using Lock = std::lock_guard<std::recursive_mutex>;

template <typename Map>
auto Containing(Map& map, const void* address, auto size_of) {
  const char* const byte = static_cast<const char*>(address);
  auto found = map.upper_bound(byte);
  if (found == map.begin()) return map.end();
  --found;
  return byte < found->first + size_of(found->second) ? found : map.end();
}
auto FindRegion(const void* address) {
  return Containing(All().regions, address, [](const Region& region) { return region.bytes; });
}

AllocatedMemory MemoryIn(const char* first, const Region& region) {
  return {const_cast<char*>(first) + region.shift, region.size - region.shift};
}

// Whether an access needs no decision. In memory of both spaces, the first write of a kernel after
// host code, and the first access of host code after that write, are noticed.
bool IsOpenTo(const Region& region, Running running) {
  switch (running) {
    case Running::kAnything:
    case Running::kOperator:
      return true;
    case Running::kHostCode:
      return region.space == Space::kHost || (region.space == Space::kBoth && !region.device_data);
    case Running::kKernel:
      return region.space == Space::kDevice || (region.space == Space::kBoth && region.device_data);
  }
  return true;
}

bool Protect(const char* first, std::size_t bytes, Access access) {
  const int rights = access == Access::kNone   ? PROT_NONE
                     : access == Access::kRead ? PROT_READ
                                               : PROT_READ | PROT_WRITE;
  return mprotect(const_cast<char*>(first), bytes, rights) == 0;
}

// Closes the open regions that the code which runs now must not access; adjacent ones in one call.
// Regions are opened only on access, so that the cost depends on what a launch touches and not on
// how many regions there are.
void CloseRegions() {
  Spaces& all = All();
  if (all.all_open || all.running == Running::kAnything || all.running == Running::kOperator) {
    return;
  }
  for (auto at = all.open.begin(); at != all.open.end();) {
    if (IsOpenTo(all.regions[at->first], all.running)) {
      ++at;
      continue;
    }
    const auto begin = at;
    const char* const first = at->first;
    const char* last = first;
    while (at != all.open.end() && at->first == last &&
           !IsOpenTo(all.regions[at->first], all.running)) {
      last += all.regions[at->first].bytes;
      ++at;
    }
    if (!Protect(first, static_cast<std::size_t>(last - first), Access::kNone)) {
      // Host code could read the memory, so that no result of this run counts.
      Log().SetFault({"unsupported", "mappings",
                      "the process has more mappings of memory than the system allows, so the "
                      "executor cannot close the device's memory",
                      "", 0});
      all.all_open = true;
      return;
    }
    at = all.open.erase(begin, at);
  }
}

// Fills the bytes from `first` to `last`, which are offsets from the start of the page.
void FillMargin(char* page, std::size_t first, std::size_t last) {
  for (std::size_t at = first; at < last; ++at) {
    page[at] = static_cast<char>(kMarginBytes[at % std::size(kMarginBytes)]);
  }
}

void Open(const char* first, const Region& region, Access access) {
  if (Protect(first, region.bytes, access)) All().open[first] = access;
}

// Whether the address lies in a writable segment of a library. Variables of the device lie
// elsewhere (device_variables.h).
bool IsHostVariable(const void* address) {
  struct Search {
    std::uintptr_t address;
    bool writable = false, constant = false;
  } search{reinterpret_cast<std::uintptr_t>(address)};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto* const wanted = static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (wanted->address - info->dlpi_addr - part.p_vaddr >= part.p_memsz) continue;
          if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0) wanted->writable = true;
          // Only the loader writes to this segment: the compiler's tables are there.
          if (part.p_type == PT_GNU_RELRO) wanted->constant = true;
        }
        return wanted->writable ? 1 : 0;
      },
      &search);
  return search.writable && !search.constant;
}

void FaultOfHost(const char* verb, const Accessor& accessor) {
  Spaces& all = All();
  Log().SetFault({"illegal_address", "wrong_space",
                  (all.function != nullptr ? "host code of " + std::string(all.function) + "()"
                                           : "Python, or a library that it called,") +
                      " " + verb + " memory of the device",
                  accessor.line.file, accessor.line.line});
  all.all_open = true;
}

// Decides an access of host code to a region that is closed to it. What host code
// reads of the device's values is counted for the whole region.
void DecideHostAccess(Region* region, bool writes, const Accessor& accessor) {
  Spaces& all = All();
  if (region->space == Space::kDevice && !accessor.is_torch) {
    FaultOfHost(writes ? "writes to" : "reads", accessor);
    return;
  }
  if (region->device_data) all.to_host.Add(region->size - region->shift);
  // Torch also fills tensors outside of operators; such an access does not determine the space.
  if (accessor.is_torch) return;
  region->device_data = false;
  if (region->space == Space::kUnknown) region->space = Space::kHost;
}

void OnHostSignal(int signal, siginfo_t* info, void* context) {
  if (DecideAccess(*info, context).go_on) return;
  ::signal(signal, SIG_DFL);  // The instruction runs again and ends the process.
}

}  // namespace

void* AllocateIn(Space space, std::size_t size) {
  Spaces& all = All();
  const Lock lock(all.mutex);
  const std::size_t shift = kMargin + all.colour++ % kOffsetSteps * kColourStep;
  const std::size_t used = (shift + size + kMargin + kPageBytes - 1) / kPageBytes;
  if (used * kPageBytes < size) return nullptr;
  const bool gap = Options().spread_memory && !Options().fills_memory;
  const std::size_t pages = used + (Options().spread_memory && !gap ? kSpreadPages : 0);
  char* const first =
      gap ? TakePagesBefore(kGap, pages, shift + size) : TakePages(pages, shift + size);
  if (first == nullptr) return nullptr;
  if (kMargin > 0) {
    FillMargin(first, 0, shift);
    FillMargin(first, shift + size, used * kPageBytes);
  }
  auto gone = Containing(all.released, first, [](std::size_t bytes) { return bytes; });
  if (gone == all.released.end()) gone = all.released.lower_bound(first);
  while (gone != all.released.end() && gone->first < first + pages * kPageBytes) {
    gone = all.released.erase(gone);
  }
  all.regions[first] = {pages * kPageBytes, shift + size,           space, shift,
                        all.allocations++,  space == Space::kDevice};
  all.open[first] = Access::kAll;
  return first + shift;
}

void ReleaseMemory(void* memory) {
  Spaces& all = All();
  const Lock lock(all.mutex);
  const auto found = FindRegion(memory);
  if (found == all.regions.end()) return;
  char* const first = const_cast<char*>(found->first);
  const auto open = all.open.find(first);
  if (open == all.open.end() || open->second != Access::kAll) {
    Protect(first, found->second.bytes, Access::kAll);
  }
  all.open.erase(first);
  const std::size_t pages = found->second.bytes / kPageBytes;
  if (all.released.size() >= kMostReleased) all.released.clear();
  all.released[first] = found->second.bytes;
  if (all.retain) all.retained[first] = found->second;
  all.regions.erase(found);
  if (!all.retain) ReturnPages(first, pages);
}

void RetainReleased(bool retain) {
  Spaces& all = All();
  const Lock lock(all.mutex);
  all.retain = retain;
  if (retain) return;
  for (const auto& [first, region] : all.retained) ReturnPages(first, region.bytes / kPageBytes);
  all.retained.clear();
}

std::optional<Space> SpaceOf(const void* address) {
  Spaces& all = All();
  const Lock lock(all.mutex);
  const auto found = FindRegion(address);
  if (found != all.regions.end()) return found->second.space;
  const auto gone = Containing(all.released, address, [](std::size_t size) { return size; });
  if (gone != all.released.end()) return Space::kBoth;
  if (IsShared(address)) return Space::kBoth;
  dl_find_object object{};
  const bool in_library = _dl_find_object(const_cast<void*>(address), &object) == 0;
  if (!in_library || IsHostVariable(address)) return std::nullopt;
  return Space::kBoth;
}

std::optional<MemoryState> StateOf(const void* address) {
  const Lock lock(All().mutex);
  const auto found = FindRegion(address);
  if (found == All().regions.end()) return std::nullopt;
  return MemoryState{found->second.space, found->second.device_data, found->second.number};
}
std::size_t BytesBehind(const void* address) {
  const Lock lock(All().mutex);
  const auto found = FindRegion(address);
  if (found == All().regions.end()) return 0;
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - found->first);
  const Region& region = found->second;
  return offset < region.shift || offset > region.size ? 0 : region.size - offset;
}
std::uint64_t AllocationCount() { return All().allocations; }

std::optional<std::uint64_t> AllocationNumber(const void* address) {
  const Lock lock(All().mutex);
  const auto found = FindRegion(address);
  if (found == All().regions.end() || found->second.number < All().first_allocation) {
    return std::nullopt;
  }
  return found->second.number - All().first_allocation;
}

std::optional<AllocatedMemory> AllocationAt(std::uint64_t number) {
  const Lock lock(All().mutex);
  for (const auto& [first, region] : All().regions) {
    if (region.number != number + All().first_allocation) continue;
    return MemoryIn(first, region);
  }
  return std::nullopt;
}

void ForEachAllocation(
    const std::function<void(const AllocatedMemory&, const MemoryState&)>& visit) {
  for (const auto& [first, region] : All().regions) {
    visit(MemoryIn(first, region), {region.space, region.device_data, region.number});
  }
}

std::vector<AllocatedMemory> AllocatedSince(std::uint64_t number) {
  std::vector<AllocatedMemory> found;
  const auto add = [&](const char* first, const Region& region) {
    if (region.number >= number && region.space != Space::kHost) {
      found.push_back(MemoryIn(first, region));
    }
  };
  const Lock lock(All().mutex);
  for (const auto& [first, region] : All().regions) add(first, region);
  for (const auto& [first, region] : All().retained) add(first, region);
  return found;
}

std::vector<AllocatedMemory> TakeWrittenByHost() {
  std::vector<AllocatedMemory> found;
  const Lock lock(All().mutex);
  for (auto& [first, region] : All().regions) {
    if (region.taken || region.device_data || region.space == Space::kHost) continue;
    region.taken = true;
    found.push_back(MemoryIn(first, region));
  }
  return found;
}

void SetState(const void* address, Space space, bool device_data) {
  Spaces& all = All();
  const Lock lock(all.mutex);
  const auto found = FindRegion(address);
  if (found == all.regions.end()) return;
  found->second.space = space;
  found->second.device_data = space == Space::kDevice || (space != Space::kHost && device_data);
  CloseRegions();
}

void CountToHost(std::size_t bytes) {
  const Lock lock(All().mutex);
  All().to_host.Add(bytes);
}
std::uint64_t BytesToHost() {
  const Lock lock(All().mutex);
  return All().to_host.bytes();
}

Running WhoRuns() { return All().running; }

RunningScope::RunningScope(Running running, const char* function)
    : before_(All().running), function_before_(All().function) {
  Spaces& all = All();
  if (function != nullptr) all.function = function;
  if (running == before_) return;
  const Lock lock(all.mutex);
  all.running = running;
  CloseRegions();
}
RunningScope::~RunningScope() {
  Spaces& all = All();
  all.function = function_before_;
  if (all.running == before_) return;
  const Lock lock(all.mutex);
  all.running = before_;
  CloseRegions();
}

void* ArgumentOfKernel(const void* pointer, std::size_t number) {
  TheArguments().Add(pointer);
  if (pointer == nullptr || SpaceOf(pointer).has_value()) return const_cast<void*>(pointer);
  return InaccessibleArgument(pointer, number);
}

void* InaccessibleArgument(const void* pointer, std::size_t number) {
  char* const place = All().arguments + number % kArguments * kArgumentBytes + kBeforeArgument;
  return place + reinterpret_cast<std::uintptr_t>(pointer) % kPageBytes;
}

AccessDecision DecideAccess(const siginfo_t& info, void* context) {
  constexpr greg_t kWrites = 2;  // The write bit of the page fault's error code.
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const bool writes = (registers[REG_ERR] & kWrites) != 0;
  Spaces& all = All();
  const Lock lock(all.mutex);
  const char* const address = static_cast<const char*>(info.si_addr);
  if (all.running == Running::kKernel && address >= all.arguments &&
      address < all.arguments + kArguments * kArgumentBytes) {
    const auto number = static_cast<std::size_t>(address - all.arguments) / kArgumentBytes;
    return {false, Fault{"illegal_address", "wrong_space",
                         std::string("a thread ") + (writes ? "writes to" : "reads") +
                             " memory of the host: argument " + std::to_string(number + 1) +
                             " of the kernel points there",
                         "", 0}};
  }
  const auto found = FindRegion(address);
  if (found == all.regions.end()) return {};
  Region& region = found->second;
  Access access = Access::kAll;
  const auto open = all.open.find(found->first);
  if (open != all.open.end() && (open->second == Access::kAll || !writes)) return {};
  if (all.running == Running::kKernel) {
    if (region.space == Space::kUnknown) region.space = Space::kDevice;
    if (region.space == Space::kHost && !all.all_open) {
      return {false, Fault{"illegal_address", "wrong_space",
                           std::string("a thread ") + (writes ? "writes to" : "reads") +
                               " memory of the host: a tensor that host code has used before",
                           "", 0}};
    }
    if (region.space == Space::kBoth && !writes) access = Access::kRead;
    if (region.space == Space::kDevice || (region.space == Space::kBoth && writes)) {
      region.device_data = true;
    }
  }
  const char* const instruction = reinterpret_cast<const char*>(registers[REG_RIP]);
  const bool host_code =
      all.running == Running::kHostCode ||
      // A tensor's deleter that an operator calls, say.
      (all.running == Running::kOperator && OwnerOf(instruction) != CodeOwner::kTorch &&
       AccessorAt(instruction).is_extension);
  if (host_code && !IsOpenTo(region, Running::kHostCode) && !all.all_open) {
    DecideHostAccess(&region, writes, AccessorAt(instruction));
  }
  if (all.running != Running::kKernel) region.taken = false;
  Open(found->first, region, access);
  return {true, std::nullopt};
}

void WatchHostCode() {
  struct sigaction action{};
  action.sa_sigaction = OnHostSignal;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
}

void ForgetAccesses() {
  Spaces& all = All();
  const Lock lock(all.mutex);
  all.all_open = false;
  all.first_allocation = all.allocations;
}

}  // namespace kernelmill
