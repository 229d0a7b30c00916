// An export: the rows of a dataset in a format that trainers read. Each format is one file in this
// folder and one line in export.cc. It writes its files (for `sft` and `export`) and checks them
// (for `audit`).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/dataset/row.h"
#include "manifests/status.h"
#include "stages/pack/pack_keys.h"

namespace kernelmill {

class Export {
 public:
  virtual ~Export() = default;
  // Rows come in content_id order.
  virtual Status Add(const Row& row) = 0;
  virtual Status Finish() = 0;
};

// For `audit`: compares the files of an export with the rows that it should have.
class ExportCheck {
 public:
  // A difference: the file relative to the dataset, the row counted from 0 within it (or -1 if it
  // is about the whole file), and what is wrong.
  using Report =
      std::function<void(const std::string& file, std::int64_t row, const std::string& what)>;

  virtual ~ExportCheck() = default;
  virtual void Add(const Row& row) = 0;
  virtual void Finish() = 0;
};

struct ExportFormat {
  std::string_view name;
  std::string_view explanation;
  // Its files (relative to the dataset) of that many rows in each split.
  std::vector<std::string> (*files)(const std::map<std::string, std::int64_t>& rows,
                                    const PackOptions& options);
  Result<std::unique_ptr<Export>> (*open)(const std::string& dataset, const PackOptions& options);
  // Null if none of `files` (relative to the dataset) is of this format.
  std::unique_ptr<ExportCheck> (*check)(const std::string& dataset,
                                        const std::vector<std::string>& files,
                                        const ExportCheck::Report& report);
};

const std::vector<ExportFormat>& AllExportFormats();
// kConfig for an unknown name; the message lists the formats.
Result<const ExportFormat*> FindExportFormat(std::string_view name);

}  // namespace kernelmill
