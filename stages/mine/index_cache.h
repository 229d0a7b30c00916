// The repository indices in use: built from what the read step kept, shared between lanes, a few at
// a time.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "stages/mine/native_index.h"
#include "stages/mine/repository_index.h"

namespace kernelmill {

// Visits the read step's outputs of one source with the paths of their files.
using VisitFile = std::function<Status(std::string_view path, std::string_view body)>;
using ReadFiles = std::function<Status(const std::string& source, const VisitFile& visit)>;

class IndexCache {
 public:
  // `lanes` is how many may ask at the same time.
  IndexCache(ReadFiles read, int lanes);
  // Thread-safe. The indices of one source, built on first use: of its Python files, and of its C++
  // and CUDA files.
  Result<std::shared_ptr<const RepositoryIndex>> Get(const std::string& source);
  Result<std::shared_ptr<const NativeIndex>> GetNative(const std::string& source);

 private:
  // The indices of one kind that were used last. Lanes build different ones at the same time.
  template <typename Index>
  class Recent {
   public:
    template <typename Build>
    Result<std::shared_ptr<const Index>> Get(const std::string& source, std::size_t most,
                                             const Build& build);

   private:
    struct Slot {
      std::mutex mutex;
      std::shared_ptr<const Index> index;
    };
    std::mutex mutex_;
    // Most recently used first.
    std::list<std::pair<std::string, std::shared_ptr<Slot>>> slots_;
  };

  const ReadFiles read_;
  const std::size_t most_;
  Recent<RepositoryIndex> python_;
  Recent<NativeIndex> native_;
};

}  // namespace kernelmill
