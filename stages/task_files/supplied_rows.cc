#include "stages/task_files/supplied_rows.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>

#include "manifests/commit_file.h"
#include "manifests/json_fields.h"
#include "manifests/ascii.h"
#include "manifests/printable.h"
#include "parsers/byte_order_mark.h"
#include "stages/task_files/line_reader.h"
#include "stages/task_files/parquet_tasks.h"
#include "stages/task_files/workload_tasks.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestPath = 1024;

bool IsBlank(const std::string& text) { return text.find_first_not_of(" \t\r") == text.npos; }

// The text of a cell; an integer is converted to text.
std::optional<std::string> CellOf(const Json& row, std::string_view column) {
  const Json* value = row.Find(column);
  if (value == nullptr) return {};
  if (value->is_string()) return value->as_string();
  if (value->is_int()) return std::to_string(value->as_int());
  return {};
}

// The row's licence as one SPDX expression; empty if it names none. If it names several, all must
// be allowed.
std::string LicenceOf(const Json& row) {
  // Two words without an operator are a malformed expression, which no list of licences satisfies.
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
    // A ")" could close the parenthesis that is added below.
    if (one.find_first_of("()") != std::string::npos) return std::string(kNoExpression) + one;
    joined += joined.empty() ? "" : " AND ";
    joined += one.find(' ') == std::string::npos ? one : "(" + one + ")";
  }
  return joined;
}

// Converts lines, JSON objects and files of a source to rows.
class RowMaker {
 public:
  RowMaker(const TaskSource& source, std::int64_t largest)
      : source_(source), largest_(static_cast<std::size_t>(largest)) {}

  const TaskSource& source() const { return source_; }

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

  SuppliedRow OfLine(const Line& line) const {
    SuppliedRow row = RowAt(line.number);
    const auto refuse = [&](std::string reason, std::string detail) {
      row.reason = std::move(reason);
      row.detail = std::move(detail);
      row.bytes = line.text.substr(0, largest_);
      return std::move(row);
    };
    if (!line.is_whole()) {
      return refuse("too_large", std::to_string(line.size) + " bytes in one line, of which the " +
                                     "first " + std::to_string(largest_) + " are kept");
    }
    if (line.text.find('\0') != std::string::npos) return refuse("binary", "");
    if (!IsUtf8(line.text)) return refuse("not_utf8", "");
    const Result<Json> json = Json::Parse(WithoutByteOrderMark(line.text));
    if (!json.ok()) return refuse("bad_row", json.status().message());
    if (!json->is_object()) return refuse("bad_row", "it is no JSON object");
    return OfJson(*json, &line.text, std::move(row));
  }

  // `line` holds the row's original bytes; null for a format without text lines.
  SuppliedRow OfJson(const Json& json, const std::string* line, SuppliedRow row) const {
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
      return OfReference(reference->as_string(), std::move(row));
    }
    row.reason = "no_reference";
    row.detail = "no text in the column '" + source_.column + "'";
    row.bytes = (line != nullptr ? *line : json.Dump()).substr(0, largest_);
    return row;
  }

  SuppliedRow OfReference(std::string_view reference, SuppliedRow row) const {
    reference = WithoutByteOrderMark(reference);
    row.bytes = reference.substr(0, largest_);
    if (reference.size() > largest_) {
      row.reason = "too_large";
      row.detail = std::to_string(reference.size()) + " bytes, of which the first " +
                   std::to_string(largest_) + " are kept";
    } else if (row.bytes.find('\0') != std::string::npos) {
      row.reason = "binary";
    } else if (!IsUtf8(row.bytes)) {
      row.reason = "not_utf8";
    } else if (IsBlank(row.bytes)) {
      row.reason = "no_reference";
      row.detail = "it is empty";
    }
    return row;
  }

  // The first `largest_` bytes of the file.
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

 private:
  const TaskSource& source_;
  const std::size_t largest_;
};

class LineRows : public SuppliedRows {
 public:
  LineRows(const RowMaker& maker, LineReader lines) : maker_(maker), lines_(std::move(lines)) {}

  Result<std::optional<SuppliedRow>> Next() override {
    for (;;) {
      KM_ASSIGN(const std::optional<Line> line, lines_.Next());
      if (!line) return std::optional<SuppliedRow>();
      if (!line->is_whole() || !IsBlank(line->text)) return std::optional(maker_.OfLine(*line));
    }
  }

 private:
  RowMaker maker_;
  LineReader lines_;
};

class ParquetFileRows : public SuppliedRows {
 public:
  explicit ParquetFileRows(const RowMaker& maker)
      : maker_(maker),
        rows_(maker.source().path,
              {std::begin(kLicenceColumns), std::end(kLicenceColumns)}) {}

  Result<std::optional<SuppliedRow>> Next() override {
    if (lost_) return std::optional<SuppliedRow>();
    Result<std::optional<Json>> json = rows_.Next();
    if (json.ok() && !*json) return std::optional<SuppliedRow>();
    SuppliedRow row = maker_.RowAt(++number_);
    if (json.ok()) return std::optional(maker_.OfJson(**json, nullptr, std::move(row)));
    if (json.status().code() != ErrorCode::kCorrupt) return json.status();
    // The rest of the rows is lost; the beginning of the file is quarantined in their place.
    lost_ = true;
    row.reason = "bad_row";
    row.detail = "this row and what follows cannot be read: " + json.status().message();
    KM_ASSIGN(row.bytes, maker_.Head(maker_.source().path));
    return std::optional(std::move(row));
  }

 private:
  RowMaker maker_;
  ParquetRows rows_;
  std::int64_t number_ = 0;
  bool lost_ = false;
};

class FolderRows : public SuppliedRows {
 public:
  FolderRows(const RowMaker& maker, std::vector<std::string> files)
      : maker_(maker), files_(std::move(files)) {}

  Result<std::optional<SuppliedRow>> Next() override {
    while (rows_.empty()) {
      if (next_ == files_.size()) return std::optional<SuppliedRow>();
      KM_RETURN_IF_ERROR(ReadNextFile());
    }
    SuppliedRow row = std::move(rows_.front());
    rows_.pop_front();
    return std::optional(std::move(row));
  }

 private:
  Status ReadNextFile() {
    const TaskSource& source = maker_.source();
    const std::string& file = files_[next_++];
    const std::string path = fs::path(source.path) / file;
    SuppliedRow row;
    row.origin.url = source.url;
    row.origin.path = Printable(file);
    row.licence = source.licence;
    row.name = fs::path(row.origin.path).stem().string();
    KM_ASSIGN(const Digest digest, DigestOfFile(path));
    row.origin.sha256 = digest.Hex();
    KM_ASSIGN(std::string text, maker_.Head(path));
    std::error_code error;
    if (PrintableLine(file, kLongestPath) != file) row.reason = "bad_path";
    if (fs::file_size(path, error) > text.size()) {
      row.reason = "too_large";
      row.detail = "its first " + std::to_string(text.size()) + " bytes are kept";
    }
    if (row.reason.empty() && !InputsBeside(path).empty()) {
      AddWorkloads(path, text, row);
    } else if (row.reason.empty()) {
      rows_.push_back(maker_.OfReference(text, std::move(row)));
    } else {
      row.bytes = std::move(text);
      rows_.push_back(std::move(row));
    }
    return Status::Ok();
  }

  // A row for each set of inputs; `row` holds what they have in common.
  void AddWorkloads(const std::string& path, const std::string& text, SuppliedRow row) {
    const Result<std::vector<WorkloadTask>> tasks = WorkloadTasks(path);
    const auto refuse = [&](const std::string& detail, const std::string& bytes) {
      row.reason = "bad_row";
      row.detail = detail;
      row.bytes = bytes;
      rows_.push_back(row);
      row.reason = row.detail = "";
    };
    if (!tasks.ok()) return refuse(LocalMessage(tasks.status().message()), text);
    const std::string name = fs::path(path).filename() == kDefinitionName
                                 ? fs::path(path).parent_path().filename().string()
                                 : row.name;
    for (const WorkloadTask& task : *tasks) {
      row.name = Printable(name) + ":" + std::to_string(++row.origin.row);
      if (task.code.empty()) {
        refuse(task.problem, task.inputs);
      } else {
        rows_.push_back(maker_.OfReference(task.code, row));
      }
    }
  }

  // The message without the folder, whose path is this machine's.
  std::string LocalMessage(std::string message) const {
    std::string folder = maker_.source().path;
    while (folder.ends_with('/')) folder.pop_back();
    folder += '/';
    for (auto at = message.find(folder); at != message.npos; at = message.find(folder, at)) {
      message.erase(at, folder.size());
    }
    return message;
  }

  RowMaker maker_;
  std::vector<std::string> files_;
  std::size_t next_ = 0;
  std::deque<SuppliedRow> rows_;  // Of the files read so far.
};

}  // namespace

// The header is one line, because canonical JSON contains no line break; the bytes follow.
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

Result<std::unique_ptr<SuppliedRows>> SuppliedRows::Open(const TaskSource& source,
                                                         std::int64_t largest) {
  const RowMaker maker(source, largest);
  std::unique_ptr<SuppliedRows> rows;
  if (source.format == TaskFormat::kJsonLines) {
    KM_ASSIGN(LineReader lines, LineReader::Open(source.path));
    rows = std::make_unique<LineRows>(maker, std::move(lines));
  } else if (source.format == TaskFormat::kParquet) {
    rows = std::make_unique<ParquetFileRows>(maker);
  } else {
    KM_ASSIGN(std::vector<std::string> files, TaskFilesIn(source.path));
    rows = std::make_unique<FolderRows>(maker, std::move(files));
  }
  return rows;
}

Status ForEachRow(const TaskSource& source, std::int64_t largest, const VisitRow& visit) {
  KM_ASSIGN(const std::unique_ptr<SuppliedRows> rows, SuppliedRows::Open(source, largest));
  for (;;) {
    KM_ASSIGN(std::optional<SuppliedRow> row, rows->Next());
    if (!row) return Status::Ok();
    KM_RETURN_IF_ERROR(visit(*std::move(row)));
  }
}

Result<std::vector<std::string>> JsonColumns(const std::string& path,
                                             const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  KM_ASSIGN(LineReader lines, LineReader::Open(path));
  for (bool found = false; !found;) {
    KM_ASSIGN(const std::optional<Line> line, lines.Next());
    if (!line) break;
    const Result<Json> row = Json::Parse(WithoutByteOrderMark(line->text));
    if (!row.ok() || !row->is_object()) continue;
    for (const auto& [name, value] : row->as_object()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      found |= std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    }
  }
  return names;
}

Result<std::vector<std::string>> TaskFilesIn(const std::string& folder) {
  std::vector<std::string> files, definitions;
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
      } else if (entry->is_regular_file(unknown) &&
                 (name == kDefinitionName || name.ends_with(".py"))) {
        std::vector<std::string>& list = name == kDefinitionName ? definitions : files;
        list.push_back(entry->path().lexically_relative(folder).generic_string());
      }
    }
    if (error) {
      return Status(ErrorCode::kIo,
                    "cannot read the folder " + here.string() + ": " + error.message());
    }
  }
  if (!definitions.empty()) files = std::move(definitions);
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace kernelmill
