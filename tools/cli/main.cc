#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "manifests/printable.h"
#include "stages/engine/interrupt.h"
#include "stages/recipes/untrusted_operations.h"
#include "stages/untrusted/untrusted_child.h"
#include "tools/cli/command.h"
#include "tools/cli/version.h"

namespace kernelmill {

Status Print(const std::string& raw) {
  const std::string text = Printable(raw);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return Status::Ok();
  // A signal ends a write that waits for a slow reader.
  if (errno == EINTR && Interrupted()) return InterruptedStatus();
  return Status::FromErrno("cannot write to", "standard output");
}

namespace {

// The next file to be opened would take the place of a closed one, and messages would go into it.
void KeepStandardDescriptors() {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    // Of the wrong kind: to write to a closed output stays an error.
    (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int Main(int argc, char** argv) {
  // The parser of untrusted input is this same program, in a confined process of its own.
  if (argc > 1 && std::strcmp(argv[1], kUntrustedChildCommand) == 0) {
    return RunUntrustedChild(AllUntrustedOperations());
  }
  KeepStandardDescriptors();
  WatchForInterrupt();

  CLI::App app("The data pipeline behind models that write CUDA and MUSA kernels", "kernelmill");
  app.set_version_flag("--version", VersionText());
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  app.footer(
      "Exits with 0 when done, 1 on a failure that stays, and 75 when the same command can be "
      "given again: a full disk, a busy output folder, a remote that does not answer, Ctrl-C.");
  Action action;
  AddDemoCommand(app, &action);
  AddSftCommand(app, &action);
  AddMineCommand(app, &action);
  AddGenerateCommand(app, &action);
  AddLowerCommand(app, &action);
  AddAnswerCommand(app, &action);
  AddAuditCommand(app, &action);
  AddExportCommand(app, &action);
  AddInspectCommand(app, &action);
  AddTraceCommand(app, &action);
  AddVerifyCommand(app, &action);
  AddStatusCommand(app, &action);
  AddConfigCommand(app, &action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : ExitCodeOf(ErrorCode::kUsage);
  }
  const Status status = action();
  if (status.ok()) return 0;
  std::fprintf(stderr, "kernelmill: %s\n", Printable(status.message()).c_str());
  return ExitCodeOf(status.code());
}

}  // namespace
}  // namespace kernelmill

int main(int argc, char** argv) { return kernelmill::Main(argc, argv); }
