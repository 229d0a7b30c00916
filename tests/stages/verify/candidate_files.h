// The tasks and candidates of this folder, and a judge for them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/digest.h"
#include "parsers/samples/message_code.h"
#include "stages/verify/gates/gate.h"
#include "stages/verify/judge/cpu_judge.h"
#include "stages/verify/judge/judge.h"
#include "stages/verify/judge/judge_workers.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {

inline std::filesystem::path VerifyTests() { return CheckoutRoot() / "tests/stages/verify"; }

inline std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::string TaskText(const std::string& name) {
  return TextOf(VerifyTests() / "tasks" / (name + ".py"));
}

struct CandidateFile {
  std::string task;
  std::string name;
  std::string code;
  std::map<std::string, std::string> head;  // The keys in its first lines: "# key: value".
};

// Sorts the files by task, so that the judge's results for a task are reused.
inline void GroupByTask(std::vector<CandidateFile>* files) {
  std::sort(files->begin(), files->end(), [](const auto& a, const auto& b) {
    return std::pair(a.task, a.name) < std::pair(b.task, b.name);
  });
}

// The files of a folder; the head of each names its task.
inline std::vector<CandidateFile> CandidatesIn(const std::string& folder) {
  std::vector<CandidateFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(VerifyTests() / folder)) {
    CandidateFile file{"", entry.path().filename(), TextOf(entry.path()), {}};
    std::istringstream lines(file.code);
    for (std::string line; std::getline(lines, line) && line.starts_with("# ");) {
      const std::size_t colon = line.find(": ");
      if (colon != line.npos) file.head[line.substr(2, colon - 2)] = line.substr(colon + 2);
    }
    file.task = file.head["task"];
    files.push_back(std::move(file));
  }
  GroupByTask(&files);
  return files;
}

// The answers in honest/<task>.md, one under each heading, as messages of a model. A heading that
// begins with "MUSA" is for that backend, and sets head["backend"].
inline std::vector<CandidateFile> HonestAnswers() {
  std::vector<CandidateFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(VerifyTests() / "honest")) {
    const std::string text = TextOf(entry.path());
    constexpr std::string_view kHeading = "\n## ";
    for (std::size_t at = text.find(kHeading); at != text.npos;) {
      const std::size_t title = at + kHeading.size(), line_end = text.find('\n', title);
      at = text.find(kHeading, line_end);
      CandidateFile file{entry.path().stem(), text.substr(title, line_end - title), "", {}};
      const std::string message = text.substr(line_end, at == text.npos ? at : at - line_end);
      const std::optional<std::string> code = FindCandidateCode(message);
      EXPECT_TRUE(code.has_value()) << file.task << ": " << file.name;
      file.code = code.value_or("");
      if (file.name.starts_with("MUSA")) file.head["backend"] = "musa";
      files.push_back(std::move(file));
    }
  }
  GroupByTask(&files);
  return files;
}

inline CandidateFile HonestAnswer(const std::string& task, const std::string& name) {
  for (CandidateFile& file : HonestAnswers()) {
    if (file.task == task && file.name == name) return file;
  }
  ADD_FAILURE() << "no answer to " << task << ": " << name;
  return {};
}

// Selects `count` items by the commit that is checked out, so that different commits test different
// samples. Prints the names of omitted items.
template <typename Item>
std::vector<Item> SampleOfCommit(std::vector<Item> items, std::size_t count) {
  const std::string command = "git -C '" + CheckoutRoot().string() + "' rev-parse HEAD";
  std::string commit;
  if (FILE* const pipe = popen(command.c_str(), "r"); pipe != nullptr) {
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) commit += static_cast<char>(c);
    pclose(pipe);
  }
  const auto rank = [&](const Item& item) {
    return Sha256().Field(commit).Field(item.name).Finish().Hex();
  };
  std::stable_sort(items.begin(), items.end(),
                   [&](const Item& a, const Item& b) { return rank(a) < rank(b); });
  for (std::size_t i = count; i < items.size(); ++i) {
    std::cout << "left out: " << items[i].name << "\n";
  }
  items.resize(std::min(count, items.size()));
  return items;
}

// What PrepareJudging() says, for judges that share their workers: two of them take 3 s of processor
// time to start.
inline Result<JudgeOptions> PrepareSharedJudging(const JudgingChoice& choice) {
  static const auto workers = std::make_shared<JudgeWorkers>();
  KM_ASSIGN(JudgeOptions options, PrepareJudging(choice));
  options.workers = workers;
  return options;
}

inline Verdict VerdictOf(Judge* judge, const CandidateFile& file) {
  Result<Verdict> verdict = judge->Verify(TaskText(file.task), file.code);
  EXPECT_TRUE(verdict.ok()) << verdict.status().message();
  if (!verdict.ok()) return Verdict();
  EXPECT_TRUE(MayEndWith(verdict->gate, verdict->status, verdict->reason))
      << verdict->gate << " " << StatusName(verdict->status) << " " << verdict->reason;
  return *verdict;
}

// Expects each to be judged correct. There is one judge per backend.
inline void ExpectCorrect(std::vector<CandidateFile> files) {
  GroupByTask(&files);
  Result<JudgeOptions> options = PrepareSharedJudging({});
  ASSERT_TRUE(options.ok()) << options.status().message();
  std::map<const KernelBackend*, Judge> judges;
  for (const CandidateFile& file : files) {
    SCOPED_TRACE(file.task + ": " + file.name);
    const bool musa = file.head.contains("backend");
    options->backend = musa ? &kMusaBackend : &kCudaBackend;
    auto judge = judges.find(options->backend);
    if (judge == judges.end()) {
      Result<Judge> started = Judge::Start(*options);
      ASSERT_TRUE(started.ok()) << started.status().message();
      judge = judges.emplace(options->backend, std::move(started).value()).first;
    }
    const Verdict verdict = VerdictOf(&judge->second, file);
    EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
    EXPECT_EQ(verdict.Reward(), 1.0);
    EXPECT_GE(verdict.trials.size(), 6u);
    // They are as general as they can be, but some ask for contiguous inputs.
    EXPECT_LE(verdict.generality.sizes, Grade::kAll) << verdict.ToJson().Pretty();
    EXPECT_LE(verdict.generality.layouts, Grade::kRefuses) << verdict.ToJson().Pretty();
    EXPECT_FALSE(verdict.launches.empty());
    EXPECT_EQ(verdict.ToJson().Find("compiled_by_mcc") != nullptr, musa);
  }
}

}  // namespace kernelmill
