// Entries of the caches of several machines that share no folder, in an object store: the variable
// KERNELMILL_STORE names it. EntryStore asks it for what the machine's own folder has not, and
// gives it what is kept. Objects hold the bytes of an entry's file, with its seal, and are never
// replaced: the first writer wins. Who may write to the store is trusted, as with the folder.
//
// Thread-safe. Errors are those of ObjectStore: no answer is not taken for no entry.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "corpora/objects/object_address.h"
#include "manifests/status.h"
#include "stages/engine/object_store.h"

namespace kernelmill {

class SharedEntries {
 public:
  static constexpr char kVariable[] = "KERNELMILL_STORE";

  // The entries below `part` of what the environment names; null if it names nothing. kUsage if it
  // names what is no address, or no access to it.
  static Result<std::shared_ptr<const SharedEntries>> OfEnvironment(std::string_view part);
  SharedEntries(ObjectAddress address, std::unique_ptr<const ObjectStore> store)
      : address_(std::move(address)), store_(std::move(store)) {}

  // What is kept under a name such as "ab/abcdef.json".
  Result<std::optional<std::string>> Find(const std::string& name) const;
  // Keeps the bytes unless the name has some. Returns those that it has then.
  Result<std::string> Keep(const std::string& name, const std::string& bytes) const;

  // Says on standard error, once, with the address of the entry, that something is wrong with it.
  void Complain(const std::string& name, std::string_view what) const;
  // The address of an entry, for messages.
  std::string TextOf(const std::string& name) const { return address_.Below(name).Text(); }
  // Which store it is, as a part of a file's name.
  std::string Mark() const;

 private:
  const ObjectAddress address_;
  const std::unique_ptr<const ObjectStore> store_;
  mutable std::mutex mutex_;
  mutable std::set<std::string> complained_;  // Names.
};

}  // namespace kernelmill
