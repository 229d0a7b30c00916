#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "generators/grounding/row_rules.h"
#include "generators/grounding/unsupported_claims.h"
#include "generators/prompts/prompt_template.h"
#include "generators/wording/fenced_code.h"
#include "tests/generators/task_rows/generated_known_task.h"
#include "tests/generators/task_rows/prose_of_row.h"
#include "tests/shared_suite.h"

namespace kernelmill {
namespace {

using testing::IsEmpty;

// The rows about generated tasks of levels 1 to 3, made once for all tests.
struct RowsAboutTasks {
  struct About {
    const KnownTask* known;
    WrittenRow row;
  };
  std::vector<std::unique_ptr<KnownTask>> tasks;
  std::vector<About> rows;

  RowsAboutTasks() {
    for (const int level : {1, 1, 2, 2, 3}) {
      TaskGenerator generator({.seed = 40 + tasks.size(), .levels = {level}});
      for (int i = 0; i < (level == 3 ? 15 : 45) && generator.Next(); ++i) {
        auto known = std::make_unique<KnownTask>(KnownTaskOf(&generator));
        known->validation = i % 4 == 0;
        std::vector<WrittenRow> written;
        for (const TaskRows& family : AllTaskRows()) family.write(*known, &written);
        for (WrittenRow& row : written) rows.push_back({known.get(), std::move(row)});
        tasks.push_back(std::move(known));
      }
    }
  }
  static const RowsAboutTasks& Get() {
    static const RowsAboutTasks kRows;
    return kRows;
  }
};

class TaskRowsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { RowsAboutTasks::Get(); }
};

bool IsCode(Family family) {
  return family == Family::kTranslate || family == Family::kPort || family == Family::kOptimize;
}

KM_SHARED_SUITE(TaskRowsTest);

// Figures of another device than the question's lead to other conclusions.
TEST_F(TaskRowsTest, SpeakOfTheDeviceThatTheQuestionNames) {
  static constexpr const char* kDevices[] = {"A100",  "H100",  "L40S", "RTX 4090",
                                             "S4000", "S5000", "S80"};
  int named = 0;
  for (const auto& [known, row] : RowsAboutTasks::Get().rows) {
    // A port compares the devices of both platforms.
    if (row.training.family == Family::kPort) continue;
    std::string question;
    for (std::size_t i = 0; i + 1 < row.training.messages.size(); ++i) {
      question += row.training.messages[i].content;
    }
    const auto names = [](const std::string& text) {
      std::set<std::string> found;
      for (const char* const device : kDevices) {
        if (text.find(device) != text.npos) found.insert(device);
      }
      return found;
    };
    const std::set<std::string> asked = names(question);
    if (asked.empty()) continue;
    for (const std::string& said : names(ProseOf(row.training.messages.back().content))) {
      ++named;
      EXPECT_TRUE(asked.contains(said)) << said << " in an answer to:\n" << question;
    }
  }
  EXPECT_GT(named, 10);
}

TEST_F(TaskRowsTest, HandOverNoProgramThatAnotherClearlyBeats) {
  int compared = 0;
  for (const auto& [known, row] : RowsAboutTasks::Get().rows) {
    if (row.training.family != Family::kTranslate || row.training.estimated_speed <= 0) continue;
    for (const KnownCandidate& item : known->candidates) {
      const Candidate& other = item.candidate;
      if (!other.IsTaught() || other.backend != row.training.backend) continue;
      ++compared;
      EXPECT_LE(other.estimated_speed, 1.25 * row.training.estimated_speed);
    }
  }
  EXPECT_GT(compared, 100);
}

TEST_F(TaskRowsTest, SayNothingThatNoFactSupports) {
  const RowsAboutTasks& made = RowsAboutTasks::Get();
  int checked = 0, wrong = 0;
  for (const RowsAboutTasks::About& about : made.rows) {
    checked += !CandidatesOf(*about.known, about.row).empty();
    const auto violation = FindRowViolation(*about.known, about.row);
    if (!violation || ++wrong > 5) continue;
    ADD_FAILURE() << violation->detail << "\n"
                  << about.row.training.messages.back().content.substr(0, 2000);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(checked, 1000);
}

TEST_F(TaskRowsTest, AnAlteredNumberOrNameIsFound) {
  const RowsAboutTasks& made = RowsAboutTasks::Get();
  int found = 0, tried = 0;
  for (const RowsAboutTasks::About& about : made.rows) {
    const auto candidates = CandidatesOf(*about.known, about.row);
    if (candidates.empty() || about.row.training.reasoning != kReasoningFull) continue;
    const std::string& text = about.row.training.messages.back().content;
    const std::size_t threads = text.find(" threads");
    if (threads == text.npos || text[threads - 1] < '0' || text[threads - 1] > '9') continue;
    std::string altered = text;
    altered.insert(threads, "7");
    ++tried;
    found += !UnsupportedClaims(altered, *about.known, candidates).empty();
    altered = text;
    altered.insert(text.find('`') + 1, "no_such_");
    ++tried;
    found += !UnsupportedClaims(altered, *about.known, candidates).empty();
  }
  EXPECT_GT(tried, 20);
  EXPECT_EQ(found, tried);
}

TEST_F(TaskRowsTest, TheCodeIsTheCandidatesToTheByte) {
  const RowsAboutTasks& made = RowsAboutTasks::Get();
  for (const RowsAboutTasks::About& about : made.rows) {
    if (!IsCode(about.row.training.family)) continue;
    EXPECT_EQ(LastFenced(about.row.training.messages.back().content),
              CandidatesOf(*about.known, about.row)[0]->code);
  }
}

TEST_F(TaskRowsTest, ReasoningComesInItsShares) {
  std::map<std::string, double> shares;
  double rows = 0;
  for (const RowsAboutTasks::About& about : RowsAboutTasks::Get().rows) {
    if (about.row.training.family != Family::kTranslate) continue;
    ++shares[about.row.training.reasoning];
    ++rows;
    const bool none = about.row.training.reasoning == kReasoningNone;
    EXPECT_EQ(about.row.training.messages.back().content.starts_with("```"), none);
    EXPECT_EQ(about.row.training.reasoning_author.empty(), none);
  }
  ASSERT_GT(rows, 500);
  // Five standard deviations of the mean of 500 draws of one half are 0.11.
  EXPECT_NEAR(shares["none"] / rows, 0.3, 0.1);
  EXPECT_NEAR(shares["plan"] / rows, 0.5, 0.11);
  EXPECT_NEAR(shares["full"] / rows, 0.2, 0.09);
}

// Every second answer to a task with several operators is marked as slow.
TEST_F(TaskRowsTest, SlowAnswersAreBeforesOrShowOneOperator) {
  TaskGenerator generator({.seed = 91, .levels = {1, 2}});
  int befores = 0, alone = 0;
  for (int i = 0; i < 60 && generator.Next(); ++i) {
    KnownTask known = KnownTaskOf(&generator, 3);
    bool slow = false;
    for (KnownCandidate& item : known.candidates) {
      item.candidate.estimated_speed = (slow = !slow) ? 0.1 : 0.9;
    }
    std::vector<WrittenRow> rows;
    for (const TaskRows& family : AllTaskRows()) family.write(known, &rows);
    for (const WrittenRow& row : rows) {
      for (const KnownCandidate& item : known.candidates) {
        if (item.id.Hex() == row.training.candidate) {
          EXPECT_EQ(row.training.estimated_speed, item.candidate.estimated_speed);
          EXPECT_TRUE(item.candidate.IsTaught()) << FamilyName(row.training.family);
          alone += IsSlow(item.candidate.estimated_speed);
        } else if (row.training.family == Family::kOptimize) {
          const bool given =
              std::find(row.inputs.begin(), row.inputs.end(), item.id) != row.inputs.end();
          befores += given && !item.candidate.IsTaught();
        }
      }
    }
  }
  EXPECT_GT(befores, 0);
  EXPECT_GT(alone, 0);
}

TEST_F(TaskRowsTest, PromptsNameTheTaskAndNoTemplateRules) {
  std::map<std::string, std::int64_t> by_template;
  std::set<std::string> validation_only;
  for (const PromptTemplate& item : TemplatesOf(Family::kTranslate)) {
    if (item.validation) validation_only.emplace(item.name);
  }
  EXPECT_EQ(validation_only.size(), 4u);
  EXPECT_GE(TemplatesOf(Family::kTranslate).size(), 24u);
  std::int64_t rows = 0;
  for (const auto& [known, row] : RowsAboutTasks::Get().rows) {
    ++rows;
    ++by_template[row.training.prompt_template];
    const std::vector<Message>& messages = row.training.messages;
    const std::string& prompt = messages[messages.size() - 2].content;
    EXPECT_TRUE(IsUtf8(prompt));
    if (row.training.family != Family::kPort && row.training.family != Family::kOptimize) {
      EXPECT_THAT(prompt, testing::HasSubstr(known->task.code));
    }
    EXPECT_EQ(prompt.find("\n\n\n\n"), prompt.npos) << prompt;
    if (IsCode(row.training.family)) {
      EXPECT_THAT(prompt, testing::HasSubstr("ModelNew"));
    }
    for (const char* placeholder : {"{backend}", "{inputs", "{operators", "{tolerance", "{open",
                                    "{answer", "{perf", "{contract", "{loader", "{ref"}) {
      EXPECT_EQ(prompt.find(placeholder), prompt.npos) << row.training.prompt_template;
    }
    if (!known->validation) {
      EXPECT_FALSE(validation_only.contains(row.training.prompt_template));
    }
  }
  for (const auto& [name, count] : by_template) {
    EXPECT_LE(static_cast<double>(count), 0.08 * static_cast<double>(rows)) << name;
  }
}

// The prose without its code: leaves out fenced blocks and replaces code in backticks by one
// letter.
std::string WithoutCode(const std::string& markdown) {
  std::string text;
  bool fenced = false;
  for (std::size_t start = 0; start < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', start), markdown.size());
    const std::string line = markdown.substr(start, end - start);
    start = end + 1;
    if (line.starts_with("```")) fenced = !fenced;
    if (fenced || line.starts_with("```")) continue;
    for (std::size_t at = line.find_first_not_of(' '); at < line.size(); ++at) {
      const std::size_t close = line[at] == '`' ? line.find('`', at + 1) : line.npos;
      text += close == line.npos ? line[at] : 'x';
      if (close != line.npos) at = close;
    }
    text += '\n';
  }
  return text;
}

TEST_F(TaskRowsTest, HaveNoStraySpacesAndStops) {
  int wrong = 0;
  for (const auto& [known, row] : RowsAboutTasks::Get().rows) {
    for (const Message& message : row.training.messages) {
      const std::string text = WithoutCode(message.content);
      for (const char* blemish : {"  ", " ,", " .", "..", ",,", ";.", "[", "|]"}) {
        const std::size_t at = text.find(blemish);
        // "- [ ]" is a check box, and shapes can be in brackets.
        const bool bracket = blemish[0] == '[';
        const bool expected =
            at != text.npos && bracket &&
            std::string_view(" 0123456789").find(text[at + 1]) != std::string_view::npos;
        if (at == text.npos || expected) continue;
        if (++wrong > 5) continue;
        ADD_FAILURE() << row.training.prompt_template << ", \"" << blemish
                      << "\": " << text.substr(at > 60 ? at - 60 : 0, 120);
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

// Chinese has no spaces between its words.
TEST_F(TaskRowsTest, HaveNoSpacesBetweenHan) {
  const auto is_han = [](const std::string& text, std::size_t at) {  // U+4000 to U+9FFF, in UTF-8.
    return at + 2 < text.size() && text[at] >= '\xe4' && text[at] <= '\xe9';
  };
  int wrong = 0, chinese = 0;
  for (const auto& [known, row] : RowsAboutTasks::Get().rows) {
    for (const Message& message : row.training.messages) {
      const std::string text = WithoutCode(message.content);
      for (std::size_t at = 3; at < text.size(); ++at) {
        if (!is_han(text, at - 3)) continue;
        ++chinese;
        if (text[at] != ' ' || !is_han(text, at + 1) || ++wrong > 5) continue;
        ADD_FAILURE() << row.training.prompt_template << ": " << text.substr(at - 3, 60);
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(chinese, 1000);
}

TEST_F(TaskRowsTest, OneQuestionWeighsOne) {
  for (const auto& known : RowsAboutTasks::Get().tasks) {
    std::map<std::string, double> weights;
    for (const auto& [about, row] : RowsAboutTasks::Get().rows) {
      if (about == known.get()) {
        const bool asked_for_each = row.training.family == Family::kTranslate;
        weights[std::string(FamilyName(row.training.family)) +
                (asked_for_each ? " " + row.training.backend : "")] += row.weight;
      }
      EXPECT_GE(row.difficulty, 0);
      EXPECT_LE(row.difficulty, 1);
    }
    for (const auto& [backend, weight] : weights) EXPECT_NEAR(weight, 1, 1e-9) << backend;
  }
}

// Writes all rows to the file in KERNELMILL_ROWS, for people to read.
TEST_F(TaskRowsTest, CanBeWrittenDown) {
  const char* const path = std::getenv("KERNELMILL_ROWS");
  if (path == nullptr) GTEST_SKIP() << "KERNELMILL_ROWS names no file";
  std::ofstream file(path);
  for (const auto& [known, row] : RowsAboutTasks::Get().rows) {
    Json json = row.training.ToJson();
    json["difficulty"] = row.difficulty;
    file << json.Dump() << '\n';
  }
}

}  // namespace
}  // namespace kernelmill
