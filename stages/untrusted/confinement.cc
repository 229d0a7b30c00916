#include "stages/untrusted/confinement.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "stages/untrusted/sanitizers.h"
#include "stages/untrusted/system_call_filter.h"

namespace kernelmill {
namespace {

Status Refused(const char* what) {
  return Status(ErrorCode::kSandbox, std::string("this machine does not let the parser "
                                                 "process confine itself: ") +
                                         what + ": " + std::strerror(errno));
}

// Keeps only the capability to read files of other users, so that root can read their repositories.
Status DropCapabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(__NR_capget, &header, sets) != 0) return Refused("capget");
  const std::uint32_t kept = sets[0].permitted & CAP_TO_MASK(CAP_DAC_READ_SEARCH);
  sets[0] = {kept, kept, 0};
  sets[1] = {};
  if (syscall(__NR_capset, &header, sets) != 0) return Refused("capset");
  return Status::Ok();
}

// All rights to files of this version of Landlock. Later versions add rights for calls that the
// system call filter refuses.
std::uint64_t HandledRights(int version) {
  if (version >= 2) return (LANDLOCK_ACCESS_FS_REFER << 1) - 1;
  return LANDLOCK_ACCESS_FS_REFER - 1;
}

Status ReadOnly(const std::string& folder) {
  const int version = LandlockVersion();
  if (version == 0) return Status::Ok();
  const landlock_ruleset_attr rights{HandledRights(version)};
  const auto rules = static_cast<int>(
      syscall(__NR_landlock_create_ruleset, &rights, sizeof rights.handled_access_fs, 0));
  if (rules < 0) return Refused("landlock_create_ruleset");
  const int place = folder.empty() ? -1 : open(folder.c_str(), O_PATH | O_CLOEXEC);
  long done = 0;
  if (place >= 0) {
    const landlock_path_beneath_attr rule{
        LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR, place};
    done = syscall(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(place);
  }
  if (done == 0) done = syscall(__NR_landlock_restrict_self, rules, 0);
  const Status status = done == 0 ? Status::Ok() : Refused("landlock_restrict_self");
  close(rules);
  return status;
}

}  // namespace

int LandlockVersion() {
  const long version =
      syscall(__NR_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

Status ConfineProcess(const std::string& folder) {
  if (kSanitized) return Status::Ok();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Refused("prctl");
  KM_RETURN_IF_ERROR(ReadOnly(folder));
  KM_RETURN_IF_ERROR(DropCapabilities());
  return InstallSystemCallFilter();
}

}  // namespace kernelmill
