// What may be said about a task and its answers: the numbers, shapes, names and pieces of code that
// their records have.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "generators/task_rows/known_task.h"

namespace kernelmill {

class SupportedFacts {
 public:
  using Names = std::set<std::string, std::less<>>;

  SupportedFacts(const KnownTask& known, const std::vector<const Candidate*>& about);

  bool SupportsCode(std::string_view span) const;
  bool SupportsShape(const std::string& tuple) const { return shapes_.contains(tuple); }
  // The positions that coordinates can stand for, in tensors of as many dimensions.
  Names PositionsOf(const std::vector<std::int64_t>& coordinates) const;
  // The numbers of "thread 3 of block 2" and of the element that it gets, where a launch has such a
  // thread and an output such an element; empty where not.
  Names NumbersOfTrace(std::int64_t thread, std::int64_t block) const;
  // Whether that line of an answer, from 1, has one of the pieces of code, or is where a wrong answer
  // and the right one differ.
  bool SupportsLine(const std::string& number, const std::vector<std::string>& spans) const;
  bool SupportsNumber(const std::string& number, std::string_view unit) const;

 private:
  void Add(const std::string& unit, std::int64_t number);
  void AddTensor(const std::vector<std::int64_t>& shape, const std::string& dtype);
  void AddTask(const KnownTask& known);
  void AddCandidate(const Candidate& candidate);
  void AddKernel(const DesignedKernel& kernel);
  void AddCost(std::int64_t flops, std::int64_t bytes);
  void AddVerdict(const Verdict& verdict);
  void AddCounts(const VerdictCounts& counts);
  void AddTotals(const Verdict& verdict);

  std::string code_;
  Names code_words_, formula_words_, names_, shapes_, others_;
  std::set<std::vector<std::int64_t>> tensors_;
  std::set<std::int64_t> block_sizes_;           // Of launches, in threads.
  std::vector<std::vector<std::string>> lines_;  // Of each answer.
  std::set<std::size_t> changed_lines_;
  std::vector<std::vector<std::int64_t>> outputs_;
  // Longer units come first: "FLOPs a byte" before "FLOPs".
  std::map<std::string, Names, std::greater<>> by_unit_;
};

// Runs of white space become one space.
std::string WithSingleSpaces(std::string_view text);
// A number as prose writes it, from `at` on: digits in groups or not, and decimals. `at` is moved
// behind it.
std::string NumberAt(std::string_view text, std::size_t* at);
SupportedFacts::Names NumbersIn(std::string_view text);

}  // namespace kernelmill
