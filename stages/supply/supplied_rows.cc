#include "stages/supply/supplied_rows.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "manifests/commit_file.h"
#include "manifests/json_fields.h"
#include "manifests/letter_case.h"
#include "manifests/printable.h"
#include "stages/supply/parquet_tasks.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// A line may hold much beside its reference.
constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr std::size_t kLongestPath = 1024;

struct Line {
  std::string text;       // No more than kLongestLine bytes of it, without the line feed.
  std::int64_t size = 0;  // All of it.
};

// Calls visit(line, number) for every line until it says false.
template <typename Visit>
Status ForEachLine(const std::string& path, const Visit& visit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot read", path);
  std::string block(std::size_t{1} << 18, '\0');
  Line line;
  std::int64_t number = 1;
  bool more = true;
  const auto add = [&](std::string_view piece) {
    line.size += static_cast<std::int64_t>(piece.size());
    line.text.append(piece.substr(0, kLongestLine - line.text.size()));
  };
  while (more && file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    std::string_view rest(block.data(), static_cast<std::size_t>(file.gcount()));
    if (file.bad()) return Status::FromErrno("cannot read", path);
    while (more && !rest.empty()) {
      const std::size_t end = rest.find('\n');
      add(rest.substr(0, end));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
      KM_ASSIGN(more, visit(line, number++));
      line = Line();
    }
  }
  if (more && line.size > 0) return visit(line, number).status();
  return Status::Ok();
}

bool IsBlank(const std::string& text) { return text.find_first_not_of(" \t\r") == text.npos; }

// Text, or an integer as text.
std::optional<std::string> CellOf(const Json& row, std::string_view column) {
  const Json* value = row.Find(column);
  if (value == nullptr) return {};
  if (value->is_string()) return value->as_string();
  if (value->is_int()) return std::to_string(value->as_int());
  return {};
}

// The row's licence as one SPDX expression; empty where it names none. All that it names have to be
// allowed.
std::string LicenceOf(const Json& row) {
  // Two words without an operator: no list meets that, whatever follows.
  constexpr std::string_view kNoExpression = "no SPDX: ";
  std::vector<std::string> all;
  const auto add = [&](const Json& value) {
    if (!value.is_string()) return false;
    const std::string& one = value.as_string();
    const auto same = [&](const std::string& other) { return SameInAnyCase(one, other); };
    if (!one.empty() && std::none_of(all.begin(), all.end(), same)) all.push_back(one);
    return true;
  };
  for (const std::string_view column : kLicenceColumns) {
    const Json* value = row.Find(column);
    if (value == nullptr || value->is_null()) continue;
    const bool read = value->is_array()
                          ? std::all_of(value->as_array().begin(), value->as_array().end(), add)
                          : add(*value);
    if (!read) return std::string(kNoExpression) + value->Dump();
  }
  if (all.size() == 1) return all[0];
  std::string joined;
  for (const std::string& one : all) {
    // A ")" could close what is opened here.
    if (one.find_first_of("()") != std::string::npos) return std::string(kNoExpression) + one;
    joined += joined.empty() ? "" : " AND ";
    joined += one.find(' ') == std::string::npos ? one : "(" + one + ")";
  }
  return joined;
}

class Rows {
 public:
  Rows(const TaskSource& source, std::int64_t largest, const VisitRow& visit)
      : source_(source), largest_(static_cast<std::size_t>(largest)), visit_(visit) {}

  Status ReadLines() {
    return ForEachLine(source_.path, [&](Line& line, std::int64_t number) -> Result<bool> {
      if (static_cast<std::size_t>(line.size) == line.text.size() && IsBlank(line.text))
        return true;
      KM_RETURN_IF_ERROR(ReadLine(&line, number));
      return true;
    });
  }

  Status ReadParquet() {
    const std::vector<std::string> lists(std::begin(kLicenceColumns), std::end(kLicenceColumns));
    std::int64_t number = 0;
    Status stopped;  // By the visitor.
    const Status read = ForEachParquetRow(source_.path, lists, [&](const Json& row) -> Status {
      stopped = ReadRow(row, nullptr, RowAt(++number));
      return stopped;
    });
    if (read.ok() || !stopped.ok()) return stopped;
    if (read.code() != ErrorCode::kCorrupt) return read;
    // Its bytes, as far as they are kept, stand for the rows that are lost.
    SuppliedRow row = RowAt(number + 1);
    KM_ASSIGN(std::string head, Head(source_.path));
    row.reason = "bad_row";
    row.detail = "this row and what follows cannot be read: " + read.message();
    row.bytes = std::move(head);
    return visit_(std::move(row));
  }

  Status ReadFolder() {
    KM_ASSIGN(const std::vector<std::string> files, TaskFilesIn(source_.path));
    for (const std::string& file : files) {
      const std::string path = source_.path + "/" + file;
      SuppliedRow row;
      row.origin.url = source_.url;
      row.origin.path = Printable(file);
      row.licence = source_.licence;
      row.name = fs::path(row.origin.path).stem().string();
      KM_ASSIGN(const Digest digest, DigestOfFile(path));
      row.origin.sha256 = digest.Hex();
      KM_ASSIGN(std::string text, Head(path));
      std::error_code error;
      if (PrintableLine(file, kLongestPath) != file) row.reason = "bad_path";
      if (fs::file_size(path, error) > text.size()) {
        row.reason = "too_large";
        row.detail = "its first " + std::to_string(text.size()) + " bytes are kept";
      }
      if (row.reason.empty()) {
        KM_RETURN_IF_ERROR(Finish(text, "", std::move(row)));
      } else {
        row.bytes = std::move(text);
        KM_RETURN_IF_ERROR(visit_(std::move(row)));
      }
    }
    return Status::Ok();
  }

 private:
  SuppliedRow RowAt(std::int64_t number) const {
    SuppliedRow row;
    row.origin.url = source_.url;
    row.origin.path = source_.name;
    row.origin.sha256 = source_.sha256;
    row.origin.row = number;
    row.licence = source_.licence;
    row.name = fs::path(source_.name).stem().string() + ":" + std::to_string(number);
    return row;
  }

  Status ReadLine(Line* line, std::int64_t number) {
    SuppliedRow row = RowAt(number);
    const auto refuse = [&](std::string reason, std::string detail) {
      row.reason = std::move(reason);
      row.detail = std::move(detail);
      row.bytes = line->text.substr(0, largest_);
      return visit_(std::move(row));
    };
    if (static_cast<std::size_t>(line->size) > line->text.size()) {
      return refuse("too_large", std::to_string(line->size) + " bytes in one line, of which the " +
                                     "first " + std::to_string(largest_) + " are kept");
    }
    if (line->text.find('\0') != std::string::npos) return refuse("binary", "");
    if (!IsUtf8(line->text)) return refuse("not_utf8", "");
    const Result<Json> json = Json::Parse(line->text);
    if (!json.ok()) return refuse("bad_row", json.status().message());
    if (!json->is_object()) return refuse("bad_row", "it is no JSON object");
    return ReadRow(*json, &line->text, std::move(row));
  }

  // `line`: the row's own bytes, where it has any.
  Status ReadRow(const Json& json, const std::string* line, SuppliedRow row) {
    for (const std::string_view column : kNameColumns) {
      const std::optional<std::string> cell = CellOf(json, column);
      if (!cell) continue;
      if (!cell->empty()) row.name = *cell;
      break;
    }
    std::string licence = LicenceOf(json);
    if (!licence.empty()) row.licence = std::move(licence);
    const Json* reference = json.Find(source_.column);
    if (reference != nullptr && reference->is_string()) {
      return Finish(reference->as_string(), "", std::move(row));
    }
    return Finish(std::nullopt, line != nullptr ? *line : json.Dump(), std::move(row));
  }

  // `whole`: what is kept where there is no reference.
  Status Finish(const std::optional<std::string>& reference, const std::string& whole,
                SuppliedRow row) {
    if (!reference) {
      row.reason = "no_reference";
      row.detail = "no text in the column '" + source_.column + "'";
      row.bytes = whole.substr(0, largest_);
      return visit_(std::move(row));
    }
    row.bytes = reference->substr(0, largest_);
    if (reference->size() > largest_) {
      row.reason = "too_large";
      row.detail = std::to_string(reference->size()) + " bytes, of which the first " +
                   std::to_string(largest_) + " are kept";
    } else if (row.bytes.find('\0') != std::string::npos) {
      row.reason = "binary";
    } else if (!IsUtf8(row.bytes)) {
      row.reason = "not_utf8";
    } else if (IsBlank(row.bytes)) {
      row.reason = "no_reference";
      row.detail = "it is empty";
    }
    return visit_(std::move(row));
  }

  // The file, as far as it is kept.
  Result<std::string> Head(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    std::string text(largest_, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad() || (file.gcount() == 0 && !file.eof())) {
      return Status::FromErrno("cannot read", path);
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
  }

  const TaskSource& source_;
  const std::size_t largest_;
  const VisitRow& visit_;
};

}  // namespace

// The header's line, then the bytes. Canonical JSON holds no line break.
std::string SuppliedRow::Encode() const {
  return Json(Json::Object{{"origin", origin.ToJson()},
                           {"name", Printable(name)},
                           {"licence", Printable(licence)},
                           {"reason", reason},
                           {"detail", Printable(detail)}})
             .Dump() +
         '\n' + bytes;
}

Result<SuppliedRow> SuppliedRow::Decode(std::string_view body) {
  const std::size_t end = body.find('\n');
  if (end == std::string_view::npos) {
    return Status(ErrorCode::kCorrupt, "supplied row: its header does not end");
  }
  KM_ASSIGN(const Json json, Json::Parse(body.substr(0, end)));
  SuppliedRow row;
  JsonFields fields(json, "supplied row");
  fields.ReadValue("origin", &row.origin, Origin::FromJson);
  fields.Read("name", &row.name);
  fields.Read("licence", &row.licence);
  fields.Read("reason", &row.reason);
  fields.Read("detail", &row.detail);
  KM_RETURN_IF_ERROR(fields.Finish());
  row.bytes = body.substr(end + 1);
  return row;
}

Status ForEachRow(const TaskSource& source, std::int64_t largest, const VisitRow& visit) {
  Rows rows(source, largest, visit);
  switch (source.format) {
    case TaskFormat::kJsonLines:
      return rows.ReadLines();
    case TaskFormat::kParquet:
      return rows.ReadParquet();
    case TaskFormat::kFolder:
      return rows.ReadFolder();
  }
  return Status::Ok();
}

Result<std::vector<std::string>> JsonColumns(const std::string& path,
                                             const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  KM_RETURN_IF_ERROR(ForEachLine(path, [&](const Line& line, std::int64_t) -> Result<bool> {
    const Result<Json> row = Json::Parse(line.text);
    if (!row.ok() || !row->is_object()) return true;
    bool found = false;
    for (const auto& [name, value] : row->as_object()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      found |= std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    }
    return !found;
  }));
  return names;
}

Result<std::vector<std::string>> TaskFilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::vector<fs::path> left = {folder};
  while (!left.empty()) {
    const fs::path here = std::move(left.back());
    left.pop_back();
    std::error_code error, unknown;
    fs::directory_iterator entry(here, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().filename();
      if (entry->is_symlink(unknown)) continue;
      if (entry->is_directory(unknown)) {
        if (!name.starts_with('.')) left.push_back(entry->path());
      } else if (entry->is_regular_file(unknown) && name.ends_with(".py")) {
        files.push_back(entry->path().lexically_relative(folder).generic_string());
      }
    }
    if (error) {
      return Status(ErrorCode::kIo,
                    "cannot read the folder " + here.string() + ": " + error.message());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace kernelmill
