// A sample together with its task: what the step "join" puts out, and the steps "verify" and
// "select" read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "corpora/records/sample.h"
#include "parsers/samples/model_sample.h"

namespace kernelmill {

// Where a sample was read. Differs between files that hold the same sample, so no record has it;
// verdicts.jsonl does.
struct SamplePlace {
  std::string file;           // SampleSource::name.
  std::int64_t line = 0;      // From 1.
  std::int64_t position = 0;  // Among the samples and problems of the line, from 0.
  std::string sha256;         // Of the line, without its line break.

  Json ToJson() const;
  static Result<SamplePlace> FromJson(const Json& json);
};

struct JoinedSample {
  std::string key;  // Unique in a run, and begins with the content_id of the task.
  std::string id;   // The line's own id; empty if it has none.
  std::int64_t attempt = 0;
  SamplePlace place;
  bool prompt_left_out = false;  // The line has a prompt that the record has not (AsksQuestion()).
  Record record;                 // Of kind kSample.
  // The encoded records of the sample that it was to repair, and of those which that one was to
  // repair, oldest first.
  std::vector<std::string> repaired;

  Json ToJson() const;
  static Result<JoinedSample> FromJson(const Json& json);
};

// Whether a row can have this prompt: user and assistant take turns after an optional system
// message, and the last message is a user's and has text. A prompt that ends otherwise, or that has
// messages of tools, asks nothing that an answer alone could follow.
bool AsksQuestion(const std::vector<Message>& prompt);

// The record's payload for a sample that a file holds, without a prompt that is no question.
// `backend` and `model` stand in for those that it does not name.
Sample SampleOf(const ModelSample& sample, const Digest& task, const std::string& backend,
                const std::string& model);

}  // namespace kernelmill
