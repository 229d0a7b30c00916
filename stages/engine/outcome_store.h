// The outcome store: a cache on disk of what a step made of an input, keyed by a hash of everything
// that decides it. RememberingStep (stages/recipes/remembering_step.h) asks it before it does the
// work, so a run over sources of which most were in an earlier run does only the work of the
// others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "stages/engine/entry_store.h"
#include "stages/engine/step.h"

namespace kernelmill {

class OutcomeStore {
 public:
  // Shared with other machines if the environment says so (shared_entries.h).
  static Result<OutcomeStore> Open(const std::filesystem::path& folder);
  // .cache/outcomes below the checkout.
  static std::filesystem::path DefaultFolder();

  // `key` is a hash in hex.
  // An error only if an object store that outcomes are shared through does not answer.
  Result<std::optional<Outcome>> Find(const std::string& key) const;
  Status Keep(const std::string& key, const Outcome& outcome) const;

 private:
  explicit OutcomeStore(EntryStore entries) : entries_(std::move(entries)) {}

  EntryStore entries_;
};

}  // namespace kernelmill
