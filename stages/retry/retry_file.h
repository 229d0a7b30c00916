// The file of one generation of the retry buffer: JSON lines. The first line is the header, then
// comes a line for each entry in the order of the queue, then a line for each parked task.
//
//   header   {"kind": "kernelmill_retry_buffer", "v", "round", "previous", "options", "changes",
//             "entries", "parked", "digest"}: "entries" and "parked" are numbers of lines, "digest"
//             is the SHA-256 over the rest of the file, "previous" that of the generation before
//   entry    RetryEntry::ToJson()
//   parked   ParkedTask::ToJson()
//
// A file is written once, under a temporary name first, so that neither a kill nor a full disk
// leaves a partial one. Equal generations have equal bytes. All functions may be called from any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stages/retry/retry_generation.h"

namespace kernelmill {

struct RetryFile {
  RetryGeneration generation;
  Digest digest;

  // The empty generation that the first round starts from. It needs no file.
  static RetryFile First(const RetryOptions& options);
};

// The bytes of the file, and the digest in them.
std::string EncodeRetryFile(const RetryGeneration& generation, Digest* digest);
// kCorrupt for bytes that are no such file, that another version wrote, that are damaged or edited,
// or whose content breaks RetryGeneration::Check(). Memory is a few times the size of `bytes`.
Result<RetryFile> DecodeRetryFile(std::string_view bytes);

// Reads the generation that a round starts from. `expected` is its digest, if the caller knows it;
// kPlanChanged when the file holds another generation. kNotFound when there is no file.
Result<RetryFile> ReadRetryFile(const std::string& path, const std::optional<Digest>& expected);

// Writes the generation and returns its digest. A round that is done again after a kill finds its
// own generation there, which is no error; kPlanChanged when the file holds another one, which
// stays. Two processes may write at the same time: the first one wins.
Result<Digest> WriteRetryFile(const std::string& path, const RetryGeneration& generation);

}  // namespace kernelmill
