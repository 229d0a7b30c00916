// The files of an export for a trainer that hold rows: one a split, JSON lines or Parquet as the
// format says. They get their names in Finish().
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "manifests/file_writer.h"
#include "stages/pack/parquet_file.h"
#include "stages/pack/trainers/trainer_format.h"

namespace kernelmill {

class RowFiles {
 public:
  // `format` must outlive the object. data/ must be there below `folder`.
  RowFiles(const TrainerFormat& format, std::string folder)
      : format_(format), folder_(std::move(folder)) {}

  Status Add(const std::string& split, Json row);
  Status Finish();

  // By split.
  const std::map<std::string, std::int64_t>& rows() const { return rows_; }

 private:
  using File = std::variant<FileWriter, ParquetFile>;

  Result<File> Create(const std::string& split) const;

  const TrainerFormat& format_;
  std::string folder_;
  std::map<std::string, File> files_;
  std::map<std::string, std::int64_t> rows_;
};

}  // namespace kernelmill
