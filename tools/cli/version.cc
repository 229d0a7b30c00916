#include "tools/cli/version.h"

#include "stages/engine/tool_identity.h"

namespace kernelmill {

std::string_view ProgramVersion() { return KERNELMILL_VERSION; }

std::string VersionText() {
  const Result<ToolIdentity> identity = ReadToolIdentity();
  const std::string text = "kernelmill " + std::string(ProgramVersion());
  if (!identity.ok()) return text + " (" + identity.status().message() + ")";
  return text + " (torch " + identity->versions.Find("torch")->as_string() + ", program " +
         identity->versions.Find("program")->as_string().substr(0, 12) + ", worker " +
         identity->versions.Find("worker")->as_string().substr(0, 12) + ")";
}

}  // namespace kernelmill
