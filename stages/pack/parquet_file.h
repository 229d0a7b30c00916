// Writes one Parquet file, row by row: the export "parquet", and the formats of trainers that read
// Parquet. A file has format version 2.6, row groups of at most 1,000 rows, zstd compression, a
// checksum on every page, and nothing that differs between two runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "manifests/file_writer.h"
#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/pack/parquet_field.h"

namespace kernelmill {

// One thread at a time may use it.
class ParquetFile {
 public:
  // The file gets its name in Finish(), or that of TakeFile()'s FinishAs().
  static Result<ParquetFile> Create(const std::string& path,
                                    const std::vector<ParquetField>& fields);
  ~ParquetFile();
  ParquetFile(ParquetFile&&) noexcept;
  ParquetFile& operator=(ParquetFile&&) noexcept;

  // `row` is an object with every field.
  Status Add(const Json& row);
  // Writes what is left. Only TakeFile() may follow.
  Status Close();
  // Closes the file and gives it its name. No call may follow.
  Status Finish();

  std::int64_t rows() const;
  FileWriter TakeFile();

 private:
  struct State;
  explicit ParquetFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
