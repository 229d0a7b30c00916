// The repository indices in use: built from what the read step kept, shared between lanes, a few at
// a time.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "stages/mine/native_index.h"
#include "stages/mine/repository_index.h"

namespace kernelmill {

// Visits the read step's outputs whose keys begin with `source` + "/".
using VisitFile = std::function<Status(std::string_view body)>;
using ReadFiles = std::function<Status(const std::string& source, const VisitFile& visit)>;

class IndexCache {
 public:
  explicit IndexCache(ReadFiles read) : read_(std::move(read)) {}
  // Thread-safe. The indices of one source, built on first use: of its Python files, and of its C++
  // and CUDA files.
  Result<std::shared_ptr<const RepositoryIndex>> Get(const std::string& source);
  Result<std::shared_ptr<const NativeIndex>> GetNative(const std::string& source);

 private:
  struct Indices {
    RepositoryIndex python;
    NativeIndex native;
  };
  Result<std::shared_ptr<const Indices>> Find(const std::string& source);

  const ReadFiles read_;
  std::mutex mutex_;
  // Most recently used first.
  std::list<std::pair<std::string, std::shared_ptr<const Indices>>> entries_;
};

}  // namespace kernelmill
