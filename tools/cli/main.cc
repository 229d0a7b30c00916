#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "manifests/printable.h"
#include "manifests/shortage.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/machine_limits.h"
#include "stages/recipes/untrusted_operations.h"
#include "stages/untrusted/untrusted_child.h"
#include "tools/cli/command_line/command_line.h"
#include "tools/cli/pager.h"
#include "tools/cli/terminal.h"

namespace kernelmill {
namespace {

// Opens /dev/null for closed standard streams. Otherwise the next opened file would take the place
// of the stream, and messages would be written into it.
void KeepStandardDescriptors() {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    // Opened with the opposite access mode, so that writing to a closed output remains an error.
    (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// No function of ours throws, but the standard library does when the machine is short of something.
Status StatusOf(const std::system_error& error) {
  const int code = error.code().value();
  const bool of_system = error.code().category() == std::generic_category() ||
                         error.code().category() == std::system_category();
  if (of_system && IsShortage(code)) {
    return Status(ErrorCode::kWorker, std::string(error.what()) + "; " + ShortageAdvice(code));
  }
  return Status(ErrorCode::kIo, error.what());
}

Status Run(const std::vector<std::string>& words) {
  try {
    KM_ASSIGN(const Action action, ReadCommandLine(words));
    return action();
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kWorker, "there is no memory left; " + ShortageAdvice(ENOMEM));
  } catch (const std::system_error& error) {
    return StatusOf(error);
  } catch (const std::exception& error) {
    return Status(ErrorCode::kInternal,
                  std::string("a defect of kernelmill, please report it: ") + error.what());
  }
}

int Main(int argc, char** argv) {
  // The parser of untrusted input is this same program, in a confined process of its own.
  if (argc > 1 && std::strcmp(argv[1], kUntrustedChildCommand) == 0) {
    return RunUntrustedChild(AllUntrustedOperations());
  }
  KeepStandardDescriptors();
  RaiseLimits();
  WatchForInterrupt();
  const Status status = Run({argv + 1, argv + argc});
  if (status.ok() || Pager::IsClosed(status)) return 0;
  std::fprintf(stderr, "%s %s\n",
               Terminal::Of(STDERR_FILENO).Painted(Ink::kBad, "kernelmill:").c_str(),
               Printable(status.message()).c_str());
  return ExitCodeOf(status.code());
}

}  // namespace
}  // namespace kernelmill

int main(int argc, char** argv) { return kernelmill::Main(argc, argv); }
