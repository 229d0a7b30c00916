#include "stages/pack/parquet_file.h"

#include <arrow/builder.h>
#include <arrow/io/interfaces.h>
#include <arrow/table.h>
#include <arrow/table_builder.h>
#include <parquet/arrow/writer.h>

#include "stages/pack/parquet_cells.h"

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

// Parquet throws exceptions where Arrow returns a Status.
template <typename Work>
Status Guarded(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return Status(ErrorCode::kInternal, std::string("Parquet: ") + error.what());
  }
}

}  // namespace

struct ParquetFile::State {
  arrow::Status Open() {
    arrow::MemoryPool* pool = arrow::system_memory_pool();
    const auto schema = SchemaOf(fields);
    const auto properties = parquet::WriterProperties::Builder()
                                .memory_pool(pool)
                                ->compression(parquet::Compression::ZSTD)
                                ->compression_level(kZstdLevel)
                                ->enable_page_checksum()
                                ->build();
    ARROW_ASSIGN_OR_RAISE(writer,
                          parquet::arrow::FileWriter::Open(*schema, pool, sink, properties));
    ARROW_ASSIGN_OR_RAISE(builder, arrow::RecordBatchBuilder::Make(schema, pool, kRowsPerGroup));
    return arrow::Status::OK();
  }

  arrow::Status Append(const Json& row) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Json* const value = row.Find(fields[i].name);
      if (value == nullptr) return arrow::Status::Invalid("there is no ", fields[i].name);
      ARROW_RETURN_NOT_OK(
          AppendJson(fields[i], *value, builder->GetField(static_cast<int>(i)), &group_bytes));
    }
    return arrow::Status::OK();
  }

  arrow::Status EndGroup() {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatch> batch, builder->Flush());
    group_bytes = 0;
    if (batch->num_rows() == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Table> table,
                          arrow::Table::FromRecordBatches({batch}));
    return writer->WriteTable(*table, batch->num_rows());
  }

  std::vector<ParquetField> fields;
  std::shared_ptr<Sink> sink;
  std::unique_ptr<parquet::arrow::FileWriter> writer;
  std::unique_ptr<arrow::RecordBatchBuilder> builder;
  std::int64_t rows = 0;
  std::size_t group_bytes = 0;
};

ParquetFile::ParquetFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParquetFile::~ParquetFile() = default;
ParquetFile::ParquetFile(ParquetFile&&) noexcept = default;
ParquetFile& ParquetFile::operator=(ParquetFile&&) noexcept = default;

Result<ParquetFile> ParquetFile::Create(const std::string& path,
                                        const std::vector<ParquetField>& fields) {
  auto state = std::make_unique<State>();
  KM_ASSIGN(FileWriter file, FileWriter::Create(path));
  state->fields = fields;
  state->sink = std::make_shared<Sink>(std::move(file));
  KM_RETURN_IF_ERROR(Guarded([&] { return state->sink->Explain(state->Open()); }));
  return ParquetFile(std::move(state));
}

Status ParquetFile::Add(const Json& row) {
  return Guarded([&]() -> Status {
    KM_RETURN_IF_ERROR(state_->sink->Explain(state_->Append(row)));
    const bool full = ++state_->rows % kRowsPerGroup == 0 || state_->group_bytes >= kBytesPerGroup;
    return full ? state_->sink->Explain(state_->EndGroup()) : Status::Ok();
  });
}

Status ParquetFile::Close() {
  return Guarded([&]() -> Status {
    KM_RETURN_IF_ERROR(state_->sink->Explain(state_->EndGroup()));
    KM_RETURN_IF_ERROR(state_->sink->Explain(state_->writer->Close()));
    return state_->sink->file().Close();
  });
}

Status ParquetFile::Finish() {
  KM_RETURN_IF_ERROR(Close());
  return state_->sink->file().Finish();
}

std::int64_t ParquetFile::rows() const { return state_->rows; }
FileWriter ParquetFile::TakeFile() { return std::move(state_->sink->file()); }

}  // namespace kernelmill
