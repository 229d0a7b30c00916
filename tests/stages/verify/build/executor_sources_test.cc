#include "stages/verify/build/executor_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifests/commit_file.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

bool Depends(const std::string& source, BuildKind kind) {
  const Result<bool> depends =
      DependsOnKind(CheckoutRoot() / "stages" / "cuda_executor", source, kind);
  EXPECT_TRUE(depends.ok()) << depends.status().message();
  return depends.ok() && *depends;
}

TEST(ExecutorSources, EachFileDependsOnAKindOrNot) {
  const fs::path executor = CheckoutRoot() / "stages" / "cuda_executor";
  const std::vector<std::string> sources = ExecutorSources(executor).value();
  EXPECT_FALSE(sources.empty());
  for (const std::string& source : sources) {
    for (const BuildKind kind : {BuildKind::kMemory, BuildKind::kRaces, BuildKind::kCounts}) {
      const Result<bool> depends = DependsOnKind(executor, source, kind);
      EXPECT_TRUE(depends.ok()) << depends.status().message();
    }
  }
}

TEST(ExecutorSources, AFileDependsOnAKindThatItOrItsHeadersName) {
  EXPECT_TRUE(Depends("runtime/memory_checks.cc", BuildKind::kMemory));
  EXPECT_TRUE(Depends("runtime/shared_memory/block_memory.cc", BuildKind::kMemory));  // By kRedZone.
  EXPECT_TRUE(Depends("runtime/block.cc", BuildKind::kRaces));
  EXPECT_FALSE(Depends("runtime/memory_checks.cc", BuildKind::kRaces));
  EXPECT_FALSE(Depends("runtime/line_table.cc", BuildKind::kMemory));
  EXPECT_FALSE(Depends("runtime/block.cc", BuildKind::kPlain));
}

class ExecutorFolder : public testing::Test {
 protected:
  ExecutorFolder() : root_(testing::TempDir() + "executor_sources") { fs::remove_all(root_); }
  ~ExecutorFolder() override { fs::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(MakeFolders((root_ / name).parent_path()).ok());
    ASSERT_TRUE(ReplaceFile(root_ / name, text).ok());
  }

  const fs::path root_;
};

TEST_F(ExecutorFolder, IncludesAreFollowedHoweverTheyAreWritten) {
  Write("runtime/a.cc", "  #  include\t\"stages/cuda_executor/runtime/block.h\"\n#include <vector>\n");
  Write("runtime/block.h", "#include <kernelmill/b.h>\n");
  Write("include/kernelmill/b.h", "#include <kernelmill/b.h>\n#ifdef KERNELMILL_CHECK_RACES\n");
  EXPECT_TRUE(DependsOnKind(root_, "runtime/a.cc", BuildKind::kRaces).value());
  EXPECT_FALSE(DependsOnKind(root_, "runtime/a.cc", BuildKind::kMemory).value());
}

TEST_F(ExecutorFolder, AHeaderThatIsNotFoundIsAnError) {
  Write("runtime/a.cc", "#include \"a.h\"\n");
  Write("runtime/a.h", "");
  EXPECT_FALSE(DependsOnKind(root_, "runtime/a.cc", BuildKind::kRaces).ok());
}

TEST_F(ExecutorFolder, TwoFilesOfOneNameAreAnError) {
  Write("runtime/a.cc", "");
  Write("runtime/a.h", "");
  EXPECT_THAT(ExecutorSources(root_).value(), testing::ElementsAre("runtime/a.cc"));
  Write("runtime/folder/a.cc", "");
  EXPECT_FALSE(ExecutorSources(root_).ok());
}

}  // namespace
}  // namespace kernelmill
