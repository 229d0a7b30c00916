#include "stages/cuda_executor/runtime/memory_checks.h"

#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/launch_log.h"
#include "stages/cuda_executor/runtime/line_table.h"

#ifdef KERNELMILL_CHECK_MEMORY

extern "C" {
void __asan_set_error_report_callback(void (*callback)(const char* report));
void* __asan_get_report_pc();
void* __asan_get_report_address();
int __asan_get_report_access_type();
std::size_t __asan_get_report_access_size();
const char* __asan_get_report_description();
void __sanitizer_set_report_fd(void* descriptor);
}

namespace kernelmill {
namespace {

std::size_t reports = 0;

std::string_view MemoryOf(std::string_view report, const void* address) {
  if (IsShared(address)) return "shared memory";
  if (report.starts_with("stack")) return "a local array";
  if (report.starts_with("global")) return "a constant or global variable";
  return "global memory";
}

// Called before the access happens; the sanitizer continues after a report.
void OnReport(const char*) {
  ++reports;
  const std::string_view report = __asan_get_report_description();
  const bool freed = report.find("use-after-free") != std::string_view::npos;
  const SourceLine line = LineOf(__asan_get_report_pc());
  const std::string message =
      std::string(__asan_get_report_access_type() != 0 ? "writes " : "reads ") +
      std::to_string(__asan_get_report_access_size()) + " bytes " +
      (freed ? "of memory that is freed" : "outside of ") +
      std::string(freed ? "" : MemoryOf(report, __asan_get_report_address()));
  // A write to freed memory overwrites the sanitizer's own data there, and its next report would
  // crash the process. The count is raised so that the launch ends.
  if (freed && __asan_get_report_access_type() != 0) reports += kMostReports;
  Log().AddFinding({"out_of_bounds", freed ? "use_after_free" : "buffer_overflow",
                    (CurrentBlock().running() ? "a thread " : "host code ") + message, line.file,
                    line.line});
}

}  // namespace

void WatchMemory() {
  __asan_set_error_report_callback(OnReport);
  // The sanitizer's own text is discarded, because many reports would exceed the limit on a
  // candidate's output. Standard input is /dev/null (torch_worker/sandbox/guard.py).
  __sanitizer_set_report_fd(reinterpret_cast<void*>(std::intptr_t{STDIN_FILENO}));
}
std::size_t MemoryReports() { return reports; }

}  // namespace kernelmill

#else

namespace kernelmill {
void WatchMemory() {}
std::size_t MemoryReports() { return 0; }
}  // namespace kernelmill

#endif
