#include "stages/pack/trainers/row_files.h"

namespace kernelmill {

Result<RowFiles::File> RowFiles::Create(const std::string& split) const {
  const std::string path = folder_ + "/" + format_.FileOf(split);
  if (format_.columns.empty()) {
    KM_ASSIGN(FileWriter lines, FileWriter::Create(path));
    return File(std::move(lines));
  }
  KM_ASSIGN(ParquetFile table, ParquetFile::Create(path, format_.columns));
  return File(std::move(table));
}

Status RowFiles::Add(const std::string& split, Json row) {
  auto file = files_.find(split);
  if (file == files_.end()) {
    KM_ASSIGN(File created, Create(split));
    file = files_.emplace(split, std::move(created)).first;
  }
  ++rows_[split];
  if (auto* const table = std::get_if<ParquetFile>(&file->second)) return table->Add(row);
  return std::get<FileWriter>(file->second).Append(row.Dump() + '\n');
}

Status RowFiles::Finish() {
  for (auto& [split, file] : files_) {
    KM_RETURN_IF_ERROR(std::visit([](auto& writer) { return writer.Finish(); }, file));
  }
  return Status::Ok();
}

}  // namespace kernelmill
