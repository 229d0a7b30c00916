#include "stages/verify/run/candidate_list.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "corpora/dataset/dataset_reader.h"
#include "corpora/kernel_backend.h"
#include "corpora/records/task.h"
#include "manifests/digest.h"
#include "manifests/json_fields.h"
#include "parsers/byte_order_mark.h"
#include "parsers/samples/message_code.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// The code of a row. The outer optional is empty if the row has no answer, the inner one if its
// answer contains no code.
std::optional<std::optional<std::string>> AnswerOf(const Json& row) {
  const Json *code = row.Find("code"), *message = row.Find("message");
  if (code != nullptr && code->is_string()) return code->as_string();
  if (code != nullptr || message == nullptr || !message->is_string()) return std::nullopt;
  return FindCandidateCode(message->as_string());
}

// The line of a file that starts at `offset`.
Result<std::string> RowAt(const std::string& path, std::int64_t offset) {
  std::ifstream file(path, std::ios::binary);
  std::string row;
  if (file.seekg(offset) && std::getline(file, row)) return row;
  return Status(ErrorCode::kCorrupt, path + ": the file has changed while it was read");
}

// The names of all backends, for messages: "cuda" or "musa".
std::string QuotedBackends() {
  std::string text;
  for (const KernelBackend* backend : KernelBackends()) {
    text += (text.empty() ? "\"" : " or \"") + std::string(backend->name) + '"';
  }
  return text;
}

// The fields of a row besides its answer.
struct Row {
  std::string task;
  std::optional<std::string> id;
  const KernelBackend* backend = nullptr;
};

Result<Row> RowOf(std::string_view text) {
  const auto bad = [](const std::string& why) { return Status(ErrorCode::kCorrupt, why); };
  KM_ASSIGN(const Json json, Json::Parse(WithoutByteOrderMark(text)));
  if (!json.is_object()) return bad("it is not a JSON object");
  Row row;
  for (const auto& [name, value] : json.as_object()) {
    if (name == "task" || name == "id" || name == "code" || name == "message") {
      if (!value.is_string()) return bad("\"" + name + "\" must be a string");
    } else if (name == "backend") {
      row.backend = value.is_string() ? FindKernelBackend(value.as_string()) : nullptr;
      if (row.backend == nullptr) {
        return bad("\"backend\" is " + value.Dump() + ", it can be " + QuotedBackends());
      }
    } else {
      return bad("there is no key \"" + name +
                 "\": a line has \"task\", \"code\" or \"message\", \"id\" and \"backend\"");
    }
  }
  if (json.Find("task") == nullptr || !AnswerOf(json)) {
    return bad("it must have \"task\" and \"code\" or \"message\"");
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

struct ListedTask {
  std::shared_ptr<const std::string> reference;
  TaskContract contract;
};

// The task that `task` names.
Result<ListedTask> TaskOf(DatasetReader* reader, const std::string& task,
                          const std::string& dataset) {
  KM_ASSIGN(const Digest content_id, reader->Resolve(task));
  KM_ASSIGN(const std::optional<Record> record, reader->Find(content_id));
  if (!record || record->kind != RecordKind::kTask) {
    return Status(ErrorCode::kNotFound, task + " is no task of " + dataset);
  }
  KM_ASSIGN(Task found, Task::FromJson(record->payload));
  return ListedTask{std::make_shared<const std::string>(std::move(found.code)), found.Contract()};
}

// The digest of the first `size` bytes of a file.
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

Result<std::vector<VerifyItem>> ReadCandidates(const std::string& dataset,
                                               const std::string& path) {
  KM_ASSIGN(DatasetReader reader, DatasetReader::Open(dataset));
  if (fs::is_directory(path)) return Status(ErrorCode::kUsage, path + " is a folder, not a list");
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  std::map<std::string, ListedTask> tasks;  // By the name that the list has for it.
  std::vector<VerifyItem> items;
  std::set<std::string> keys;
  std::int64_t number = 0, at = 0;
  const auto item_of = [&](std::string_view text) -> Result<VerifyItem> {
    KM_ASSIGN(const Row row, RowOf(text));
    ListedTask& task = tasks[row.task];
    if (task.reference == nullptr) {
      KM_ASSIGN(task, TaskOf(&reader, row.task, dataset));
    }
    VerifyItem item;
    item.key = row.id.value_or(std::to_string(number));
    item.task = row.task;
    if (!keys.insert(item.key).second) {
      return Status(ErrorCode::kCorrupt, "the id " + item.key + " occurs twice");
    }
    item.reference = task.reference;
    item.contract = task.contract;
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
      item = VerifyItem{"line " + std::to_string(number),
                        "",
                        nullptr,
                        [path, at]() -> Result<std::optional<std::string>> {
                          KM_ASSIGN(std::string bytes, RowAt(path, at));
                          return std::optional(std::move(bytes));
                        },
                        {},
                        nullptr,
                        path + ":" + std::to_string(number) + ": " + item.status().message()};
      if (rejected++ == 0) first_problem = item->problem;
    }
    items.push_back(std::move(item).value());
  }
  if (rejected == static_cast<std::int64_t>(items.size()) && rejected > 0) {
    return Status(ErrorCode::kCorrupt, first_problem + "; none of its lines is an answer");
  }
  return items;
}

Result<Json> IdentityOfList(const std::string& path) {
  std::error_code error;
  const auto size = static_cast<std::int64_t>(fs::file_size(path, error));
  if (error) return Status(ErrorCode::kIo, path + ": " + error.message());
  KM_ASSIGN(const std::string digest, DigestOfStart(path, size));
  return Json(Json::Object{{"bytes", size}, {"sha256", digest}});
}

bool ContinuesList(const Json& before, const std::string& path) {
  std::error_code error;
  const auto size = static_cast<std::int64_t>(fs::file_size(path, error));
  const std::int64_t size_before = before.IntegerAt("bytes");
  if (error || size < size_before) return false;
  const Result<std::string> start = DigestOfStart(path, size_before);
  return start.ok() && *start == before.TextAt("sha256");
}

}  // namespace kernelmill
