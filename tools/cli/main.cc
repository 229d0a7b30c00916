#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "manifests/printable.h"
#include "stages/engine/interrupt.h"
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

Status Run(const std::vector<std::string>& words) {
  KM_ASSIGN(const Action action, ReadCommandLine(words));
  return action();
}

int Main(int argc, char** argv) {
  // The parser of untrusted input is this same program, in a confined process of its own.
  if (argc > 1 && std::strcmp(argv[1], kUntrustedChildCommand) == 0) {
    return RunUntrustedChild(AllUntrustedOperations());
  }
  KeepStandardDescriptors();
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
