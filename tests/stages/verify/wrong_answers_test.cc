// Answers whose verdict is "wrong", with the expected diagnosis. Each file of wrong_answers/ has
// one right answer and bugs that can be switched on in its functions:
//   # bug NAME: PATTERN | WHERE | INDEX OF THE FIRST WRONG ELEMENT
// where "*" matches anything. Each file is built once.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "stages/verify/build/extension_build.h"
#include "stages/verify/judge/judge.h"
#include "stages/worker/sandbox.h"
#include "tests/shared_suite.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

fs::path Folder() { return CheckoutRoot() / "tests/stages/verify"; }

std::string Trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

struct SeededBug {
  std::string name, pattern, where, index;
};

SeededBug ReadBug(const std::string& line) {
  const std::size_t colon = line.find(':');
  SeededBug bug{line.substr(6, colon - 6), "", "", ""};
  std::istringstream rest(line.substr(colon + 1));
  for (std::string* part : {&bug.pattern, &bug.where, &bug.index}) {
    std::getline(rest, *part, '|');
    *part = Trimmed(*part);
  }
  return bug;
}

std::string FirstIndex(const VerdictDiagnosis& diagnosis) {
  std::string text;
  for (const std::int64_t i : diagnosis.elements.at(0).index) {
    text += (text.empty() ? "" : " ") + std::to_string(i);
  }
  return text;
}

void ExpectLike(const std::string& got, const std::string& wanted) {
  if (wanted == "*") return;
  EXPECT_EQ(got, wanted);
}

KM_SHARED_SUITE(WrongAnswers);

TEST(WrongAnswers, HaveTheirPatternAndTheirFirstWrongElement) {
  const Result<ExtensionCache> cache = ExtensionCache::Open(ExtensionCache::DefaultFolder());
  ASSERT_TRUE(cache.ok()) << cache.status().message();
  const Result<CudaRuntime> runtime = cache->Runtime();
  ASSERT_TRUE(runtime.ok()) << runtime.status().message();
  JudgeOptions options;
  options.policy = *FindVerifyPolicy("strict");
  options.python_folder = runtime->python_folder;
  options.folders = {cache->folder()};
  options.build = [cache = *cache, runtime = *runtime](const ExtensionSources& sources) {
    return BuildExtension(sources, cache, runtime);
  };
  Result<Judge> judge = Judge::Start(options);
  ASSERT_TRUE(judge.ok()) << judge.status().message();

  int bugs = 0;
  for (const auto& entry : fs::directory_iterator(Folder() / "wrong_answers")) {
    const std::string code = ReadText(entry.path());
    const auto verdict_with = [&](const std::string& task, const std::string& bug) {
      std::string changed = code;
      changed.replace(changed.find("@BUG@"), 5, bug);
      const Result<Verdict> verdict =
          judge->Verify(ReadText(Folder() / "tasks" / (task + ".py")), changed);
      EXPECT_TRUE(verdict.ok()) << verdict.status().message();
      return verdict.ok() ? *verdict : Verdict();
    };
    std::istringstream lines(code);
    std::string line, task;
    std::getline(lines, line);
    task = line.substr(8);
    EXPECT_EQ(StatusName(verdict_with(task, "none").status), "correct") << entry.path();
    while (std::getline(lines, line) && line.starts_with("# bug ")) {
      const SeededBug bug = ReadBug(line);
      SCOPED_TRACE(task + " " + bug.name);
      const Verdict verdict = verdict_with(task, bug.name);
      EXPECT_EQ(StatusName(verdict.status), "wrong") << verdict.ToJson().Pretty();
      EXPECT_EQ(verdict.reason, "values");
      ASSERT_TRUE(verdict.diagnosis.has_value()) << verdict.ToJson().Pretty();
      ExpectLike(verdict.diagnosis->pattern, bug.pattern);
      ExpectLike(verdict.diagnosis->where, bug.where);
      ASSERT_FALSE(verdict.diagnosis->elements.empty());
      ExpectLike(FirstIndex(*verdict.diagnosis), bug.index);
      ++bugs;
    }
  }
  EXPECT_GE(bugs, 30);
}

}  // namespace
}  // namespace kernelmill
