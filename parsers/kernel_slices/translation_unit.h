// A translation unit of a mined repository: the definitions of a file and of the files that it
// includes by quoted names, in the order in which the preprocessor inserts them. The kernel slicer
// looks up in it what a kernel needs. Definitions are numbered: an `entry` is an index into
// entries().
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parsers/kernel_slices/native_index.h"

namespace kernelmill {

class TranslationUnit {
 public:
  // A namespace, linkage block or condition around a definition.
  struct Enclosure {
    int file = 0;
    int scope = 0;
    friend auto operator<=>(const Enclosure&, const Enclosure&) = default;
  };
  struct Entry {
    int file = 0;
    int item = 0;
    int site = -1;  // An index into sites_: the include that inserted the file.
  };

  // Each file is inserted once, as with #pragma once.
  TranslationUnit(const NativeIndex& index, int root);

  const std::vector<Entry>& entries() const { return entries_; }
  const CudaItem& item(int entry) const {
    return index_.item(entries_[entry].file, entries_[entry].item);
  }
  const std::string& source(int entry) const {
    return index_.files()[entries_[entry].file].cuda.source;
  }
  const CudaScope& scope(const Enclosure& at) const {
    return index_.files()[at.file].cuda.scopes[at.scope];
  }
  // The entry of an item of a file, or -1 when the unit does not contain it.
  int EntryOf(int file, int item) const;
  // Entries that belong to others: members defined outside of their class, #undef, using.
  const std::vector<int>& companions() const { return companions_; }
  const std::vector<int>& includes() const { return includes_; }
  const std::vector<int>& macros() const { return macros_; }
  // The entries that define `name`, in order.
  const std::vector<int>& DefinitionsOf(std::string_view name) const;
  bool HasNamespace(std::string_view name) const { return namespaces_.contains(std::string(name)); }
  // The enclosures of the entry across includes, outermost first. Conditions that always hold are
  // left out.
  std::vector<Enclosure> EnclosuresOf(int entry) const;

 private:
  struct Site {
    int file = 0;
    int scope = -1;
    int outer = -1;
  };
  void Append(int root);
  std::vector<Enclosure> AllEnclosures(int entry) const;
  // Whether the scope or one around it, in its file, is a branch that is not taken.
  bool IsLeftOut(Enclosure at) const;
  // Whether the branch of a condition is taken, as far as that is known.
  std::optional<bool> Holds(const Enclosure& at) const;

  const NativeIndex& index_;
  const bool for_cuda_;  // Whether the root is a file for CUDA, and not for MUSA.
  std::vector<Entry> entries_;
  std::vector<Site> sites_;
  // The definition is only for another platform, or for a build with an option.
  std::vector<bool> dead_;
  // By file and scope: whether the condition of the scope has an #else.
  std::map<int, std::vector<bool>> with_else_;
  std::vector<int> companions_, includes_, macros_;  // Without dead entries, except includes_.
  std::map<std::pair<int, int>, int> by_item_;
  std::unordered_map<std::string, std::vector<int>> by_name_;
  std::unordered_map<std::string, int> namespaces_;
};

// Caches the most recently used translation units of one index, because all kernels of a file need
// the same units. Not thread-safe.
class TranslationUnits {
 public:
  explicit TranslationUnits(std::shared_ptr<const NativeIndex> index) : index_(std::move(index)) {}
  const NativeIndex& index() const { return *index_; }
  // Valid until the next call.
  const TranslationUnit& Of(int root);

 private:
  const std::shared_ptr<const NativeIndex> index_;
  std::list<std::pair<int, TranslationUnit>> units_;  // Most recently used first.
};

}  // namespace kernelmill
