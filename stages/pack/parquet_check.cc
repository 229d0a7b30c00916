#include <arrow/array.h>
#include <arrow/memory_pool.h>
#include <arrow/table.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "corpora/dataset/dataset_layout.h"
#include "stages/pack/parquet_cells.h"
#include "stages/pack/parquet_export.h"
#include "stages/pack/parquet_row.h"
#include "stages/pack/row_alignment.h"

namespace kernelmill {
namespace {

Status FromArrow(const arrow::Status& status) {
  return status.ok() ? Status::Ok() : Status(ErrorCode::kCorrupt, status.message());
}

// Reads the rows of one file, group by group.
class File {
 public:
  static Result<std::unique_ptr<File>> Open(const std::string& path) {
    std::unique_ptr<File> file(new File);
    try {
      KM_RETURN_IF_ERROR(FromArrow(file->OpenReader(path)));
    } catch (const std::exception& error) {
      return Status(ErrorCode::kCorrupt, error.what());
    }
    return file;
  }

  int groups() const { return reader_->num_row_groups(); }
  // The number of rows that the file declares; never negative, but possibly wrong.
  std::int64_t RowsOfGroup(int group) const {
    const std::int64_t rows = reader_->parquet_reader()->metadata()->RowGroup(group)->num_rows();
    return std::max<std::int64_t>(rows, 0);
  }

  Status ReadGroup(int group) {
    try {
      batch_.reset();
      return FromArrow(Read(group));
    } catch (const std::exception& error) {
      return Status(ErrorCode::kCorrupt, error.what());
    }
  }

  // A row of the current group; nothing if one of its values is null.
  std::optional<Json> RowOfGroup(std::int64_t row) const {
    Json::Object columns;
    const std::vector<ParquetField>& fields = ParquetRowFields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      std::optional<Json> value = JsonAt(fields[i], *batch_->column(static_cast<int>(i)), row);
      if (!value) return {};
      columns[fields[i].name] = *std::move(value);
    }
    return columns;
  }

 private:
  File() = default;

  arrow::Status OpenReader(const std::string& path) {
    parquet::ReaderProperties properties(arrow::system_memory_pool());
    properties.set_page_checksum_verification(true);
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.OpenFile(path, /*memory_map=*/false, properties));
    builder.memory_pool(arrow::system_memory_pool());
    ARROW_ASSIGN_OR_RAISE(reader_, builder.Build());
    std::shared_ptr<arrow::Schema> schema;
    ARROW_RETURN_NOT_OK(reader_->GetSchema(&schema));
    if (schema->Equals(*SchemaOf(ParquetRowFields()), /*check_metadata=*/false))
      return arrow::Status::OK();
    return arrow::Status::Invalid("its columns are not those of an export: ", schema->ToString());
  }

  arrow::Status Read(int group) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Table> table, reader_->ReadRowGroup(group));
    ARROW_ASSIGN_OR_RAISE(batch_, table->CombineChunksToBatch(arrow::system_memory_pool()));
    ARROW_RETURN_NOT_OK(batch_->Validate());
    if (batch_->num_rows() == RowsOfGroup(group)) return arrow::Status::OK();
    return arrow::Status::Invalid("it has ", batch_->num_rows(), " rows");
  }

  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::shared_ptr<arrow::RecordBatch> batch_;
};

// Compares the files of a split row by row.
class SplitCheck {
 public:
  SplitCheck(std::string dataset, std::string split, std::size_t files, ExportCheck::Report report)
      : dataset_(std::move(dataset)),
        split_(std::move(split)),
        files_(files),
        report_(std::move(report)),
        alignment_([this](std::int64_t row, const std::string& what) {
          report_(Path(), row, what);
        }) {}
  // The alignment refers to this object.
  SplitCheck(const SplitCheck&) = delete;
  SplitCheck& operator=(const SplitCheck&) = delete;

  void Add(const Row& row) {
    const Json expected = ParquetRowOf(row);
    alignment_.Add(
        row.content_id, [&] { return Peek(&expected); }, [] {});
  }

  void Finish() {
    alignment_.Finish([&] { return Peek(nullptr); }, [] {});
  }

 private:
  std::string Path() const {
    return ParquetPath(split_, number_, std::max<std::size_t>(files_, 1));
  }

  // `expected`: the values of the row that should come next; null if none should.
  std::optional<RowAlignment::Found> Peek(const Json* expected) {
    if (!FindNext()) return {};
    if (!group_is_read_) return RowAlignment::Found{.unreadable = true};
    RowAlignment::Found found;
    const std::optional<Json> row = file_->RowOfGroup(alignment_.row() - group_start_);
    if (!row) return found;
    found.equal = expected != nullptr && *row == *expected;
    found.content_id = RowAlignment::IdOf(*row);
    return found;
  }

  // Moves to the next row that exists, in this file or a following one. Returns false if there is
  // none or if it cannot be read; in the latter case the file is reported and the comparison ends.
  bool FindNext() {
    for (;;) {
      if (!file_ && !OpenFile()) return false;
      if (group_ >= 0 && alignment_.row() < group_start_ + file_->RowsOfGroup(group_)) return true;
      if (group_ + 1 < file_->groups()) {
        BeginGroup();
      } else if (number_ + 1 < files_) {
        ++number_;
        file_.reset();
      } else {
        return false;
      }
    }
  }

  bool OpenFile() {
    if (number_ >= files_) return false;
    Result<std::unique_ptr<File>> opened = File::Open(dataset_ + "/" + Path());
    if (!opened.ok()) {
      // The number of its rows is unknown, so it is also unknown with which row the next file
      // should start.
      alignment_.Lose(-1, "it cannot be read: " + opened.status().message());
      return false;
    }
    file_ = std::move(opened).value();
    group_ = -1;
    group_start_ = 0;
    alignment_.BeginFile();
    return true;
  }

  void BeginGroup() {
    ++group_;
    group_start_ = alignment_.row();
    const Status status = file_->ReadGroup(group_);
    group_is_read_ = status.ok();
    if (status.ok()) return;
    const std::int64_t last = group_start_ + std::max<std::int64_t>(file_->RowsOfGroup(group_), 1) - 1;
    report_(Path(), group_start_,
            "this row and those up to row " + std::to_string(last) +
                ", which are stored as one group, cannot be read: " + status.message());
  }

  std::string dataset_, split_;
  std::size_t files_;
  ExportCheck::Report report_;
  std::size_t number_ = 0;      // The number of the current file.
  std::unique_ptr<File> file_;  // Null before a file is opened.
  int group_ = -1;              // The current row group.
  bool group_is_read_ = false;
  std::int64_t group_start_ = 0;  // The first row of the group, in the file.
  RowAlignment alignment_;
};

class ParquetCheck : public ExportCheck {
 public:
  explicit ParquetCheck(std::map<std::string, SplitCheck> splits) : splits_(std::move(splits)) {}

  void Add(const Row& row) override { splits_.at(row.attributes.split).Add(row); }
  void Finish() override {
    for (auto& [name, split] : splits_) split.Finish();
  }

 private:
  std::map<std::string, SplitCheck> splits_;
};

// The number of files of a split, which is part of each of their names; 0 if there are none.
std::size_t CountFiles(const std::string& split, const std::vector<std::string>& files) {
  std::size_t count = 0;
  for (const std::string& file : files) {
    const std::size_t of = file.rfind("-of-");
    if (!file.starts_with(std::string(kDataFolder) + "/" + split + "-") ||
        !file.ends_with(".parquet") || of == std::string::npos) {
      continue;
    }
    std::size_t number = 0;
    std::from_chars(file.data() + of + 4, file.data() + file.size(), number);
    count = std::max(count, number);
  }
  return count;
}

}  // namespace

std::unique_ptr<ExportCheck> CheckParquetExport(const std::string& dataset,
                                                const std::vector<std::string>& files,
                                                const ExportCheck::Report& report) {
  std::map<std::string, SplitCheck> splits;
  std::size_t all = 0;
  for (const std::string& split : AllSplits()) {
    const std::size_t count = CountFiles(split, files);
    splits.try_emplace(split, dataset, split, count, report);
    all += count;
  }
  if (all == 0) return nullptr;
  return std::make_unique<ParquetCheck>(std::move(splits));
}

}  // namespace kernelmill
