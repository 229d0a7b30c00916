#include "stages/pack/parquet_export.h"

#include <arrow/builder.h>
#include <arrow/io/interfaces.h>
#include <arrow/table.h>
#include <arrow/table_builder.h>
#include <parquet/arrow/writer.h>

#include <map>
#include <optional>

#include "corpora/dataset/dataset_layout.h"
#include "manifests/commit_file.h"
#include "manifests/file_writer.h"
#include "stages/pack/parquet_row.h"

namespace kernelmill {
namespace {

// Limits of a row group. A whole group is held in memory, here and by every reader of one of its
// rows. The number of rows is that of the `datasets` library; the limit on bytes is for long rows.
constexpr std::int64_t kRowsPerGroup = 1000;
constexpr std::size_t kBytesPerGroup = std::size_t{64} << 20;
constexpr int kZstdLevel = 9;  // High, because files are written once and read in every epoch.

// Lets Arrow write to a FileWriter, and keeps the FileWriter's error, which is more informative.
class Sink : public arrow::io::OutputStream {
 public:
  explicit Sink(FileWriter file) : file_(std::move(file)) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> Tell() const override { return position_; }
  arrow::Status Write(const void* bytes, std::int64_t count) override {
    const auto size = static_cast<std::size_t>(count);
    status_ = file_.Append({static_cast<const char*>(bytes), size});
    position_ += count;
    return status_.ok() ? arrow::Status::OK() : arrow::Status::IOError(status_.message());
  }

  FileWriter& file() { return file_; }
  // Returns the FileWriter's error if it is the cause.
  Status Explain(const arrow::Status& status) const {
    if (status.ok()) return Status::Ok();
    if (!status_.ok()) return status_;
    return Status(ErrorCode::kInternal, "Parquet: " + status.ToString());
  }

 private:
  FileWriter file_;
  Status status_;
  std::int64_t position_ = 0;
  bool closed_ = false;
};

// One file that is being written. It gets its final name later.
class File {
 public:
  static Result<std::unique_ptr<File>> Create(const std::string& path) {
    KM_ASSIGN(FileWriter writer, FileWriter::Create(path));
    std::unique_ptr<File> file(new File(std::make_shared<Sink>(std::move(writer))));
    KM_RETURN_IF_ERROR(file->sink_->Explain(file->Open()));
    return file;
  }

  Status Add(const ParquetRow& row) {
    KM_RETURN_IF_ERROR(sink_->Explain(Append(row)));
    ++rows_;
    const bool full = rows_ % kRowsPerGroup == 0 || group_bytes_ >= kBytesPerGroup;
    return full ? sink_->Explain(EndGroup()) : Status::Ok();
  }

  Status Close() {
    KM_RETURN_IF_ERROR(sink_->Explain(EndGroup()));
    KM_RETURN_IF_ERROR(sink_->Explain(writer_->Close()));
    return sink_->file().Close();
  }

  std::int64_t rows() const { return rows_; }
  FileWriter TakeFile() { return std::move(sink_->file()); }

 private:
  explicit File(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}

  arrow::Status Open() {
    arrow::MemoryPool* pool = arrow::system_memory_pool();
    const auto schema = ParquetSchema();
    const auto properties = parquet::WriterProperties::Builder()
                                .memory_pool(pool)
                                ->compression(parquet::Compression::ZSTD)
                                ->compression_level(kZstdLevel)
                                ->enable_page_checksum()
                                ->build();
    ARROW_ASSIGN_OR_RAISE(writer_,
                          parquet::arrow::FileWriter::Open(*schema, pool, sink_, properties));
    ARROW_ASSIGN_OR_RAISE(builder_, arrow::RecordBatchBuilder::Make(schema, pool, kRowsPerGroup));
    return arrow::Status::OK();
  }

  arrow::Status AppendText(arrow::ArrayBuilder* column, const std::string& text) {
    group_bytes_ += text.size();
    return static_cast<arrow::StringBuilder*>(column)->Append(text);
  }

  arrow::Status AppendValue(int column, const Json& value) {
    switch (kParquetColumns[column].type) {
      case ParquetColumn::Type::kText:
        return AppendText(builder_->GetField(column), value.as_string());
      case ParquetColumn::Type::kInteger:
        return builder_->GetFieldAs<arrow::Int64Builder>(column)->Append(value.as_int());
      case ParquetColumn::Type::kNumber:
        return builder_->GetFieldAs<arrow::DoubleBuilder>(column)->Append(value.as_double());
    }
    return arrow::Status::OK();
  }

  arrow::Status Append(const ParquetRow& row) {
    for (int i = 0; i < kParquetMessagesColumn; ++i) {
      ARROW_RETURN_NOT_OK(AppendValue(i, row.values[static_cast<std::size_t>(i)]));
    }
    auto* list = builder_->GetFieldAs<arrow::ListBuilder>(kParquetMessagesColumn);
    auto* message = static_cast<arrow::StructBuilder*>(list->value_builder());
    ARROW_RETURN_NOT_OK(list->Append());
    for (const auto& [role, content] : row.messages) {
      ARROW_RETURN_NOT_OK(message->Append());
      ARROW_RETURN_NOT_OK(AppendText(message->field_builder(0), role));
      ARROW_RETURN_NOT_OK(AppendText(message->field_builder(1), content));
    }
    return AppendText(builder_->GetField(kParquetMetadataColumn), row.metadata);
  }

  arrow::Status EndGroup() {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatch> batch, builder_->Flush());
    group_bytes_ = 0;
    if (batch->num_rows() == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Table> table,
                          arrow::Table::FromRecordBatches({batch}));
    return writer_->WriteTable(*table, batch->num_rows());
  }

  std::shared_ptr<Sink> sink_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  std::unique_ptr<arrow::RecordBatchBuilder> builder_;
  std::int64_t rows_ = 0;
  std::size_t group_bytes_ = 0;
};

class ParquetExport : public Export {
 public:
  ParquetExport(std::string dataset, std::int64_t rows_per_file)
      : dataset_(std::move(dataset)), rows_per_file_(rows_per_file) {}

  Status Add(const Row& row) override {
    return Guarded([&]() -> Status {
      Split& split = splits_[row.attributes.split];
      if (split.file && split.file->rows() == rows_per_file_) KM_RETURN_IF_ERROR(split.EndFile());
      if (!split.file) {
        const std::string path =
            dataset_ + "/" + std::string(kDataFolder) + "/" + row.attributes.split + ".parquet";
        KM_ASSIGN(split.file, File::Create(path));
      }
      return split.file->Add(ParquetRow::Of(row));
    });
  }

  // The number of files is part of their names and known only now.
  Status Finish() override {
    return Guarded([&]() -> Status {
      for (auto& [name, split] : splits_) {
        KM_RETURN_IF_ERROR(split.EndFile());
        for (std::size_t i = 0; i < split.closed.size(); ++i) {
          KM_RETURN_IF_ERROR(
              split.closed[i].FinishAs(dataset_ + "/" + ParquetPath(name, i, split.closed.size())));
        }
      }
      return Status::Ok();
    });
  }

 private:
  struct Split {
    Status EndFile() {
      KM_RETURN_IF_ERROR(file->Close());
      closed.push_back(file->TakeFile());
      file.reset();
      return Status::Ok();
    }

    std::unique_ptr<File> file;
    std::vector<FileWriter> closed;
  };

  // Parquet throws exceptions where Arrow returns a Status.
  template <typename Work>
  static Status Guarded(const Work& work) {
    try {
      return work();
    } catch (const std::exception& error) {
      return Status(ErrorCode::kInternal, std::string("Parquet: ") + error.what());
    }
  }

  std::string dataset_;
  std::int64_t rows_per_file_;
  std::map<std::string, Split> splits_;
};

}  // namespace

Result<std::unique_ptr<Export>> OpenParquetExport(const std::string& dataset,
                                                  const PackOptions& options) {
  KM_RETURN_IF_ERROR(MakeFolders(dataset + "/" + std::string(kDataFolder)));
  return std::unique_ptr<Export>(
      std::make_unique<ParquetExport>(dataset, options.rows_per_parquet_file));
}

}  // namespace kernelmill
