// Takes the bytes of an object for their SHA-256 and, if it has a path, into a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/digest.h"
#include "manifests/file_writer.h"
#include "stages/engine/object_store.h"

namespace kernelmill {

class HashedObject : public ObjectSink {
 public:
  // More bytes than `most` are kCorrupt, with `name` in the message. Without a `path`, no file is
  // written.
  HashedObject(std::string name, std::int64_t most, std::string path = "")
      : name_(std::move(name)), most_(most), path_(std::move(path)) {}

  Status Begin() override;
  Status Take(std::string_view bytes) override;

  // Of the whole object. Call it once.
  Digest Finish() { return hash_->Finish(); }
  std::int64_t size() const { return size_; }
  // Gives the file its name. kExists if there is one.
  Status Commit() { return file_->Finish(); }

 private:
  const std::string name_;
  const std::int64_t most_;
  const std::string path_;
  std::int64_t size_ = 0;
  std::optional<Sha256> hash_;
  std::optional<FileWriter> file_;
};

}  // namespace kernelmill
