// The rows about mutants: answers that contain a bug.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "generators/perturbation/bug.h"
#include "generators/task_rows/bug_lessons.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

KnownCandidate CandidateOf(const std::string& code, const std::string& bug,
                           const std::string& parent, VerdictStatus status,
                           const std::string& reason) {
  KnownCandidate item;
  item.id = DigestOf(code);
  item.candidate.backend = "cuda";
  item.candidate.code = code;
  item.candidate.author = bug.empty() ? "lowering" : "perturbation";
  item.candidate.bug = bug;
  item.candidate.parent = parent;
  item.candidate.verdict.status = status;
  item.candidate.verdict.reason = reason;
  return item;
}

// A task with a correct answer and three mutants, one of them slow.
KnownTask Known() {
  KnownTask known;
  known.id = DigestOf("task");
  known.annotation = DigestOf("annotation");
  known.task.code = "class Model: ...\n";
  known.task.inputs.push_back({.name = "x", .dtype = "float32", .shape = {4, 8}});
  const std::string code = "first\nif (i >= n) return;\nlast\n";
  known.candidates = {CandidateOf(code, "", "", VerdictStatus::kCorrect, "")};
  known.candidates[0].candidate.kernels.push_back(
      {.function = "relu_forward", .mapping = "thread i computes element i"});
  const std::string parent = known.candidates[0].id.Hex();
  known.candidates.push_back(CandidateOf("first\nif (i > n) return;\nlast\n", "guard_one_too_far",
                                         parent, VerdictStatus::kOutOfBounds, "buffer_overflow"));
  known.candidates.push_back(CandidateOf("first\nif (i >= n) return\nlast\n", "missing_semicolon",
                                         parent, VerdictStatus::kNotBuilt, "compile_error"));
  known.candidates.push_back(CandidateOf("slow\nif (i >= n) return;\nlast\n", "tiny_blocks", parent,
                                         VerdictStatus::kCorrect, ""));
  std::sort(known.candidates.begin(), known.candidates.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return known;
}

const KnownCandidate& Find(const KnownTask& known, const std::string& bug) {
  return *std::find_if(known.candidates.begin(), known.candidates.end(),
                       [&](const KnownCandidate& one) { return one.candidate.bug == bug; });
}

TEST(RepairRows, EndWithTheRightAnswerAndTrainNoOther) {
  const KnownTask known = Known();
  const KnownCandidate& right = Find(known, "");
  std::vector<WrittenRow> rows;
  WriteRepairRows(known, &rows);
  ASSERT_EQ(rows.size(), 2u);
  std::vector<std::int64_t> turns;
  for (const WrittenRow& row : rows) {
    const TrainingRecord& training = row.training;
    EXPECT_EQ(training.family, Family::kRepair);
    EXPECT_EQ(LastFenced(training.messages.back().content), right.candidate.code);
    EXPECT_EQ(training.candidate, right.id.Hex());
    EXPECT_EQ(training.turn, training.n_turns);
    // A system message may come first.
    std::vector<Message> messages = training.messages;
    if (messages[0].role == "system") messages.erase(messages.begin());
    EXPECT_EQ(static_cast<std::int64_t>(messages.size()), 2 * training.n_turns);
    turns.push_back(training.n_turns);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      EXPECT_EQ(messages[i].role, i % 2 == 0 ? "user" : "assistant");
    }
    // Every wrong answer is followed by the feedback on it.
    for (std::size_t i = 1; i + 1 < messages.size(); i += 2) {
      const std::string code = LastFenced(messages[i].content);
      const auto wrong =
          std::find_if(known.candidates.begin(), known.candidates.end(),
                       [&](const KnownCandidate& one) { return one.candidate.code == code; });
      ASSERT_NE(wrong, known.candidates.end());
      EXPECT_NE(wrong->candidate.verdict.status, VerdictStatus::kCorrect);
      const Verdict& verdict = wrong->candidate.verdict;
      const std::string& said = messages[i + 1].content;
      const std::string why(ExplainVerdictReason(verdict.status, verdict.reason));
      EXPECT_TRUE(said.find(why.substr(1)) != said.npos || said.find(verdict.reason) != said.npos)
          << said;
      EXPECT_NE(std::find(row.inputs.begin(), row.inputs.end(), wrong->id), row.inputs.end());
    }
  }
  EXPECT_EQ(turns, (std::vector<std::int64_t>{2, 3}));
  EXPECT_NE(rows[0].training.trajectory_id, rows[1].training.trajectory_id);
}

TEST(ReviewRows, NameLineAndCause) {
  const KnownTask known = Known();
  std::vector<WrittenRow> rows;
  WriteReviewRows(known, &rows);
  ASSERT_GE(rows.size(), 3u);
  for (const WrittenRow& row : rows) {
    const TrainingRecord& training = row.training;
    EXPECT_EQ(training.family, Family::kReview);
    ASSERT_GE(training.messages.size(), 2u);
    const std::string& answer = training.messages.back().content;
    for (std::size_t at = answer.find("```"); at != answer.npos; at = answer.find("```", at + 3)) {
      EXPECT_TRUE(at == 0 || answer[at - 1] == '\n') << answer;
    }
    EXPECT_EQ(answer.find("{diff}"), answer.npos);
    if (training.candidate == Find(known, "guard_one_too_far").id.Hex()) {
      EXPECT_NE(answer.find("ine 2"), std::string::npos) << answer;
      const std::string cause(FindBug("guard_one_too_far")->cause.substr(1));
      EXPECT_NE(answer.find(cause), std::string::npos) << answer;
      EXPECT_NE(answer.find("-if (i > n) return;\n+if (i >= n) return;\n"), std::string::npos);
    }
    EXPECT_EQ(training.perf_evidence,
              training.candidate == Find(known, "tiny_blocks").id.Hex() ? "counted" : "none");
  }
}

// The explanation of a mutant of a program with one kernel and `count` results.
std::string ReviewOfMutant(const std::string& right, const std::string& wrong,
                           const std::string& bug, std::int64_t count) {
  KnownTask known = Known();
  known.task.code += "\nout_features = 2048\n";
  known.facts.outputs = {{{count}, "float32", {1}}};
  known.candidates = {CandidateOf(right, "", "", VerdictStatus::kCorrect, "")};
  known.candidates[0].candidate.kernels.push_back(
      {.function = "f", .strategy = "one_thread_an_element", .threads = 256});
  known.candidates.push_back(CandidateOf(wrong, bug, known.candidates[0].id.Hex(),
                                         VerdictStatus::kWrong, "values_differ"));
  std::vector<WrittenRow> rows;
  WriteReviewRows(known, &rows);
  EXPECT_FALSE(rows.empty());
  return rows.empty() ? "" : rows[0].training.messages.back().content;
}

TEST(ReviewRows, SayWhetherAFaultShowsAtTheTasksOwnSizes) {
  const auto grid = [](const std::string& blocks) {
    return "const int n = out.numel();\nconst int threads = 256;\nconst int blocks = " + blocks +
           ";\n";
  };
  const std::string right = grid("(n + threads - 1) / threads"), wrong = grid("n / threads");
  EXPECT_THAT(ReviewOfMutant(right, wrong, "grid_rounded_down", 512),
              testing::HasSubstr("At the task's own sizes `n` is 512, a multiple of 256, so the "
                                 "result is right there; it is wrong for any `n` that is no "
                                 "multiple of 256."));
  EXPECT_THAT(ReviewOfMutant(right, wrong, "grid_rounded_down", 500),
              testing::HasSubstr("It shows at the task's own sizes, because `n` is 500 there"));
  EXPECT_THAT(ReviewOfMutant("blocks((out_features + 63) / 64, 1);\n",
                             "blocks(out_features / 64, 1);\n", "grid_rounded_down", 7),
              testing::HasSubstr("`out_features` is 2048, a multiple of 64"));
  EXPECT_THAT(
      ReviewOfMutant("const int n = out.numel();\nif (i >= n) return;\n",
                     "const int n = out.numel();\nif (i > n) return;\n", "guard_one_too_far", 512),
      testing::HasSubstr("`n` is 512, a multiple of 256"));
}

TEST(ReviewRows, NameTheKernelWithTheMistakeAndWhatItCosts) {
  const std::string kernel =
      "__global__ void first_kernel(int n) {\n  first();\n}\n\n"
      "__global__ void second_kernel(float* x,\n                              int n) {\n";
  const auto known = [&](const std::string& bug, std::int64_t sectors) {
    KnownTask known = Known();
    known.candidates = {
        CandidateOf(kernel + "  right();\n}\n", "", "", VerdictStatus::kCorrect, "")};
    known.candidates[0].candidate.kernels.push_back(
        {.function = "f", .kernels = {"first_kernel", "second_kernel"}});
    known.candidates.push_back(CandidateOf(kernel + "  wrong();\n}\n", bug,
                                           known.candidates[0].id.Hex(), VerdictStatus::kCorrect,
                                           ""));
    for (std::size_t i = 0; i < 2; ++i) {
      VerdictLaunch launch;
      launch.kernel = "second_kernel";
      launch.count = 1;
      launch.counts.emplace();
      launch.counts->global_load_requests = 10;
      launch.counts->global_load_sectors = i == 0 ? 40 : sectors;
      known.candidates[i].candidate.verdict.launches.push_back(launch);
    }
    return known;
  };
  const auto review = [](const KnownTask& known) {
    std::vector<WrittenRow> rows;
    WriteReviewRows(known, &rows);
    return rows.empty() ? "" : rows[0].training.messages.back().content;
  };
  const std::string wrong = review(known("transposed_index", 320));
  EXPECT_THAT(wrong, testing::HasSubstr("Line 7, in `second_kernel`, is wrong: `wrong();`. "));
  EXPECT_THAT(wrong, testing::Not(testing::HasSubstr("A run counts")));
  const std::string cost =
      "A run counts 320 sectors of global memory; with the change below it is 40.";
  EXPECT_THAT(review(known("chunk_a_thread", 320)), testing::HasSubstr(cost));
  EXPECT_THAT(review(known("chunk_a_thread", 41)),
              testing::Not(testing::HasSubstr("A run counts")));
}

TEST(RepairRows, ReadTheFirstWrongElement) {
  const auto repair = [](const std::string& bug, const std::string& where) {
    KnownTask known = Known();
    known.candidates = {CandidateOf("first\nright\n", "", "", VerdictStatus::kCorrect, "")};
    known.candidates[0].candidate.kernels.push_back({.function = "f", .threads = 256});
    known.candidates.push_back(CandidateOf("first\nwrong\n", bug, known.candidates[0].id.Hex(),
                                           VerdictStatus::kWrong, "values"));
    known.candidates[1].candidate.verdict.diagnosis.emplace();
    known.candidates[1].candidate.verdict.diagnosis->where = where;
    std::vector<WrittenRow> rows;
    WriteRepairRows(known, &rows);
    return rows.empty() ? "" : rows[0].training.messages.back().content;
  };
  const auto from = [](int first) {
    return "from element " + std::to_string(first) + " on, counted row by row";
  };
  EXPECT_THAT(repair("missing_block", from(256)),
              testing::StartsWith("The output is wrong from element 256 on, which is the number"));
  EXPECT_THAT(repair("missing_block", from(512)), testing::StartsWith("The mistake"));
  EXPECT_THAT(
      repair("grid_rounded_down", from(512)),
      testing::StartsWith("The output is wrong from element 512 on, a multiple of the 256"));
  EXPECT_THAT(repair("grid_rounded_down", from(500)), testing::StartsWith("The mistake"));
  EXPECT_THAT(repair("transposed_index", from(256)), testing::StartsWith("The mistake"));
}

TEST(ReviewRows, EveryBugTeachesSomethingElse) {
  std::map<std::string_view, std::string_view> told;
  for (const BugClass& bug : AllBugs()) {
    const std::string_view lesson = LessonOf(bug.name);
    EXPECT_TRUE(lesson.ends_with('.')) << bug.name;
    const auto [other, first] = told.emplace(lesson, bug.name);
    EXPECT_TRUE(first) << bug.name << " says what " << other->second << " says";
  }
}

TEST(BugLessons, FitTheProgram) {
  const auto lesson = [](const char* bug, const std::string& code, std::size_t operators) {
    std::vector<DesignedKernel> plans(1);
    plans[0].operators.resize(operators);
    return std::string(CauseIn(*FindBug(bug), code)) + " " +
           std::string(LessonOn(*FindBug(bug), {code, plans}));
  };
  // One term of every tile is more than the tolerance hides.
  EXPECT_THAT(lesson("loop_starts_late", "for (int k = 1; k < 16; ++k) acc += a[k] * b[k];", 1),
              testing::AllOf(testing::HasSubstr("the first of the 16 terms of every tile"),
                             testing::Not(testing::HasSubstr("tolerance"))));
  EXPECT_THAT(lesson("loop_starts_late", "for (int k = 1; k < cols; ++k) acc += x[k];", 1),
              testing::HasSubstr("tolerance"));
  EXPECT_THAT(lesson("loop_one_too_far", "for (; row <= rows; row += warps) {", 1),
              testing::AllOf(testing::HasSubstr("a row beyond the end"),
                             testing::Not(testing::HasSubstr("one element beyond"))));
  EXPECT_THAT(lesson("skipped_operator", "out[at] = value;", 1),
              testing::Not(testing::HasSubstr("fused")));
  EXPECT_THAT(lesson("skipped_operator", "out[at] = value;", 2), testing::HasSubstr("fused"));
  // A thread that goes through its own elements meets no other thread.
  EXPECT_THAT(
      lesson("shared_element", "for (int i = first; i < end; ++i) out[i / 2] = f(x[i]);", 1),
      testing::AllOf(testing::HasSubstr("half of the output is never written"),
                     testing::Not(testing::HasSubstr("everal threads write"))));
}

TEST(TranslateRows, DoNotTeachSlowMutants) {
  const KnownTask known = Known();
  std::vector<WrittenRow> rows;
  WriteTranslateRows(known, &rows);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].training.candidate, Find(known, "").id.Hex());
}

}  // namespace
}  // namespace kernelmill
