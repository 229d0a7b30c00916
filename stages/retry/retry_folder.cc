#include "stages/retry/retry_folder.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "corpora/records/annotation.h"
#include "corpora/records/sample.h"
#include "generators/wording/number_format.h"
#include "manifests/commit_file.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr std::string_view kKind = "kernelmill_retry_round";
constexpr int kVersion = 1;
constexpr char kBuffer[] = "buffer.jsonl", kRecords[] = "records.jsonl",
               kPrompts[] = "prompts.jsonl", kItems[] = "items.jsonl";

std::string RecordLine(const std::pair<const Digest, Record>& item) { return item.second.Encode(); }

template <typename Items, typename LineOf>
std::string LinesOf(const Items& items, LineOf line_of) {
  std::string text;
  for (const auto& item : items) text += line_of(item) + "\n";
  return text;
}

// Calls `take` with each line of a file that LinesOf() wrote.
template <typename Take>
Status ForEachLine(const std::string& path, const std::string& text, Take take) {
  std::int64_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const Status status = take(std::string_view(text).substr(start, end - start));
    if (!status.ok()) return status.Within(path + ":" + std::to_string(++number));
    ++number;
    start = end + 1;
  }
  return Status::Ok();
}

Status Corrupt(const std::string& what) { return Status(ErrorCode::kCorrupt, what); }

// The file, which must be the one that round.json names.
Result<std::string> ReadListed(const std::string& folder, const Json& files,
                               const std::string& name) {
  const std::string path = folder + "/" + name;
  KM_ASSIGN(std::string text, ReadFile(path));
  const std::string listed = files.TextAt(name), found = DigestOf(text).Hex();
  if (listed == found) return text;
  return Corrupt(path + ": its SHA-256 is " + found + ", but " + std::string(kRetryRoundName) +
                 " says " + (listed.empty() ? "nothing of it" : listed) +
                 "; it was changed after its round had written it");
}

// What the parts must have of each other.
Status CheckParts(const RetryFolder& retry) {
  std::map<RetryKey, const RetryEntry*> entries;
  for (const RetryEntry& entry : retry.file.generation.entries) {
    entries[entry.key] = &entry;
    const std::string name = entry.key.Name();
    if (!retry.records.contains(entry.key.task) || !retry.AnnotationOf(entry.key.task)) {
      return Corrupt(name + ": " + kRecords + " has no task with its annotation");
    }
    if (!retry.records.contains(entry.Sample())) {
      return Corrupt(name + ": " + kRecords + " has no sample " + entry.Sample().Hex());
    }
  }
  std::set<RetryKey> asked;
  const std::string tag = RetryName(retry.file.digest);
  for (const RepairRequest& request : retry.requests) {
    const auto entry = entries.find(request.key);
    if (entry == entries.end() || entry->second->Sample() != request.sample ||
        request.retry != tag || !asked.insert(request.key).second) {
      return Corrupt(std::string(kPrompts) + ": " + request.Name().Text() + " is not drawn from " +
                     kBuffer);
    }
  }
  std::set<RetryKey> kept, seen;
  for (const RetryItem& item : retry.items) {
    if (!seen.insert(item.key).second) return Corrupt(item.key.Name() + " is an item twice");
    if (item.fate == RetryFate::kKept) kept.insert(item.key);
  }
  for (const auto& [key, entry] : entries) {
    if (kept.erase(key) == 0) return Corrupt(key.Name() + " is an entry and no kept item");
  }
  return kept.empty() ? Status::Ok() : Corrupt(kept.begin()->Name() + " is kept and no entry");
}

Result<RetryFolder> Read(const std::string& folder) {
  const std::string path = folder + "/" + std::string(kRetryRoundName);
  KM_ASSIGN(const std::string text, ReadFile(path));
  RetryFolder retry;
  retry.digest = DigestOf(text);
  const Result<Json> json = Json::Parse(text);
  if (!json.ok() || json->TextAt("kind") != kKind) {
    return Corrupt(path + ": it is no round of a retry buffer");
  }
  std::string kind;
  Json previous, items, files;
  std::int64_t round = 0, requests = 0;
  JsonFields fields(*json, path);
  fields.Read("kind", &kind);
  fields.Version(kVersion);
  fields.Read("round", &round);
  fields.Read("previous", &previous);
  fields.Read("slots", &retry.slots);
  fields.Read("requests", &requests);
  fields.Read("entries", &requests);
  fields.Read("parked", &requests);
  fields.Read("items", &items);
  fields.Read("files", &files);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (previous.is_string()) {
    KM_ASSIGN(retry.previous, Digest::FromHex(previous.as_string()));
  }
  KM_ASSIGN(const std::string buffer, ReadListed(folder, files, kBuffer));
  Result<RetryFile> file = DecodeRetryFile(buffer);
  if (!file.ok()) return file.status().Within(folder + "/" + kBuffer);
  retry.file = std::move(file).value();
  KM_ASSIGN(const std::string records, ReadListed(folder, files, kRecords));
  KM_RETURN_IF_ERROR(ForEachLine(kRecords, records, [&](std::string_view line) -> Status {
    KM_ASSIGN(Record record, Record::Decode(line));
    const Digest id = record.ContentId();
    retry.records.emplace(id, std::move(record));
    return Status::Ok();
  }));
  KM_ASSIGN(const std::string prompts, ReadListed(folder, files, kPrompts));
  KM_RETURN_IF_ERROR(ForEachLine(kPrompts, prompts, [&](std::string_view line) -> Status {
    KM_ASSIGN(const Json request, Json::Parse(line));
    KM_ASSIGN(retry.requests.emplace_back(), RepairRequest::FromJson(request));
    return Status::Ok();
  }));
  KM_ASSIGN(const std::string lines, ReadListed(folder, files, kItems));
  KM_RETURN_IF_ERROR(ForEachLine(kItems, lines, [&](std::string_view line) -> Status {
    KM_ASSIGN(const Json item, Json::Parse(line));
    KM_ASSIGN(retry.items.emplace_back(), RetryItem::FromJson(item));
    return Status::Ok();
  }));
  KM_RETURN_IF_ERROR(CheckParts(retry));
  Json said = *json;
  said.as_object().erase("files");
  if (said != retry.Summary()) return Corrupt(path + ": it does not fit the files beside it");
  return retry;
}

}  // namespace

const std::vector<std::string_view>& RetryFolderFiles() {
  static const std::vector<std::string_view> kFiles = {kBuffer, kItems, kPrompts, kRecords,
                                                       kRetryRoundName};
  return kFiles;
}

const Record* RetryFolder::AnnotationOf(const Digest& task) const {
  for (const auto& [id, record] : records) {
    if (record.kind == RecordKind::kAnnotation && record.payload.TextAt("task") == task.Hex()) {
      return &record;
    }
  }
  return nullptr;
}

std::vector<const Record*> RetryFolder::ShownWith(const Digest& sample) const {
  std::vector<const Record*> shown;
  for (auto at = records.find(sample); at != records.end();) {
    shown.insert(shown.begin(), &at->second);
    const Result<Sample> read = Sample::FromJson(at->second.payload);
    if (!read.ok() || !read->repairs) break;
    at = records.find(*read->repairs);
  }
  return shown;
}

const RepairRequest* RetryFolder::RequestFor(const RetryKey& key) const {
  const auto found = std::find_if(requests.begin(), requests.end(),
                                  [&](const RepairRequest& one) { return one.key == key; });
  return found == requests.end() ? nullptr : &*found;
}

Json RetryFolder::Summary() const {
  const RetryGeneration& generation = file.generation;
  return Json::Object{{"kind", kKind},
                      {"v", kVersion},
                      {"round", generation.round},
                      {"previous", previous ? Json(previous->Hex()) : Json()},
                      {"slots", slots},
                      {"requests", static_cast<std::int64_t>(requests.size())},
                      {"entries", static_cast<std::int64_t>(generation.entries.size())},
                      {"parked", static_cast<std::int64_t>(generation.parked.size())},
                      {"items", CountsOf(items)}};
}

std::string RetryText(const Json& summary) {
  const std::int64_t entries = summary.IntegerAt("entries"), parked = summary.IntegerAt("parked"),
                     requests = summary.IntegerAt("requests"), round = summary.IntegerAt("round");
  return "after round " + std::to_string(round) + ": " + Counted(entries, "task") +
         " in the retry buffer, " + Grouped(parked) + " parked, " +
         Counted(requests, "repair prompt") + " for round " + std::to_string(round + 1);
}

Status WriteRetryFolder(const std::string& folder, RetryFolder* retry) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  const std::string path = folder + "/";
  KM_ASSIGN(retry->file.digest, WriteRetryFile(path + kBuffer, retry->file.generation));
  const auto as_json = [](const auto& item) { return item.ToJson().Dump(); };
  const std::map<std::string, std::string> texts = {
      {kRecords, LinesOf(retry->records, RecordLine)},
      {kPrompts, LinesOf(retry->requests, as_json)},
      {kItems, LinesOf(retry->items, as_json)}};
  Json files = Json::Object();
  KM_ASSIGN(const Digest buffer, DigestOfFile(path + kBuffer));
  files[kBuffer] = buffer.Hex();
  for (const auto& [name, text] : texts) {
    KM_RETURN_IF_ERROR(CommitFile(path + name, text));
    files[name] = DigestOf(text).Hex();
  }
  Json round = retry->Summary();
  round["files"] = std::move(files);
  const std::string text = round.Pretty();
  retry->digest = DigestOf(text);
  return CommitFile(path + std::string(kRetryRoundName), text);
}

Result<RetryFolder> ReadRetryFolder(const std::string& folder) {
  Result<RetryFolder> retry = Read(folder);
  const ErrorCode code = retry.status().code();
  if (retry.ok() || code == ErrorCode::kNotFound) return retry;
  // A digest that is no hexadecimal number is wrong use elsewhere; here it is damage.
  const std::string& message = retry.status().message();
  return Corrupt(message.starts_with(folder) ? message : folder + ": " + message);
}

}  // namespace kernelmill
