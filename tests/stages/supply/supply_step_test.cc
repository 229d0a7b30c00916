#include "stages/supply/supply_step.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "corpora/records/task.h"
#include "manifests/commit_file.h"
#include "stages/task_files/supplied_rows.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kLargest = 4096;

class Supply : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (std::filesystem::temp_directory_path() / "km-supply-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = folder_ + "/" + name;
    EXPECT_TRUE(MakeFolders(FolderOf(path)).ok());
    EXPECT_TRUE(ReplaceFile(path, bytes).ok());
    return path;
  }

  static std::vector<SuppliedRow> Read(const TaskSourceSpec& spec) {
    const Result<TaskSource> source = ResolveTasks(spec, "sources[0].tasks");
    EXPECT_TRUE(source.ok()) << source.status().message();
    std::vector<SuppliedRow> rows;
    if (!source.ok()) return rows;
    const Status status = ForEachRow(*source, kLargest, [&](const SuppliedRow& row) -> Status {
      const Result<SuppliedRow> again = SuppliedRow::Decode(row.Encode());
      EXPECT_TRUE(again.ok() && again->bytes == row.bytes && again->origin == row.origin);
      rows.push_back(row);
      return Status::Ok();
    });
    EXPECT_TRUE(status.ok()) << status.message();
    return rows;
  }

  static std::vector<std::string> Reasons(const std::vector<SuppliedRow>& rows) {
    std::vector<std::string> reasons;
    for (const SuppliedRow& row : rows) reasons.push_back(row.reason);
    return reasons;
  }

  // Writes a table with the columns "ref_code" and "id"; an empty text becomes a null.
  std::string WriteParquet(const std::vector<std::string>& references) {
    arrow::StringBuilder code;
    arrow::Int64Builder id;
    for (std::size_t i = 0; i < references.size(); ++i) {
      EXPECT_TRUE((references[i].empty() ? code.AppendNull() : code.Append(references[i])).ok());
      EXPECT_TRUE(id.Append(static_cast<std::int64_t>(i) + 40).ok());
    }
    const auto table = arrow::Table::Make(arrow::schema({arrow::field("id", arrow::int64()),
                                                         arrow::field("ref_code", arrow::utf8())}),
                                          {id.Finish().ValueOrDie(), code.Finish().ValueOrDie()});
    return WriteTable("tasks.parquet", *table);
  }

  std::string WriteTable(const std::string& name, const arrow::Table& table) {
    const std::string path = folder_ + "/" + name;
    const auto file = arrow::io::FileOutputStream::Open(path).ValueOrDie();
    EXPECT_TRUE(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), file, 2).ok());
    return path;
  }

  static SupplyOptions InThisProcess() {
    return {.licences = {"Apache-2.0", "BSD-3-Clause", "MIT"}, .child_program = ""};
  }

  // The licence of each task that SupplyStep makes from the file, or the reason why it makes none.
  static std::vector<std::string> Licences(const std::string& path, const std::string& licence) {
    SupplyStep step(InThisProcess());
    const std::unique_ptr<Lane> lane = step.OpenLane().value();
    std::vector<std::string> licences;
    for (const SuppliedRow& row : Read({.tasks = path, .licence = licence})) {
      const Outcome outcome = step.Process({"key", row.Encode()}, *lane).value();
      licences.push_back(outcome.fate == Fate::kKept
                             ? Record::Decode(outcome.outputs[0].body)->licences[0].spdx
                             : outcome.reason);
    }
    return licences;
  }

  std::string folder_;
};

TEST_F(Supply, ReadsJsonLines) {
  const std::string path = Write("mine.jsonl",
                                 "{\"id\": 3, \"code\": \"a\", \"license\": \"mit\"}\n\n"
                                 "{\"name\": \"second\", \"code\": \"b\", \"tests\": [1.5]}");
  const auto rows = Read({.tasks = path, .licence = "Apache-2.0"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].bytes, "a");
  EXPECT_EQ(rows[0].name, "3");
  EXPECT_EQ(rows[0].licence, "mit");
  EXPECT_EQ(rows[1].name, "second");
  EXPECT_EQ(rows[1].licence, "Apache-2.0");
  EXPECT_EQ(rows[1].origin.row, 3);
  EXPECT_EQ(rows[1].origin.path, "mine.jsonl");
  EXPECT_EQ(rows[1].origin.url, "urn:local:mine.jsonl");
  EXPECT_EQ(rows[1].origin.sha256, DigestOfFile(path)->Hex());
  EXPECT_EQ(Read({.tasks = path, .column = "name"})[1].bytes, "second");
}

TEST_F(Supply, AByteOrderMarkIsNoPartOfARow) {
  const std::string mark = "\xEF\xBB\xBF";
  const auto lines = Read({.tasks = Write("marked.jsonl", mark + "{\"code\": \"" + mark + "a\"}\n" +
                                                              mark + "no\n")});
  ASSERT_EQ(Reasons(lines), (std::vector<std::string>{"", "bad_row"}));
  EXPECT_EQ(lines[0].bytes, "a");
  EXPECT_EQ(lines[1].bytes, mark + "no");
  Write("folder/one.py", mark + "b");
  EXPECT_EQ(Read({.tasks = folder_ + "/folder"})[0].bytes, "b");
}

TEST_F(Supply, HostileLinesAreRowsWithReasons) {
  const std::string huge(70 << 20, 'z');
  const auto rows = Read({.tasks = Write("bad.jsonl",
                                         "{\"code\": 5}\n{\"code\": \"ok\"}\nno\n[1]\n"
                                         "{\"code\": \"\xff\"}\n{\"cod\": \"\"}\n"
                                         "{\"code\": \"a\\u0000\"}\n{\"code\": \" \"}\n"
                                         "{\"code\": \"" +
                                             std::string(5000, 'x') + "\"}\n" +
                                             std::string("\0\1", 2) + "\n" + huge)});
  EXPECT_EQ(Reasons(rows), (std::vector<std::string>{
                               "no_reference", "", "bad_row", "bad_row", "not_utf8", "no_reference",
                               "binary", "no_reference", "too_large", "binary", "too_large"}));
  EXPECT_EQ(rows[0].bytes, "{\"code\": 5}");
  EXPECT_EQ(rows[4].bytes, "{\"code\": \"\xff\"}");
  EXPECT_EQ(rows[8].bytes, std::string(kLargest, 'x'));
  EXPECT_EQ(rows[10].bytes, huge.substr(0, kLargest));
  EXPECT_EQ(rows[10].origin.row, 11);
}

TEST_F(Supply, ReadsParquet) {
  const auto rows = Read({.tasks = WriteParquet({"a", "", "c\xff", "d", std::string(5000, 'x')})});
  EXPECT_EQ(Reasons(rows),
            (std::vector<std::string>{"", "no_reference", "not_utf8", "", "too_large"}));
  EXPECT_EQ(rows[1].bytes, "{\"id\":41,\"ref_code\":null}");
  EXPECT_EQ(rows[3].bytes, "d");
  EXPECT_EQ(rows[3].name, "43");
  EXPECT_EQ(rows[3].origin.row, 4);
}

// Wherever a Parquet file is truncated or changed, reading must end, and each lost row must have a
// reason.
TEST_F(Supply, DamagedParquetIsARowWithAReason) {
  const std::string path = WriteParquet({"first", "second", "third", "fourth"});
  const std::string whole = ReadFile(path).value();
  for (std::size_t size = 0; size < whole.size(); size += 37) {
    const auto rows = Read({.tasks = Write("cut.parquet", whole.substr(0, size))});
    ASSERT_EQ(Reasons(rows), std::vector<std::string>{"bad_row"}) << size;
    EXPECT_EQ(rows[0].bytes, whole.substr(0, std::min<std::size_t>(size, kLargest)));
  }
  int lost = 0;
  for (std::size_t at = 4; at < whole.size() - 8; at += 11) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    const Result<TaskSource> source =
        ResolveTasks({.tasks = Write("flip.parquet", bytes)}, "sources[0].tasks");
    if (!source.ok()) {
      EXPECT_EQ(source.status().code(), ErrorCode::kConfig);  // The damage hit the column's name.
      continue;
    }
    const Status status = ForEachRow(*source, kLargest, [&](const SuppliedRow& row) {
      lost += row.reason == "bad_row";
      return Status::Ok();
    });
    EXPECT_TRUE(status.ok()) << status.message();
  }
  EXPECT_GT(lost, 0);
}

TEST_F(Supply, ReadsAFolder) {
  Write("level1/2_b.py", "b");
  Write("level1/1_a.py", "a");
  Write("level1/notes.txt", "no task");
  Write(".git/hook.py", "no task");
  Write("level2/3_large.py", std::string(5000, 'x'));
  std::filesystem::create_symlink("/etc/passwd", folder_ + "/level2/link.py");
  const auto rows = Read({.tasks = folder_, .url = "https://example.org/mine"});
  ASSERT_EQ(Reasons(rows), (std::vector<std::string>{"", "", "too_large"}));
  EXPECT_EQ(rows[0].origin.path, "level1/1_a.py");
  EXPECT_EQ(rows[0].origin.url, "https://example.org/mine");
  EXPECT_EQ(rows[0].origin.sha256, DigestOf("a").Hex());
  EXPECT_EQ(rows[0].origin.row, 0);
  EXPECT_EQ(rows[1].name, "2_b");
}

TEST_F(Supply, WhatCannotBeASourceNamesKeyAndFile) {
  const std::string lines = Write("a.jsonl", "{\"text\": \"a\", \"n\": 1}\n");
  const std::string text = Write("a.csv", "code\n");
  const std::string table = WriteParquet({"a"});
  std::filesystem::create_directory(folder_ + "/empty");
  const std::string pipe = folder_ + "/pipe.jsonl";  // A pipe without a writer.
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const struct {
    TaskSourceSpec spec;
    std::string words;
  } kCases[] = {
      {{.tasks = folder_ + "/none.jsonl"}, "there is no file or folder " + folder_ + "/none.jsonl"},
      {{.tasks = lines},
       "a.jsonl has no column of references but n, text; call it reference, or name it"},
      {{.tasks = lines, .column = "code"}, "a.jsonl has no column 'code' but n, text"},
      {{.tasks = table, .column = "code"}, "tasks.parquet has no column 'code' but id, ref_code"},
      {{.tasks = text}, "a.csv is neither a .jsonl or .parquet file nor a folder"},
      {{.tasks = folder_ + "/empty"}, "empty holds no .py file and no definition.json"},
      {{.tasks = Write("nothing.jsonl", "")}, "nothing.jsonl is empty"},
      {{.tasks = pipe}, "pipe.jsonl is neither a .jsonl or .parquet file nor a folder"},
      {{.tasks = table, .sha256 = std::string(64, 'a')}, "tasks.parquet has the SHA-256"},
  };
  for (const auto& [spec, words] : kCases) {
    const Result<TaskSource> source = ResolveTasks(spec, "sources[2].tasks");
    ASSERT_FALSE(source.ok()) << words;
    EXPECT_EQ(source.status().code(), ErrorCode::kConfig);
    EXPECT_NE(source.status().message().find("sources[2].tasks"), std::string::npos);
    EXPECT_NE(source.status().message().find(words), std::string::npos)
        << source.status().message();
  }
}

// A file under another name has the same origins if the recorded name is given.
TEST_F(Supply, OriginsHaveTheNameThatIsRecorded) {
  const std::string here = Write("here.jsonl", "{\"code\": \"a\"}\n");
  const std::string copy = Write("copies/there.jsonl", ReadFile(here).value());
  const auto first = Read({.tasks = here, .url = "https://example.org/t"});
  const auto again = Read({.tasks = copy, .url = "https://example.org/t", .name = "here.jsonl"});
  EXPECT_EQ(first[0].origin, again[0].origin);
  EXPECT_EQ(first[0].name, again[0].name);
  EXPECT_NE(first[0].origin, Read({.tasks = copy, .url = "https://example.org/t"})[0].origin);
}

TEST_F(Supply, AFolderThatCannotBeReadIsNamed) {
  const auto files = TaskFilesIn(folder_ + "/gone");
  ASSERT_FALSE(files.ok());
  EXPECT_NE(files.status().message().find(folder_ + "/gone"), std::string::npos);
  Write("b/one.py", "a");
  Write("a/two.py", "a");
  EXPECT_EQ(TaskFilesIn(folder_).value(), (std::vector<std::string>{"a/two.py", "b/one.py"}));
  if (geteuid() == 0) return;  // root can read every file.
  const std::string locked = folder_ + "/b";
  ASSERT_EQ(chmod(locked.c_str(), 0), 0);
  const auto rest = TaskFilesIn(folder_);
  ASSERT_EQ(chmod(locked.c_str(), 0700), 0);
  ASSERT_FALSE(rest.ok());
  EXPECT_NE(rest.status().message().find(locked), std::string::npos);
}

TEST_F(Supply, EveryLicenceOfARowHasToBeAllowed) {
  std::string lines;
  std::vector<std::string> expected;
  for (const auto& [cells, licence] : std::vector<std::pair<std::string, std::string>>{
           {R"("licenses": ["mit"])", "MIT"},
           {R"("licenses": ["mit", "MIT", "apache-2.0"])", "MIT AND Apache-2.0"},
           {R"("license": ["MIT OR GPL-2.0-only", "Apache-2.0"])",
            "(MIT OR GPL-2.0-only) AND Apache-2.0"},
           {R"("license": [], "licenses": null)", "BSD-3-Clause"},
           {R"("license": "")", "BSD-3-Clause"},
           {R"("license": ["GPL-3.0-only"])", "licence"},
           {R"("licenses": ["MIT", "GPL-3.0-only"])", "licence"},
           {R"("license": "GPL-3.0-only", "spdx": "MIT")", "licence"},
           {R"("licenses": ["MIT) OR (MIT", "GPL-3.0-only"])", "licence"},
           {R"("license": [" OR MIT OR ", 5])", "licence"},
           {R"("license": [null])", "licence"},
           {R"("license": {"spdx": "MIT"})", "licence"},
           {R"("license": false)", "licence"}}) {
    lines += R"({"code": "x = 1", )" + cells + "}\n";
    expected.push_back(licence);
  }
  EXPECT_EQ(Licences(Write("t.jsonl", lines), "BSD-3-Clause"), expected);
}

TEST_F(Supply, LicencesOfATableAreTextsOrLists) {
  arrow::StringBuilder code;
  auto text = std::make_shared<arrow::StringBuilder>();
  arrow::ListBuilder list(arrow::default_memory_pool(), text);
  for (const std::vector<std::string>& licences :
       {std::vector<std::string>{"mit"}, {"mit", "GPL-3.0-only"}, {}}) {
    ASSERT_TRUE(code.Append("x = 1").ok() && list.Append().ok());
    for (const std::string& licence : licences) ASSERT_TRUE(text->Append(licence).ok());
  }
  ASSERT_TRUE(code.Append("x = 1").ok() && list.AppendNull().ok());
  const auto codes = code.Finish().ValueOrDie();
  const auto lists = list.Finish().ValueOrDie();
  const auto reference = arrow::field("code", arrow::utf8());
  const auto table = arrow::Table::Make(
      arrow::schema({arrow::field("licenses", arrow::list(arrow::utf8())), reference}),
      {lists, codes});
  EXPECT_EQ(Licences(WriteTable("lists.parquet", *table), "Apache-2.0"),
            (std::vector<std::string>{"MIT", "licence", "Apache-2.0", "Apache-2.0"}));

  const auto inner = arrow::StructArray::Make({codes}, std::vector<std::string>{"spdx"});
  const auto nested = arrow::Table::Make(
      arrow::schema({arrow::field("license", inner.ValueOrDie()->type()), reference}),
      {inner.ValueOrDie(), codes});
  const Result<TaskSource> source =
      ResolveTasks({.tasks = WriteTable("nested.parquet", *nested)}, "sources[1].tasks");
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.status().code(), ErrorCode::kConfig);
  EXPECT_NE(source.status().message().find("nested.parquet: the column 'license'"),
            std::string::npos)
      << source.status().message();
}

TEST_F(Supply, RowsBecomeTasks) {
  SupplyStep step(InThisProcess());
  const std::unique_ptr<Lane> lane = step.OpenLane().value();
  const std::string path = Write("t.jsonl",
                                 "{\"code\": \"x = 1  # a@corp.com\", \"license\": \"mit\"}\n"
                                 "{\"code\": \"y = 1\"}\n"
                                 "{\"code\": \"z = 1\", \"license\": \"GPL-3.0-only\"}\n"
                                 "{\"code\": \"# <|im_end|>\"}\n"
                                 "{\"code\": null}\n");
  const std::vector<TaskSource> sources = {ResolveTasks({.tasks = path}, "tasks").value()};
  std::map<std::string, std::string> inputs;
  const auto emit = [&](std::string key, std::string body) {
    EXPECT_TRUE(inputs.emplace(std::move(key), std::move(body)).second);
    return Status::Ok();
  };
  ASSERT_TRUE(step.Inputs(sources)(emit).ok());
  ASSERT_EQ(inputs.size(), 5u);
  std::vector<Outcome> outcomes;
  for (const auto& [key, body] : inputs) {
    outcomes.push_back(step.Process({key, body}, *lane).value());
  }
  ASSERT_EQ(outcomes[0].fate, Fate::kKept);
  const Record first = Record::Decode(outcomes[0].outputs[0].body).value();
  EXPECT_EQ(Task::FromJson(first.payload)->code.find("corp"), std::string::npos);
  EXPECT_EQ(first.licences, (std::vector<LicenceEvidence>{
                                {"MIT", LicenceLevel::kDeclared, "t.jsonl", sources[0].sha256}}));
  EXPECT_EQ(first.origins[0].row, 1);
  EXPECT_EQ(first.attributes.at("name").as_string(), "t:1");
  EXPECT_EQ(Record::Decode(outcomes[1].outputs[0].body)->licences[0].spdx, "NOASSERTION");
  std::vector<std::string> reasons;
  for (std::size_t i = 2; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].fate, Fate::kRejected);
    EXPECT_EQ(outcomes[i].origins.at(0).row, static_cast<std::int64_t>(i) + 1);
    reasons.push_back(outcomes[i].reason);
  }
  EXPECT_EQ(reasons, (std::vector<std::string>{"licence", "chat_marker", "no_reference"}));
  EXPECT_EQ(outcomes[3].original, "# <|im_end|>");

  // If one row is requested, exactly it is read.
  inputs.clear();
  const auto wanted = [](const std::vector<Origin>& origins) { return origins.at(0).row == 2; };
  ASSERT_TRUE(step.Inputs(sources, wanted)(emit).ok());
  EXPECT_EQ(inputs.size(), 1u);
}

}  // namespace
}  // namespace kernelmill
