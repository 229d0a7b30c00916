#include "tools/cli/output.h"

#include <cerrno>
#include <cstdio>
#include <utility>

#include "manifests/printable.h"
#include "stages/engine/interrupt.h"
#include "tools/cli/pager.h"

namespace kernelmill {

Status PrintPrepared(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return Status::Ok();
  if (errno == EINTR && Interrupted()) return InterruptedStatus();
  // The user has left the pager, so the rest of the output is dropped.
  if (errno == EPIPE && Pager::IsOpen()) return Pager::Closed();
  return Status::FromErrno("cannot write to", "standard output");
}

Status Print(const std::string& text) { return PrintPrepared(Printable(text)); }

Status PrintJson(Json document) {
  document["version"] = kJsonVersion;
  return Print(document.Pretty());
}

Status PrintJsonLine(Json document) {
  document["version"] = kJsonVersion;
  return Print(document.Dump() + "\n");
}

}  // namespace kernelmill
