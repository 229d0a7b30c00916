#include "stages/pack/jsonl_export.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/shards/zstd_file.h"
#include "manifests/commit_file.h"
#include "manifests/file_writer.h"
#include "stages/pack/row_alignment.h"

namespace kernelmill {
namespace {

class PlainReader {
 public:
  static Result<PlainReader> Open(const std::string& path) {
    PlainReader reader;
    reader.stream_.open(path, std::ios::binary);
    if (!reader.stream_.is_open()) return Status::FromErrno("cannot open", path);
    return reader;
  }
  // The next `count` bytes, or fewer at the end.
  Result<std::string> Read(std::size_t count) {
    std::string bytes(count, '\0');
    stream_.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(stream_.gcount()));
    return bytes;
  }

 private:
  std::ifstream stream_;
};

struct Plain {
  static constexpr std::string_view kExtension = ".jsonl";
  using Writer = FileWriter;
  using Reader = PlainReader;
};

struct Compressed {
  static constexpr std::string_view kExtension = ".jsonl.zst";
  using Writer = ZstdFileWriter;
  using Reader = ZstdFileReader;
};

template <typename Encoding>
std::string FileOf(const std::string& split) {
  return std::string(kDataFolder) + "/" + split + std::string(Encoding::kExtension);
}

std::string LineOf(const Row& row) { return row.ToJson().Dump() + '\n'; }

template <typename Encoding>
class JsonlExport : public Export {
 public:
  explicit JsonlExport(std::string dataset) : dataset_(std::move(dataset)) {}

  Status Add(const Row& row) override {
    auto file = files_.find(row.attributes.split);
    if (file == files_.end()) {
      KM_ASSIGN(Writer writer,
                Writer::Create(dataset_ + "/" + FileOf<Encoding>(row.attributes.split)));
      file = files_.emplace(row.attributes.split, std::move(writer)).first;
    }
    return file->second.Append(LineOf(row));
  }

  Status Finish() override {
    for (auto& [split, file] : files_) KM_RETURN_IF_ERROR(file.Finish());
    return Status::Ok();
  }

 private:
  using Writer = typename Encoding::Writer;

  std::string dataset_;
  std::map<std::string, Writer> files_;
};

// Cuts a file into lines. A line without end, or one that no export writes because of its length,
// is given in parts.
template <typename Reader>
class LineStream {
 public:
  explicit LineStream(Reader reader) : reader_(std::move(reader)) {}

  // The next line with its '\n', the same until Take(); nothing at the end of the file.
  Result<std::optional<std::string>> Peek() {
    while (!line_) {
      const std::size_t end = buffer_.find('\n', at_);
      const bool whole = end != std::string::npos;
      if (whole || at_end_ || buffer_.size() - at_ > kLongestLine) {
        if (at_ == buffer_.size()) return std::optional<std::string>();
        const std::size_t length = whole ? end + 1 - at_ : buffer_.size() - at_;
        line_ = buffer_.substr(at_, length);
        at_ += length;
        break;
      }
      buffer_.erase(0, at_);
      at_ = 0;
      KM_ASSIGN(const std::string more, reader_.Read(kRead));
      at_end_ = more.size() < kRead;
      buffer_ += more;
    }
    return line_;
  }
  void Take() { line_.reset(); }

 private:
  static constexpr std::size_t kRead = std::size_t{1} << 16;
  static constexpr std::size_t kLongestLine = std::size_t{1} << 28;

  Reader reader_;
  std::string buffer_;
  std::size_t at_ = 0;  // Where the next line begins.
  std::optional<std::string> line_;
  bool at_end_ = false;
};

template <typename Encoding>
class JsonlCheck : public ExportCheck {
 public:
  JsonlCheck(std::string dataset, Report report)
      : dataset_(std::move(dataset)), report_(std::move(report)) {}

  void Add(const Row& row) override {
    File& file = Open(row.attributes.split);
    const std::string expected = LineOf(row);
    file.alignment.Add(
        row.content_id, [&] { return Peek(file, &expected); }, [&] { file.lines->Take(); });
  }

  void Finish() override {
    for (const std::string& split : AllSplits()) {
      std::error_code ignored;
      const std::string path = dataset_ + "/" + FileOf<Encoding>(split);
      if (!files_.contains(split) && !std::filesystem::exists(path, ignored)) continue;
      File& file = Open(split);
      file.alignment.Finish([&] { return Peek(file, nullptr); }, [&] { file.lines->Take(); });
    }
  }

 private:
  struct File {
    std::optional<LineStream<typename Encoding::Reader>> lines;  // Absent after an error.
    RowAlignment alignment;
    std::string path;
  };

  File& Open(const std::string& split) {
    const auto found = files_.find(split);
    if (found != files_.end()) return found->second;
    const std::string path = FileOf<Encoding>(split);
    File& file =
        files_
            .emplace(split, File{{},
                                 RowAlignment([this, path](std::int64_t row,
                                                           const std::string& what) {
                                   report_(path, row, what);
                                 }),
                                 path})
            .first->second;
    auto opened = Encoding::Reader::Open(dataset_ + "/" + path);
    if (opened.ok()) {
      file.lines.emplace(std::move(opened).value());
    } else {
      file.alignment.Lose(-1, opened.status().message());
    }
    return file;
  }

  // `expected`: the line that should come next; null if none should.
  std::optional<RowAlignment::Found> Peek(File& file, const std::string* expected) {
    Result<std::optional<std::string>> line = file.lines->Peek();
    if (!line.ok()) {
      file.alignment.Lose("it and what follows cannot be read: " + line.status().message());
      return {};
    }
    if (!*line) return {};
    RowAlignment::Found found;
    found.equal = expected != nullptr && **line == *expected;
    if (found.equal) return found;
    const Result<Json> json = Json::Parse(**line);
    if (json.ok()) found.content_id = RowAlignment::IdOf(*json);
    return found;
  }

  std::string dataset_;
  Report report_;
  std::map<std::string, File> files_;
};

template <typename Encoding>
std::vector<std::string> FilesOf(const std::map<std::string, std::int64_t>& rows) {
  std::vector<std::string> files;
  for (const auto& [split, count] : rows) {
    if (count > 0) files.push_back(FileOf<Encoding>(split));
  }
  return files;
}

template <typename Encoding>
Result<std::unique_ptr<Export>> OpenExport(const std::string& dataset) {
  KM_RETURN_IF_ERROR(MakeFolders(dataset + "/" + std::string(kDataFolder)));
  return std::unique_ptr<Export>(std::make_unique<JsonlExport<Encoding>>(dataset));
}

template <typename Encoding>
std::unique_ptr<ExportCheck> Check(const std::string& dataset,
                                   const std::vector<std::string>& files,
                                   const ExportCheck::Report& report) {
  for (const std::string& split : AllSplits()) {
    if (std::find(files.begin(), files.end(), FileOf<Encoding>(split)) != files.end()) {
      return std::make_unique<JsonlCheck<Encoding>>(dataset, report);
    }
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> JsonlExportFiles(const std::map<std::string, std::int64_t>& rows,
                                          const PackOptions&) {
  return FilesOf<Plain>(rows);
}

std::vector<std::string> JsonlZstExportFiles(const std::map<std::string, std::int64_t>& rows,
                                             const PackOptions&) {
  return FilesOf<Compressed>(rows);
}

Result<std::unique_ptr<Export>> OpenJsonlExport(const std::string& dataset, const PackOptions&) {
  return OpenExport<Plain>(dataset);
}

std::unique_ptr<ExportCheck> CheckJsonlExport(const std::string& dataset,
                                              const std::vector<std::string>& files,
                                              const ExportCheck::Report& report) {
  return Check<Plain>(dataset, files, report);
}

Result<std::unique_ptr<Export>> OpenJsonlZstExport(const std::string& dataset, const PackOptions&) {
  return OpenExport<Compressed>(dataset);
}

std::unique_ptr<ExportCheck> CheckJsonlZstExport(const std::string& dataset,
                                                 const std::vector<std::string>& files,
                                                 const ExportCheck::Report& report) {
  return Check<Compressed>(dataset, files, report);
}

}  // namespace kernelmill
