// A file without a name for data that does not fit in memory, such as what the search for near
// duplicates (near_duplicates.h) writes and reads again. It disappears however the process ends.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

class ScratchFile {
 public:
  static Result<ScratchFile> Create(const std::string& folder);
  ~ScratchFile();
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile& operator=(ScratchFile&& other) noexcept;

  const std::string& folder() const { return folder_; }
  // In numbers of 64 bits.
  std::uint64_t size() const { return written_ + buffer_.size(); }
  // Appends through a buffer of fixed size.
  Status Append(std::span<const std::uint64_t> numbers);
  // kInternal beyond the end.
  Status Read(std::uint64_t at, std::span<std::uint64_t> numbers);
  Status Write(std::uint64_t at, std::span<const std::uint64_t> numbers);

 private:
  ScratchFile(std::string folder, int fd) : folder_(std::move(folder)), fd_(fd) {}
  Status Flush();
  Status WriteThrough(std::uint64_t at, std::span<const std::uint64_t> numbers);

  std::string folder_;
  int fd_ = -1;
  std::uint64_t written_ = 0;
  std::vector<std::uint64_t> buffer_;
};

// Pairs of numbers, divided into parts by their first number, so that each part can be sorted in
// memory. The pairs of a part come back in any order. In memory, a part has one block, and a block
// in the file names the one before it: many parts cost little, however many pairs they have.
class DividedPairs {
 public:
  using Pair = std::pair<std::uint64_t, std::uint64_t>;

  static Result<DividedPairs> Create(const std::string& folder, std::size_t parts);
  Status Add(std::size_t part, const Pair& pair);
  // No Add() may follow.
  Result<std::vector<Pair>> Part(std::size_t part);

 private:
  explicit DividedPairs(ScratchFile file) : file_(std::move(file)) {}

  ScratchFile file_;
  // By part: where its last full block begins, or kNoBlock, and both numbers of each pair since.
  std::vector<std::vector<std::uint64_t>> buffers_;
  std::vector<std::uint64_t> full_;  // By part: the pairs in full blocks.
};

}  // namespace kernelmill
