#include "manifests/status.h"

#include <cerrno>
#include <cstring>

#include "manifests/shortage.h"

namespace kernelmill {

std::string_view ErrorName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk: return "ok";
    case ErrorCode::kUsage: return "usage";
    case ErrorCode::kConfig: return "config";
    case ErrorCode::kNotFound: return "not_found";
    case ErrorCode::kCorrupt: return "corrupt";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kDiskFull: return "disk_full";
    case ErrorCode::kExists: return "exists";
    case ErrorCode::kPlanChanged: return "plan_changed";
    case ErrorCode::kBusy: return "busy";
    case ErrorCode::kUnreachable: return "unreachable";
    case ErrorCode::kEnvironment: return "environment";
    case ErrorCode::kSandbox: return "sandbox";
    case ErrorCode::kWorker: return "worker";
    case ErrorCode::kInterrupted: return "interrupted";
    case ErrorCode::kRefused: return "refused";
    case ErrorCode::kBudget: return "budget";
    case ErrorCode::kInternal: return "internal";
  }
  return "internal";
}

ExitCode ExitCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk: return kExitDone;
    case ErrorCode::kRefused:
    case ErrorCode::kCorrupt: return kExitNegative;
    case ErrorCode::kUsage:
    case ErrorCode::kConfig:
    case ErrorCode::kNotFound:
    case ErrorCode::kExists:
    case ErrorCode::kPlanChanged: return kExitUsage;
    case ErrorCode::kIo:
    case ErrorCode::kEnvironment:
    case ErrorCode::kSandbox:
    case ErrorCode::kBudget:
    case ErrorCode::kInternal: return kExitEnvironment;
    case ErrorCode::kDiskFull:
    case ErrorCode::kWorker:
    case ErrorCode::kBusy:
    case ErrorCode::kUnreachable:
    case ErrorCode::kInterrupted: return kExitTryAgain;
  }
  return kExitEnvironment;
}

Status Status::FromErrno(std::string_view what, std::string_view path) {
  const int error = errno;
  std::string message = std::string(what) + " " + std::string(path) + ": " + std::strerror(error);
  if (error == ENOSPC || error == EDQUOT) {
    return Status(ErrorCode::kDiskFull,
                  message + "; free some room and run the same command again");
  }
  if (IsShortage(error)) {
    return Status(ErrorCode::kWorker, message + "; " + ShortageAdvice(error));
  }
  // Below what is a file, nothing exists.
  const bool is_absent = error == ENOENT || error == ENOTDIR;
  return Status(is_absent ? ErrorCode::kNotFound : ErrorCode::kIo, message);
}

Status Status::Within(std::string_view context) const {
  if (ok()) return *this;
  return Status(code_, std::string(context) + ": " + message_);
}

}  // namespace kernelmill
