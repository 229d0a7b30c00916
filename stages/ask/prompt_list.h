// The prompts of a run of `sample`, and which attempts at them a file of answers has already.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "stages/ask/asked_prompt.h"

namespace kernelmill {

class PromptList {
 public:
  // Attempts of one prompt that follow each other.
  struct Attempts {
    std::size_t prompt = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
  };

  explicit PromptList(AskChanges changes) : changes_(std::move(changes)) {}

  // Adds a line of requests. kCorrupt, with the place, for a malformed line, and for one that asks
  // for attempts that another line asks for too.
  Status Add(const Json& line, const std::string& place);
  // Adds the lines of a file, or of every .jsonl file in FOLDER/data or FOLDER, in the order of
  // their names. kUsage when there are none.
  Status AddFiles(const std::string& path);
  // Drops all but the first prompts.
  void Limit(std::size_t most);

  const std::vector<AskedPrompt>& prompts() const { return prompts_; }
  std::int64_t Samples() const;  // All attempts of all prompts.

  // The prompt that asks for this attempt at what `name` names; null if none does.
  const AskedPrompt* Find(const CustomId& name, std::int64_t attempt) const;
  // This attempt needs not be asked for. False if it is known to be so, or no prompt asks for it.
  bool Settle(const CustomId& name, std::int64_t attempt);
  // What is to be asked for, in the order of the prompts.
  std::vector<Attempts> Missing() const;

 private:
  // By the name without an attempt, and the first attempt.
  using Places = std::map<std::string, std::map<std::int64_t, std::size_t>>;

  Status AddFile(const std::string& path);
  // The position of the prompt; that behind the last if there is none.
  std::size_t PlaceOf(const CustomId& name, std::int64_t attempt) const;

  AskChanges changes_;
  std::vector<AskedPrompt> prompts_;
  std::vector<std::set<std::int64_t>> settled_;  // Attempts, by prompt.
  Places places_;
};

}  // namespace kernelmill
