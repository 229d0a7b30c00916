#include "stages/pack/parquet_export.h"

#include <map>
#include <optional>

#include "corpora/dataset/dataset_layout.h"
#include "manifests/commit_file.h"
#include "stages/pack/parquet_file.h"
#include "stages/pack/parquet_row.h"

namespace kernelmill {
namespace {

class ParquetExport : public Export {
 public:
  ParquetExport(std::string dataset, std::int64_t rows_per_file)
      : dataset_(std::move(dataset)), rows_per_file_(rows_per_file) {}

  Status Add(const Row& row) override {
    Split& split = splits_[row.attributes.split];
    if (split.file && split.file->rows() == rows_per_file_) KM_RETURN_IF_ERROR(split.EndFile());
    if (!split.file) {
      const std::string path =
          dataset_ + "/" + std::string(kDataFolder) + "/" + row.attributes.split + ".parquet";
      KM_ASSIGN(split.file, ParquetFile::Create(path, ParquetRowFields()));
    }
    return split.file->Add(ParquetRowOf(row));
  }

  // The number of files is part of their names and known only now.
  Status Finish() override {
    for (auto& [name, split] : splits_) {
      KM_RETURN_IF_ERROR(split.EndFile());
      for (std::size_t i = 0; i < split.closed.size(); ++i) {
        KM_RETURN_IF_ERROR(
            split.closed[i].FinishAs(dataset_ + "/" + ParquetPath(name, i, split.closed.size())));
      }
    }
    return Status::Ok();
  }

 private:
  struct Split {
    Status EndFile() {
      KM_RETURN_IF_ERROR(file->Close());
      closed.push_back(file->TakeFile());
      file.reset();
      return Status::Ok();
    }

    std::optional<ParquetFile> file;
    std::vector<FileWriter> closed;
  };

  std::string dataset_;
  std::int64_t rows_per_file_;
  std::map<std::string, Split> splits_;
};

}  // namespace

std::vector<std::string> ParquetExportFiles(const std::map<std::string, std::int64_t>& rows,
                                            const PackOptions& options) {
  std::vector<std::string> files;
  for (const auto& [split, count] : rows) {
    const std::int64_t per_file = options.rows_per_parquet_file;
    const auto of = static_cast<std::size_t>(count / per_file + (count % per_file != 0));
    for (std::size_t i = 0; i < of; ++i) files.push_back(ParquetPath(split, i, of));
  }
  return files;
}

Result<std::unique_ptr<Export>> OpenParquetExport(const std::string& dataset,
                                                  const PackOptions& options) {
  KM_RETURN_IF_ERROR(MakeFolders(dataset + "/" + std::string(kDataFolder)));
  return std::unique_ptr<Export>(
      std::make_unique<ParquetExport>(dataset, options.rows_per_parquet_file));
}

}  // namespace kernelmill
