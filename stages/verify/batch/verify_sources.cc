#include "stages/verify/batch/verify_sources.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "corpora/kernelbench_checkout.h"
#include "corpora/records/task.h"
#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "manifests/json_fields.h"
#include "parsers/byte_order_mark.h"
#include "stages/pack/dataset_reader.h"
#include "stages/verify/candidate/candidate_text.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = "_kernel.py";

struct SampleName {
  int level = 0, problem = 0, sample = 0;

  auto Order() const { return std::tie(level, problem, sample); }
};

// Reads `label` and a number off the front of `text`.
bool Take(std::string_view* text, std::string_view label, int* number) {
  if (!text->starts_with(label)) return false;
  text->remove_prefix(label.size());
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc() || end == text->data()) return false;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return true;
}

bool ParseName(std::string_view name, SampleName* sample) {
  return Take(&name, "level_", &sample->level) && Take(&name, "_problem_", &sample->problem) &&
         Take(&name, "_sample_", &sample->sample) && (name.empty() || name == kSuffix);
}

std::vector<fs::path> FilesOf(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What a row of candidates answers: nothing where it has no answer, and then nothing where the
// answer has no code.
std::optional<std::optional<std::string>> AnswerOf(const Json& row) {
  const Json *code = row.Find("code"), *message = row.Find("message");
  if (code != nullptr && code->is_string()) return code->as_string();
  if (code != nullptr || message == nullptr || !message->is_string()) return std::nullopt;
  return FindCandidateCode(message->as_string());
}

// The line of a file that begins at `offset`.
Result<std::string> RowAt(const std::string& path, std::int64_t offset) {
  std::ifstream file(path, std::ios::binary);
  std::string row;
  if (file.seekg(offset) && std::getline(file, row)) return row;
  return Status(ErrorCode::kCorrupt, path + ": the file has changed while it was read");
}

// What a line of candidates says beside its answer.
struct Row {
  std::string task;
  std::optional<std::string> id;
  std::optional<ExtensionBackend> backend;
};

Result<Row> RowOf(std::string_view text) {
  const auto bad = [](const std::string& why) { return Status(ErrorCode::kCorrupt, why); };
  KM_ASSIGN(const Json json, Json::Parse(WithoutByteOrderMark(text)));
  if (!json.is_object()) return bad("it is no JSON object");
  Row row;
  for (const auto& [name, value] : json.as_object()) {
    if (name == "task" || name == "id" || name == "code" || name == "message") {
      if (!value.is_string()) return bad("\"" + name + "\" has to be a string");
    } else if (name == "backend") {
      const bool musa = value == Json("musa");
      if (!musa && value != Json("cuda")) {
        return bad("\"backend\" is " + value.Dump() + ", it can be \"cuda\" or \"musa\"");
      }
      row.backend = musa ? ExtensionBackend::kMusa : ExtensionBackend::kCuda;
    } else {
      return bad("there is no key \"" + name +
                 "\": a line has \"task\", \"code\" or \"message\", \"id\" and \"backend\"");
    }
  }
  if (json.Find("task") == nullptr || !AnswerOf(json)) {
    return bad("it has to have \"task\" and \"code\" or \"message\"");
  }
  row.task = json.TextAt("task");
  if (const Json* id = json.Find("id")) row.id = id->as_string();
  return row;
}

Result<std::optional<std::string>> CodeAt(const std::string& path, std::int64_t offset) {
  KM_ASSIGN(const std::string row, RowAt(path, offset));
  const Result<Json> json = Json::Parse(WithoutByteOrderMark(row));
  if (json.ok()) {
    if (std::optional<std::optional<std::string>> answer = AnswerOf(*json)) return *answer;
  }
  return Status(ErrorCode::kCorrupt, path + ": the file has changed while it was read");
}

// The code of a task by what names it.
Result<std::shared_ptr<const std::string>> ReferenceOf(DatasetReader* reader,
                                                       const std::string& task,
                                                       const std::string& dataset) {
  KM_ASSIGN(const Digest content_id, reader->Resolve(task));
  KM_ASSIGN(const std::optional<Record> record, reader->Find(content_id));
  if (!record || record->kind != RecordKind::kTask) {
    return Status(ErrorCode::kNotFound, task + " is no task of " + dataset);
  }
  KM_ASSIGN(Task found, Task::FromJson(record->payload));
  return std::make_shared<const std::string>(std::move(found.code));
}

// Of the first `size` bytes of a file.
Result<std::string> DigestOfStart(const std::string& path, std::int64_t size) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  Sha256 hash;
  std::string chunk(std::size_t{1} << 20, '\0');
  for (std::int64_t left = size; left > 0;) {
    file.read(chunk.data(), std::min<std::int64_t>(left, static_cast<std::int64_t>(chunk.size())));
    const std::int64_t got = file.gcount();
    if (got == 0) break;
    hash.Field(std::string_view(chunk).substr(0, static_cast<std::size_t>(got)));
    left -= got;
  }
  return hash.Finish().Hex();
}

}  // namespace

Result<std::vector<VerifyItem>> ReadKernelBenchRun(const std::string& checkout,
                                                   const std::string& run, int level) {
  std::vector<std::pair<SampleName, fs::path>> samples;
  for (const fs::path& path : FilesOf(run)) {
    SampleName sample;
    const std::string name = path.filename();
    if (!name.ends_with(kSuffix) || !ParseName(name, &sample)) continue;
    if (level == 0 || sample.level == level) samples.emplace_back(sample, path);
  }
  if (samples.empty()) {
    return Status(ErrorCode::kNotFound,
                  run + " holds no level_L_problem_P_sample_S_kernel.py" +
                      (level == 0 ? "" : " of level " + std::to_string(level)));
  }
  std::sort(samples.begin(), samples.end(),
            [](const auto& a, const auto& b) { return a.first.Order() < b.first.Order(); });
  std::map<int, std::map<int, fs::path>> problems;
  std::map<fs::path, std::shared_ptr<const std::string>> references;
  std::vector<VerifyItem> items;
  for (const auto& [sample, path] : samples) {
    if (!problems.contains(sample.level)) {
      problems[sample.level] = KernelBenchProblems(checkout, sample.level);
    }
    const auto problem = problems[sample.level].find(sample.problem);
    if (problem == problems[sample.level].end()) {
      return Status(ErrorCode::kNotFound,
                    checkout + " has no problem " + std::to_string(sample.problem) +
                        " in KernelBench/level" + std::to_string(sample.level) + ", which " +
                        path.string() + " answers");
    }
    VerifyItem item;
    const std::string name = path.filename();
    item.key = name.substr(0, name.size() - kSuffix.size());
    std::shared_ptr<const std::string>& reference = references[problem->second];
    if (reference == nullptr) {
      KM_ASSIGN(std::string text, ReadFile(problem->second));
      reference = std::make_shared<const std::string>(std::move(text));
    }
    item.reference = reference;
    item.read_code = [path = path.string()]() -> Result<std::optional<std::string>> {
      KM_ASSIGN(std::string code, ReadFile(path));
      return std::optional<std::string>(std::move(code));
    };
    items.push_back(std::move(item));
  }
  return items;
}

std::string EvalResults(const std::vector<VerdictLine>& lines, std::string_view policy) {
  static const std::set<std::string> kNotCompiled = {"no_answer", "not_built", "unsupported"};
  // As text at once: a tree of thousands of samples would take more memory than all else.
  std::map<std::string, std::string> samples;  // By problem.
  for (const VerdictLine& line : lines) {
    SampleName sample;
    if (!ParseName(line.key, &sample)) continue;
    const Json result = Json::Object{{"sample_id", sample.sample},
                                     {"compiled", !kNotCompiled.contains(line.status)},
                                     {"correctness", line.status == "correct"},
                                     {"metadata", Json::Object{{"hardware", "CPU executor"},
                                                               {"status", line.status},
                                                               {"reason", line.reason},
                                                               {"policy", policy}}},
                                     {"runtime", -1.0},
                                     {"runtime_stats", Json::Object{}}};
    std::string& list = samples[std::to_string(sample.problem)];
    list += (list.empty() ? "\n    " : ",\n    ") + result.Dump();
  }
  std::string text = "{";
  for (const auto& [problem, list] : samples) {
    text += (text.size() > 1 ? ",\n  \"" : "\n  \"") + problem + "\": [" + list + "\n  ]";
  }
  return text + "\n}\n";
}

Result<std::vector<VerifyItem>> ReadCandidates(const std::string& dataset,
                                               const std::string& path) {
  KM_ASSIGN(DatasetReader reader, DatasetReader::Open(dataset));
  if (fs::is_directory(path)) return Status(ErrorCode::kUsage, path + " is a folder, no list");
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  std::map<std::string, std::shared_ptr<const std::string>> references;  // By what names a task.
  std::vector<VerifyItem> items;
  std::set<std::string> keys;
  std::int64_t number = 0, at = 0;
  const auto item_of = [&](std::string_view text) -> Result<VerifyItem> {
    KM_ASSIGN(const Row row, RowOf(text));
    std::shared_ptr<const std::string>& reference = references[row.task];
    if (reference == nullptr) {
      KM_ASSIGN(reference, ReferenceOf(&reader, row.task, dataset));
    }
    VerifyItem item;
    item.key = row.id.value_or(std::to_string(number));
    if (!keys.insert(item.key).second) {
      return Status(ErrorCode::kCorrupt, "the id " + item.key + " is there twice");
    }
    item.reference = reference;
    item.backend = row.backend;
    item.read_code = [path, at]() { return CodeAt(path, at); };
    return item;
  };
  std::string first_problem;
  std::int64_t rejected = 0;
  for (std::string row; std::getline(file, row); at += static_cast<std::int64_t>(row.size()) + 1) {
    ++number;
    if (row.empty()) continue;
    Result<VerifyItem> item = item_of(row);
    if (!item.ok()) {
      item = VerifyItem{"line " + std::to_string(number), nullptr,
                        [path, at]() -> Result<std::optional<std::string>> {
                          KM_ASSIGN(std::string bytes, RowAt(path, at));
                          return std::optional(std::move(bytes));
                        },
                        std::nullopt,
                        path + ":" + std::to_string(number) + ": " + item.status().message()};
      if (rejected++ == 0) first_problem = item->problem;
    }
    items.push_back(std::move(item).value());
  }
  if (rejected == static_cast<std::int64_t>(items.size()) && rejected > 0) {
    return Status(ErrorCode::kCorrupt, first_problem + "; no line of it is an answer");
  }
  return items;
}

Status ClaimForList(const std::string& output, const std::string& path, bool fresh) {
  const std::string note = output + "/candidates.json";
  std::error_code error;
  const auto size = static_cast<std::int64_t>(fs::file_size(path, error));
  if (error) return Status(ErrorCode::kIo, path + ": " + error.message());
  if (const Result<std::string> text = ReadFile(note); text.ok() && !fresh) {
    const Result<Json> known = Json::Parse(*text);
    const std::int64_t known_size = known.ok() ? known->IntegerAt("bytes") : 0;
    KM_ASSIGN(const std::string start, DigestOfStart(path, known_size));
    if (known.ok() && (size < known_size || start != known->TextAt("sha256"))) {
      return Status(ErrorCode::kUsage, output + " has the verdicts of another list than " + path +
                                           "; name another --output, or --fresh to replace them");
    }
  }
  KM_ASSIGN(const std::string digest, DigestOfStart(path, size));
  return ReplaceFile(note, Json(Json::Object{{"bytes", size}, {"sha256", digest}}).Dump() + "\n");
}

}  // namespace kernelmill
