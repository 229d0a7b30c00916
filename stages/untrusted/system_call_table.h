// The system calls that the confined processes of this program may make: one table for the confined
// child and for the torch worker's forks. system_call_filter.h turns it into seccomp filters.
#pragma once

#include <cstdint>
#include <vector>

namespace kernelmill {

enum class ConfinedProcess {
  kParser,  // Reads Git objects and parses sources (untrusted_child.h).
  kTask,    // Runs a task or a candidate: process 1 of a PID namespace (torch_worker/sandbox).
};

enum class CallAction {
  kAllow,
  kRefuse,  // The call fails with EPERM: so does every call that the table does not name.
  kAbsent,  // The call fails with ENOSYS, so that libc falls back to another one.
  kKill,    // The process ends with SIGSYS: libc, parsers and torch never make this call.
};

// A condition on one argument of a call. Arguments have 64 bits; the kernel ignores the upper half
// of those that it declares as int, and so do the tests kIntEquals, kHasBits and kHasNoBits.
struct ArgumentTest {
  enum class Kind { kEquals, kDiffers, kIntEquals, kHasBits, kHasNoBits };
  unsigned argument;  // 0 is the first one.
  Kind kind;
  std::uint64_t value;
};

struct SystemCallRule {
  const char* call;  // Its name. A call that this machine's architecture lacks needs no rule.
  CallAction action;
  // All of them must hold for the rule to apply. Without them it always applies.
  std::vector<ArgumentTest> tests;
};

// The rules of `process`. A rule of kParser names the calling process: it is for this process only.
std::vector<SystemCallRule> SystemCallRules(ConfinedProcess process);

}  // namespace kernelmill
