#include "stages/verify/run/candidate_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifests/commit_file.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

class CandidateList : public testing::Test {
 protected:
  void SetUp() override {
    const std::map<Digest, std::string> records = SyntheticRecords(3);
    const Result<DatasetManifest> published = PublishSynthetic(Dataset(), records, 100);
    ASSERT_TRUE(published.ok()) << published.status().message();
    for (const auto& [id, encoded] : records) {
      const RecordKind kind = Record::Decode(encoded)->kind;
      (kind == RecordKind::kTask ? task_ : row_) = id.Hex();
    }
  }
  std::string Dataset() const { return folder_.path() + "/dataset"; }
  Result<std::vector<VerifyItem>> Read(const std::string& lines) {
    const std::string path = folder_.path() + "/answers.jsonl";
    EXPECT_TRUE(ReplaceFile(path, lines).ok());
    return ReadCandidates(Dataset(), path);
  }

  TemporaryFolder folder_;
  std::string task_, row_;
};

TEST_F(CandidateList, JoinsAnswersWithTheirTasks) {
  const auto items = Read("{\"task\":\"" + task_ + "\",\"code\":\"class ModelNew: pass\"}\n\n" +
                          "{\"task\":\"" + task_ + "\",\"id\":\"second\",\"message\":" +
                          "\"```python\\nclass ModelNew:\\n  pass\\n```\"}\n" + "{\"task\":\"" +
                          task_ + "\",\"message\":\"No.\"}\n");
  ASSERT_TRUE(items.ok()) << items.status().message();
  ASSERT_EQ(items->size(), 3u);
  EXPECT_EQ((*items)[0].key, "1");
  EXPECT_THAT(*(*items)[0].reference, testing::HasSubstr("class Model(nn.Module)"));
  EXPECT_EQ((*items)[1].key, "second");
  EXPECT_EQ((*items)[1].reference, (*items)[0].reference);
  EXPECT_EQ((*items)[1].contract, Task().Contract());
  EXPECT_EQ(*(*items)[0].read_code(), "class ModelNew: pass");
  EXPECT_EQ(*(*items)[1].read_code(), "class ModelNew:\n  pass\n");
  EXPECT_EQ(*(*items)[2].read_code(), std::nullopt);
}

TEST_F(CandidateList, ReadsTheOutputOfABatch) {
  const auto line = [&](const std::string& name, const std::string& body) {
    return "{\"id\": \"batch_req_1\", \"custom_id\": \"" + name +
           "\", \"response\": {\"status_code\": 200, \"body\": " + body + "}, \"error\": null}\n";
  };
  const auto choice = [](const std::string& content) {
    return "{\"message\": {\"content\": " + content + "}}";
  };
  const std::string answer = choice("\"```python\\nclass ModelNew: b\\n```\"");
  const auto items =
      Read("{\n" + line(task_ + ":musa:4", "{\"choices\": [" + answer + "]}") +
           line(task_,
                "{\"choices\": [" + choice("7") + ", " + choice("\"No.\"") + ", " + answer + "]}") +
           line(std::string(64, 'f') + ":cuda:2", "{\"choices\": [" + answer + "]}"));
  ASSERT_TRUE(items.ok()) << items.status().message();
  std::vector<std::string> identities;
  for (const VerifyItem& item : *items) {
    const Json identity = item.Identity();
    identities.push_back(identity.TextAt("key") + " " + identity.Find("attempt")->Dump() + " " +
                         item.reason);
  }
  EXPECT_THAT(identities,
              testing::ElementsAre("line 1 null bad_sample", task_ + ":musa:4 4 ", task_ + "#1 1 ",
                                   task_ + "#2 2 ", "line 3 problem 1 0 bad_sample",
                                   "line 4 2 unknown_task"));
  EXPECT_EQ((*items)[0].Identity().find("task")->second, Json());
  EXPECT_EQ((*items)[1].backend, &kMusaBackend);
  EXPECT_EQ(*(*items)[1].read_code(), "class ModelNew: b\n");
  EXPECT_EQ(*(*items)[2].read_code(), std::nullopt);
  EXPECT_EQ(*(*items)[3].read_code(), "class ModelNew: b\n");
  EXPECT_EQ((*items)[4].task, task_);
  EXPECT_EQ((*items)[5].id, std::string(64, 'f') + ":cuda:2");
}

TEST_F(CandidateList, AnAnswerMaySayWhatItIsFor) {
  const std::string head = "{\"task\":\"" + task_ + "\",\"code\":\"\"";
  const auto items =
      Read(head + "}\n" + head + ",\"backend\":\"musa\"}\n" + head + ",\"backend\":\"cuda\"}\n");
  ASSERT_TRUE(items.ok()) << items.status().message();
  EXPECT_EQ((*items)[0].backend, nullptr);
  EXPECT_EQ((*items)[1].backend, &kMusaBackend);
  EXPECT_EQ((*items)[2].backend, &kCudaBackend);
}

TEST_F(CandidateList, KeepsALineThatIsNoAnswerAndSaysWhy) {
  const std::string good = "{\"task\":\"" + task_ + "\",\"code\":\"\",\"id\":\"a\"}\n";
  const auto error = [&](const std::string& line) {
    const auto items = Read(good + line);
    EXPECT_TRUE(items.ok()) << items.status().message();
    if (!items.ok() || items->size() != 2) return std::string();
    EXPECT_EQ((*items)[0].problem, "");
    const std::size_t first = line.find_first_not_of('\n');
    EXPECT_EQ(*(*items)[1].read_code(), line.substr(first, line.find('\n', first) - first));
    return (*items)[1].problem;
  };
  EXPECT_THAT(error("{\n"), testing::HasSubstr("answers.jsonl:2"));
  EXPECT_THAT(error("\xFF\xFE\n"), testing::HasSubstr("answers.jsonl:2"));
  EXPECT_THAT(error("\n{\"task\":\"" + task_ + "\"}\n"), testing::HasSubstr("answers.jsonl:3"));
  EXPECT_THAT(error("[]\n"), testing::HasSubstr("not a JSON object"));
  EXPECT_THAT(error("{\"task\":\"" + task_ + "\",\"code\":\"\",\"id\":7}\n"),
              testing::HasSubstr("\"id\" must be a string"));
  EXPECT_THAT(error("{\"task\":\"" + task_ + "\",\"code\":\"\",\"sample\":\"7\"}\n"),
              testing::HasSubstr("no key \"sample\""));
  EXPECT_THAT(error("{\"task\":\"" + row_ + "\",\"code\":\"\"}\n"),
              testing::HasSubstr("is no task"));
  EXPECT_THAT(error("{\"task\":\"" + task_ + "\",\"code\":\"\",\"backend\":\"rocm\"}\n"),
              testing::HasSubstr("answers.jsonl:2: \"backend\" is \"rocm\""));
  EXPECT_THAT(error(good), testing::HasSubstr("occurs twice"));
  EXPECT_THAT(error("\n{\"task\":\"" + std::string(64, 'f') + "\",\"code\":\"\"}\n"),
              testing::HasSubstr("answers.jsonl:3: "));
  const auto nothing = Read("{\n{\n");
  ASSERT_FALSE(nothing.ok());
  EXPECT_THAT(nothing.status().message(), testing::HasSubstr("answers.jsonl:1: "));
  const auto folder = ReadCandidates(Dataset(), folder_.path());
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(folder.status().message(), testing::HasSubstr("is a folder"));
}

TEST_F(CandidateList, IsContinuedByAListThatBeginsWithIt) {
  const std::string path = folder_.path() + "/answers.jsonl";
  ASSERT_TRUE(ReplaceFile(path, "{1}\n{2}\n").ok());
  const Result<Json> before = IdentityOfList(path);
  ASSERT_TRUE(before.ok()) << before.status().message();
  const auto continues = [&](const std::string& lines) {
    EXPECT_TRUE(ReplaceFile(path, lines).ok());
    return ContinuesList(*before, path);
  };
  EXPECT_TRUE(continues("{1}\n{2}\n"));
  EXPECT_TRUE(continues("{1}\n{2}\n{3}\n"));
  EXPECT_FALSE(continues("{1}\n"));
  EXPECT_FALSE(continues("{1}\n{4}\n{3}\n"));
  EXPECT_FALSE(ContinuesList(*before, folder_.path() + "/none"));
}

}  // namespace
}  // namespace kernelmill
