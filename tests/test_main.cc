// The main function of every test binary. With --list_units it prints the units that ctest runs,
// one per line: a name, a tab, and the value of --gtest_filter that selects the unit. A unit is one
// test, or all shared suites (tests/shared_suite.h) of one file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "tests/shared_suite.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// Tests fork while TBB's threads wait, and the engine in the child starts a thread.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif
#endif

namespace kernelmill {
namespace {

// Filled before main(). It is a function's static variable, because files are initialized in any
// order.
std::set<std::string, std::less<>>& SharedSuites() {
  static std::set<std::string, std::less<>> suites;
  return suites;
}

// The suite's name in the source: "JudgeTest" for "EveryPolicy/JudgeTest", as TEST_P names suites.
std::string_view NameAsWritten(std::string_view suite) {
  const std::size_t slash = suite.rfind('/');
  return slash == suite.npos ? suite : suite.substr(slash + 1);
}

// "stages.verify.judge" for ".../tests/stages/verify/judge_test.cc".
std::string UnitOfFile(std::string path) {
  constexpr std::string_view kFolder = "/tests/", kEnding = "_test.cc";
  const std::size_t folder = path.rfind(kFolder);
  if (folder != path.npos) path.erase(0, folder + kFolder.size());
  if (path.ends_with(kEnding)) path.erase(path.size() - kEnding.size());
  for (char& c : path) {
    if (c == '/') c = '.';
  }
  return path;
}

void PrintUnits(const std::string& prefix) {
  std::map<std::string, std::string> shared;  // Unit → filter.
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    if (suite.total_test_count() == 0) continue;
    if (SharedSuites().contains(NameAsWritten(suite.name()))) {
      std::string& filter = shared[UnitOfFile(suite.GetTestInfo(0)->file())];
      filter += (filter.empty() ? "" : ":") + std::string(suite.name()) + ".*";
      continue;
    }
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const std::string name = std::string(suite.name()) + '.' + suite.GetTestInfo(j)->name();
      std::printf("%s%s\t%s\n", prefix.c_str(), name.c_str(), name.c_str());
    }
  }
  for (const auto& [unit, filter] : shared) std::printf("%s\t%s\n", unit.c_str(), filter.c_str());
}

}  // namespace

bool ShareSuite(std::string_view suite) {
  SharedSuites().emplace(suite);
  return true;
}

}  // namespace kernelmill

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (argc == 3 && std::strcmp(argv[1], "--list_units") == 0) {
    kernelmill::PrintUnits(argv[2]);
    return 0;
  }
  return RUN_ALL_TESTS();
}
