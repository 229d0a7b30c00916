#include "stages/retry/retry_file.h"

#include <utility>
#include <vector>

#include "manifests/commit_file.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr std::string_view kKind = "kernelmill_retry_buffer";
constexpr int kVersion = 1;

Status Corrupt(const std::string& what) { return Status(ErrorCode::kCorrupt, what); }

// The header without the digest.
Json::Object HeaderOf(const RetryGeneration& generation) {
  return {{"kind", kKind},
          {"v", kVersion},
          {"round", generation.round},
          {"previous", generation.previous ? Json(generation.previous->Hex()) : Json()},
          {"options", generation.options.ToJson()},
          {"changes", generation.changes.ToJson()},
          {"entries", static_cast<std::int64_t>(generation.entries.size())},
          {"parked", static_cast<std::int64_t>(generation.parked.size())}};
}

// The lines of the file. Each ends with a line break, the last one too.
Result<std::vector<std::string_view>> LinesOf(std::string_view bytes) {
  if (!bytes.ends_with('\n')) return Corrupt("its last line has no end: it was cut off");
  std::vector<std::string_view> lines;
  for (std::size_t start = 0; start < bytes.size();) {
    const std::size_t end = bytes.find('\n', start);
    lines.push_back(bytes.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

// Reads `count` lines from `*line` on.
template <typename Item>
Status ReadItems(const std::vector<std::string_view>& lines, std::int64_t count, std::size_t* line,
                 std::vector<Item>* items) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string place = "line " + std::to_string(*line + 1);
    const Result<Json> json = Json::Parse(lines[(*line)++]);
    if (!json.ok()) return json.status().Within(place);
    Result<Item> item = Item::FromJson(*json);
    if (!item.ok()) return item.status().Within(place);
    items->push_back(std::move(item).value());
  }
  return Status::Ok();
}

struct Header {
  std::int64_t entries = 0, parked = 0;
};

Result<Header> ReadHeader(std::string_view line, RetryFile* file) {
  const Result<Json> json = Json::Parse(line);
  if (!json.ok() || json->TextAt("kind") != kKind) {
    return Corrupt("it is no retry buffer of kernelmill: its first line has no \"kind\": \"" +
                   std::string(kKind) + '"');
  }
  Header header;
  RetryGeneration& generation = file->generation;
  std::string kind;
  Json previous;
  JsonFields fields(*json, "header");
  fields.Read("kind", &kind);
  fields.Version(kVersion);
  fields.Read("round", &generation.round);
  fields.Read("previous", &previous);
  fields.ReadValue("options", &generation.options, RetryOptions::FromJson);
  fields.ReadValue("changes", &generation.changes, RetryChanges::FromJson);
  fields.Read("entries", &header.entries);
  fields.Read("parked", &header.parked);
  fields.Read("digest", &file->digest);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (!previous.is_null()) {
    if (!previous.is_string()) return Corrupt("header: previous must be a digest");
    KM_ASSIGN(generation.previous, Digest::FromHex(previous.as_string()));
  }
  return header;
}

}  // namespace

std::string EncodeRetryFile(const RetryGeneration& generation, Digest* digest) {
  Json::Object header = HeaderOf(generation);
  std::string lines;
  for (const RetryEntry& entry : generation.entries) lines += entry.ToJson().Dump() + '\n';
  for (const ParkedTask& task : generation.parked) lines += task.ToJson().Dump() + '\n';
  *digest = Sha256().Field(Json(header).Dump()).Field(lines).Finish();
  header["digest"] = digest->Hex();
  return Json(std::move(header)).Dump() + '\n' + lines;
}

namespace {

Result<RetryFile> Decode(std::string_view bytes) {
  RetryFile file;
  const std::string_view first = bytes.substr(0, bytes.find('\n'));
  KM_ASSIGN(const Header header, ReadHeader(first, &file));
  KM_ASSIGN(const std::vector<std::string_view> lines, LinesOf(bytes));
  const auto items = static_cast<std::int64_t>(lines.size()) - 1;
  if (header.entries < 0 || header.entries > items || header.parked != items - header.entries) {
    return Corrupt("its header promises " + std::to_string(header.entries) + " entries and " +
                   std::to_string(header.parked) + " parked tasks, and " + std::to_string(items) +
                   " lines follow");
  }
  std::size_t line = 1;
  KM_RETURN_IF_ERROR(ReadItems(lines, header.entries, &line, &file.generation.entries));
  KM_RETURN_IF_ERROR(ReadItems(lines, header.parked, &line, &file.generation.parked));
  Digest digest;
  const std::string encoded = EncodeRetryFile(file.generation, &digest);
  if (digest != file.digest) return Corrupt("its content does not match its digest");
  if (encoded != bytes) return Corrupt("it is not in the form in which kernelmill writes it");
  KM_RETURN_IF_ERROR(file.generation.Check());
  return file;
}

}  // namespace

Result<RetryFile> DecodeRetryFile(std::string_view bytes) {
  Result<RetryFile> file = Decode(bytes);
  // A digest that is no hexadecimal number is wrong use elsewhere; here it is damage.
  if (!file.ok()) return Corrupt(file.status().message());
  return file;
}

RetryFile RetryFile::First(const RetryOptions& options) {
  RetryFile file;
  file.generation.options = options;
  EncodeRetryFile(file.generation, &file.digest);
  return file;
}

Result<RetryFile> ReadRetryFile(const std::string& path, const std::optional<Digest>& expected) {
  KM_ASSIGN(const std::string bytes, ReadFile(path));
  Result<RetryFile> file = DecodeRetryFile(bytes);
  if (!file.ok()) return file.status().Within(path);
  if (expected && file->digest != *expected) {
    return Status(ErrorCode::kPlanChanged,
                  path + " holds generation " + file->digest.Hex() + " of round " +
                      std::to_string(file->generation.round) + ", and " + expected->Hex() +
                      " is asked for; name the file that the round before has written");
  }
  return file;
}

Result<Digest> WriteRetryFile(const std::string& path, const RetryGeneration& generation) {
  KM_RETURN_IF_ERROR(generation.Check());
  Digest digest;
  const std::string bytes = EncodeRetryFile(generation, &digest);
  const Status status = CommitFile(path, bytes);
  if (status.ok()) return digest;
  if (status.code() != ErrorCode::kExists) return status;
  KM_ASSIGN(const std::string there, ReadFile(path));
  if (there == bytes) return digest;
  return Status(ErrorCode::kPlanChanged,
                path + " holds another generation than round " + std::to_string(generation.round) +
                    " has made; write to another folder, or remove the file to do the round again");
}

}  // namespace kernelmill
