// SupportedFacts: what a text may say about a task and its answers, namely the numbers, shapes,
// names and pieces of code that their records contain. The fact check of rows
// (unsupported_claims.h) builds one for each row and looks up in it everything that the row says.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "generators/known_task/known_task.h"

namespace kernelmill {

class SupportedFacts {
 public:
  using Names = std::set<std::string, std::less<>>;

  // Collects the facts of the task and of the candidates in `about`; keeps no reference to either.
  SupportedFacts(const KnownTask& known, const std::vector<const Candidate*>& about);

  // Whether the code in backticks occurs in the task or in an answer, or consists of words that do.
  bool SupportsCode(std::string_view span) const;
  // `tuple`: "(2, 64)", the shape or the strides of a tensor.
  bool SupportsShape(const std::string& tuple) const { return shapes_.contains(tuple); }
  // The row-major positions that the coordinates have in tensors of that many dimensions.
  Names PositionsOf(const std::vector<std::int64_t>& coordinates) const;
  // The numbers that "thread 3 of block 2" accounts for: both, and the position of the element that
  // the thread computes. Empty when no launch has such a thread or no output such an element.
  Names NumbersOfTrace(std::int64_t thread, std::int64_t block) const;
  // Whether that line of an answer (from 1) contains one of the pieces of code, or is a line in
  // which a wrong answer differs from the right one.
  bool SupportsLine(const std::string& number, const std::vector<std::string>& spans) const;
  // `unit`: the text that follows the number; it may begin with a unit that is known here.
  bool SupportsNumber(const std::string& number, std::string_view unit) const;

 private:
  void Add(const std::string& unit, std::int64_t number);
  void AddTensor(const std::vector<std::int64_t>& shape, const std::string& dtype);
  void AddTask(const KnownTask& known);
  void AddCandidate(const KnownTask& known, const Candidate& candidate);
  void AddDevice(const KnownTask& known, const Candidate& candidate);
  void AddKernel(const DesignedKernel& kernel);
  void AddCost(std::int64_t flops, std::int64_t bytes);
  void AddVerdict(const Verdict& verdict);
  void AddCounts(const VerdictCounts& counts);
  void AddTotals(const Verdict& verdict);

  std::string code_;
  std::int64_t boundary_bytes_ = 0;  // Of inputs, parameters and outputs.
  Names code_words_, formula_words_, names_, shapes_, others_;
  std::set<std::vector<std::int64_t>> tensors_;
  std::set<std::int64_t> block_sizes_;           // Of launches, in threads.
  std::vector<std::vector<std::string>> lines_;  // Of each answer.
  std::set<std::size_t> changed_lines_;
  std::vector<std::vector<std::int64_t>> outputs_;
  std::vector<std::int64_t> output_bytes_;
  std::vector<std::vector<std::int64_t>> totals_;  // The summed counters of each answer.
  // Sorted downwards, so that a longer unit comes first: "FLOPs a byte" before "FLOPs".
  std::map<std::string, Names, std::greater<>> by_unit_;
};

// Replaces every run of white space by one space.
std::string WithSingleSpaces(std::string_view text);
// The number that begins at `*at`, as prose writes it: with or without separators between groups of
// digits, and with decimals. Moves `*at` past it. The result has no separators.
std::string NumberAt(std::string_view text, std::size_t* at);
// Every number of `text`, as NumberAt() returns it.
SupportedFacts::Names NumberTextsIn(std::string_view text);

}  // namespace kernelmill
