#include "manifests/git_id.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(GitBlobId, IsTheNameThatGitGives) {
  // `git hash-object --stdin` of nothing, and of "hello\n".
  EXPECT_EQ(GitBlobId(""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(GitBlobId("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_TRUE(IsGitId(GitBlobId("x")));
  for (const char* other : {"", "../../etc/passwd", "CE013625030ba8dba906f756967f9e9ca394464a",
                            "ce013625030ba8dba906f756967f9e9ca394464a0"}) {
    EXPECT_FALSE(IsGitId(other)) << other;
  }
}

}  // namespace
}  // namespace kernelmill
