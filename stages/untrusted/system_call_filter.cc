#include "stages/untrusted/system_call_filter.h"

#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace kernelmill {
namespace {

struct ReleaseFilter {
  void operator()(void* filter) const { seccomp_release(filter); }
};
using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, ReleaseFilter>;

std::uint32_t ActionOf(CallAction action) {
  switch (action) {
    case CallAction::kAllow:
      return SCMP_ACT_ALLOW;
    case CallAction::kRefuse:
      return SCMP_ACT_ERRNO(EPERM);
    case CallAction::kAbsent:
      return SCMP_ACT_ERRNO(ENOSYS);
    case CallAction::kKill:
      return SCMP_ACT_KILL_PROCESS;
  }
  return SCMP_ACT_KILL_PROCESS;
}

scmp_arg_cmp ComparisonOf(const ArgumentTest& test) {
  constexpr std::uint64_t kInt = 0xffffffff;
  switch (test.kind) {
    case ArgumentTest::Kind::kEquals:
      return {test.argument, SCMP_CMP_EQ, test.value, 0};
    case ArgumentTest::Kind::kDiffers:
      return {test.argument, SCMP_CMP_NE, test.value, 0};
    case ArgumentTest::Kind::kIntEquals:
      return {test.argument, SCMP_CMP_MASKED_EQ, kInt, test.value & kInt};
    case ArgumentTest::Kind::kHasBits:
      return {test.argument, SCMP_CMP_MASKED_EQ, test.value, test.value};
    case ArgumentTest::Kind::kHasNoBits:
      return {test.argument, SCMP_CMP_MASKED_EQ, test.value, 0};
  }
  return {};
}

// `error` is a negative errno, as libseccomp returns it.
Status Failed(const std::string& what, int error) {
  return Status(ErrorCode::kSandbox,
                "no system call filter: " + what + ": " + std::strerror(-error));
}

Result<Filter> Build(ConfinedProcess process) {
  Filter filter(seccomp_init(ActionOf(CallAction::kRefuse)));
  if (filter == nullptr) return Failed("seccomp_init", -ENOMEM);
  const std::pair<scmp_filter_attr, std::uint32_t> attributes[] = {
      // Calls of another architecture (32-bit, x32) have other numbers.
      {SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS},
      {SCMP_FLTATR_CTL_NNP, 0},       // The caller has set it.
      {SCMP_FLTATR_CTL_OPTIMIZE, 2},  // A binary search over the numbers of the calls.
      {SCMP_FLTATR_API_SYSRAWRC, 1},  // Errors of the kernel are reported as they are.
  };
  for (const auto& [attribute, value] : attributes) {
    const int error = seccomp_attr_set(filter.get(), attribute, value);
    if (error != 0) return Failed("seccomp_attr_set", error);
  }
  for (const SystemCallRule& rule : SystemCallRules(process)) {
    const int number = seccomp_syscall_resolve_name(rule.call);
    if (number == __NR_SCMP_ERROR) return Failed(std::string("unknown call ") + rule.call, -EINVAL);
    std::vector<scmp_arg_cmp> comparisons;
    for (const ArgumentTest& test : rule.tests) comparisons.push_back(ComparisonOf(test));
    const int error =
        seccomp_rule_add_array(filter.get(), ActionOf(rule.action), number,
                               static_cast<unsigned>(comparisons.size()), comparisons.data());
    if (error != 0) return Failed(rule.call, error);
  }
  return filter;
}

}  // namespace

Status InstallSystemCallFilter() {
  KM_ASSIGN(const Filter filter, Build(ConfinedProcess::kParser));
  // The filter applies to all threads, in case a library has started some.
  int error = seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);
  if (error == 0) error = seccomp_load(filter.get());
  if (error != 0) {
    return Status(ErrorCode::kSandbox,
                  std::string("no system call filter can be installed (") + std::strerror(-error) +
                      "): Git repositories are never read without one. The kernel needs "
                      "CONFIG_SECCOMP_FILTER; a container must allow seccomp()");
  }
  return Status::Ok();
}

Result<std::string> SystemCallFilterOf(ConfinedProcess process) {
  KM_ASSIGN(const Filter filter, Build(process));
  // libseccomp writes to a descriptor only.
  const int file = memfd_create("system call filter", MFD_CLOEXEC);
  if (file < 0) return Status::FromErrno("memfd_create", "for a system call filter");
  int error = seccomp_export_bpf(filter.get(), file);
  std::string program;
  if (error == 0) {
    program.resize(static_cast<std::size_t>(lseek(file, 0, SEEK_END)));
    if (pread(file, program.data(), program.size(), 0) != static_cast<ssize_t>(program.size())) {
      error = -EIO;
    }
  }
  close(file);
  if (error != 0) return Failed("seccomp_export_bpf", error);
  return program;
}

}  // namespace kernelmill
