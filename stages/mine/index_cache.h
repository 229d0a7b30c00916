// Holds the indices of the repositories that are being sliced, for the steps "index", "slice",
// "index_kernels", "slice_kernels", "index_ports" and "slice_ports", whose lanes share it. An index
// is built from the outputs of the step "read" when it is first asked for; the most recently used
// ones are kept. `lanes` bounds how many are kept.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "parsers/kernel_slices/native_index.h"
#include "stages/mine/repository_index.h"

namespace kernelmill {

// Visits the outputs of "read" for one source, each with the path of its file.
using VisitFile = std::function<Status(std::string_view path, std::string_view body)>;
using ReadFiles = std::function<Status(const std::string& source, const VisitFile& visit)>;

// The C++ and CUDA files of one repository, and their licences.
struct NativeRepository {
  NativeIndex index;
  LicenceMap licences;

  LicenceEvidence LicenceOf(int file) const {
    const NativeFile& known = index.files()[file];
    LicenceEvidence found = licences.Of(known.path, known.blob, known.licence);
    found.copyright = known.copyright;
    return found;
  }
};

// Thread-safe.
class IndexCache {
 public:
  // `lanes`: how many lanes use the cache at the same time.
  IndexCache(ReadFiles read, int lanes);
  // The indices of one source, built on first use: of its Python files, and of its C++ and CUDA
  // files.
  Result<std::shared_ptr<const RepositoryIndex>> Get(const std::string& source);
  Result<std::shared_ptr<const NativeRepository>> GetNative(const std::string& source);

 private:
  // The most recently used indices of one kind. Lanes can build different ones at the same time.
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
  Recent<NativeRepository> native_;
};

}  // namespace kernelmill
