#include "corpora/git/loose_object.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/corpora/git_fixture.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// A compressible text whose deflate stream has bits of all kinds of blocks.
std::string Text() {
  std::string text;
  for (int i = 0; i < 30; ++i)
    text += "x" + std::to_string(i * i) + " = " + std::to_string(i) + "\n";
  return text;
}

class LooseObjects : public testing::Test {
 protected:
  LooseObjects() {
    git_.Write("a.py", Text());
    git_.CommitAll();
    for (const auto& entry : fs::recursive_directory_iterator(git_.folder() / ".git/objects")) {
      if (!entry.is_regular_file()) continue;
      const Result<LooseObject> object = ReadLooseObject(entry.path().string());
      EXPECT_TRUE(object.ok()) << object.status().message();
      if (object.ok() && object->kind == "blob") path_ = entry.path();
    }
    std::ifstream file(path_, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  Result<LooseObject> ReadAs(const std::string& bytes) const {
    fs::remove(path_);
    std::ofstream(path_, std::ios::binary) << bytes;
    return ReadLooseObject(path_.string());
  }

  GitFixture git_;
  fs::path path_;
  std::string bytes_;
};

TEST_F(LooseObjects, AreReadWhole) {
  const Result<LooseObject> object = ReadLooseObject(path_.string());
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(object->content, Text());
  const Result<LooseObject> header = ReadLooseHeader(path_.string());
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->kind, "blob");
  EXPECT_EQ(header->size, Text().size());
  EXPECT_EQ(ReadLooseObject(path_.string() + "x").status().code(), ErrorCode::kNotFound);
}

TEST_F(LooseObjects, CutShortAreCorrupt) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    EXPECT_EQ(ReadAs(bytes_.substr(0, size)).status().code(), ErrorCode::kCorrupt) << size;
  }
  EXPECT_EQ(ReadAs(bytes_ + "x").status().code(), ErrorCode::kCorrupt);
}

TEST_F(LooseObjects, NeverYieldSomethingElse) {
  for (std::size_t bit = 0; bit < 8 * bytes_.size(); ++bit) {
    std::string flipped = bytes_;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    const Result<LooseObject> object = ReadAs(flipped);
    if (object.ok()) {  // Some bits of a stream have no effect.
      EXPECT_EQ(object->content, Text()) << bit;
    }
  }
}

TEST_F(LooseObjects, ThatLieAboutTheirSizeAreCorrupt) {
  // Streams of one stored block. Reading fails before the checksum.
  for (const std::string header :
       {"blob 3", "blob 0", "blob 999999999", "blob 99999999999999999999", "blob -1", "blob ",
        "blob", " 9", "blob 9 9", "blob 12345678901"}) {
    const std::string content = header + '\0' + "x = 'abc'";
    std::string stream = "\x78\x01\x01";
    for (std::size_t size : {content.size(), ~content.size()}) {
      stream += static_cast<char>(size & 255);
      stream += static_cast<char>(size >> 8 & 255);
    }
    EXPECT_EQ(ReadAs(stream + content + "abcd").status().code(), ErrorCode::kCorrupt) << header;
  }
}

}  // namespace
}  // namespace kernelmill
