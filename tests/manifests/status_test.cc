#include "manifests/status.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace kernelmill {
namespace {

TEST(Status, ExitCodesTellVerdictsFromUsageAndEnvironment) {
  EXPECT_EQ(ExitCodeOf(ErrorCode::kOk), 0);
  for (const ErrorCode code : {ErrorCode::kRefused, ErrorCode::kCorrupt}) {
    EXPECT_EQ(ExitCodeOf(code), 1) << ErrorName(code);
  }
  for (const ErrorCode code : {ErrorCode::kUsage, ErrorCode::kConfig, ErrorCode::kNotFound,
                               ErrorCode::kExists, ErrorCode::kPlanChanged}) {
    EXPECT_EQ(ExitCodeOf(code), 2) << ErrorName(code);
  }
  for (const ErrorCode code : {ErrorCode::kIo, ErrorCode::kEnvironment, ErrorCode::kSandbox,
                               ErrorCode::kBudget, ErrorCode::kInternal}) {
    EXPECT_EQ(ExitCodeOf(code), 3) << ErrorName(code);
  }
  for (const ErrorCode code :
       {ErrorCode::kDiskFull, ErrorCode::kBusy, ErrorCode::kUnreachable, ErrorCode::kWorker,
        ErrorCode::kInterrupted}) {
    EXPECT_EQ(ExitCodeOf(code), 75) << ErrorName(code);
  }
}

TEST(Status, ErrnoDecidesWhoCanHelp) {
  const auto code_after = [](int error) {
    errno = error;
    return Status::FromErrno("write", "x").code();
  };
  EXPECT_EQ(code_after(ENOSPC), ErrorCode::kDiskFull);
  EXPECT_EQ(code_after(EDQUOT), ErrorCode::kDiskFull);
  EXPECT_EQ(code_after(ENOENT), ErrorCode::kNotFound);
  EXPECT_EQ(code_after(ENOTDIR), ErrorCode::kNotFound);
  EXPECT_EQ(code_after(EACCES), ErrorCode::kIo);
  for (const int error : {EMFILE, ENFILE, ENOMEM, EAGAIN}) {
    EXPECT_EQ(code_after(error), ErrorCode::kWorker) << error;
  }
}

}  // namespace
}  // namespace kernelmill
