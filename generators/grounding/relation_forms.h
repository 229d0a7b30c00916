// The forms in which answers state relations, as tables: which sentences state one, and whether it
// holds. code_relations.cc has those of kernels and launches, meaning_relations.cc those of
// operators and shapes, cost_relations.cc those of costs and
// changes, performance_relations.cc and level_relations.cc those of analyses. FalseRelations()
// (false_relations.h) reads an answer by them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generators/grounding/sentence_pattern.h"
#include "generators/known_task/known_task.h"
#include "generators/reasoning/answer_code.h"
#include "generators/reasoning/known_device.h"

namespace kernelmill {

// A candidate of a row, of which the code is read when a sentence asks for it.
class RowProgram {
 public:
  explicit RowProgram(const Candidate& candidate) : candidate_(&candidate) {}
  const Candidate& candidate() const { return *candidate_; }
  const AnswerCode& Code() const {
    if (!code_) code_ = ReadAnswerCode(*candidate_);
    return *code_;
  }

 private:
  const Candidate* candidate_;
  mutable std::optional<AnswerCode> code_;
};

// What a sentence is about: the task, one of the candidates of the row, and the kernels that its
// paragraph has named first; empty before a paragraph names some.
struct RelationContext {
  const KnownTask& known;
  const Candidate& candidate;
  const RowProgram& program;                 // Of the candidate.
  const std::vector<const Candidate*>& all;  // The candidates of the row, its answer first.
  const KnownDevice& device;                 // That the answer names.
  std::vector<std::string> kernels;

  // Whether the paragraph is about the kernel, or about none in particular.
  bool IsAbout(const AnswerKernel& kernel) const;
  // The plans of its kernels, or all plans.
  std::vector<const DesignedKernel*> Plans() const;
};

struct RelationForm {
  // A sentence with all of these texts states a relation of this form and has to match one of the
  // patterns of the forms with the same trigger.
  std::vector<std::string_view> trigger;
  std::string pattern;
  bool (*holds)(const RelationContext& context, const Slots& slots);
};

// Whether a sentence says this number, with or without separators.
bool SaysCount(const std::string& said, std::int64_t number);
// Whether it says this number of bytes, as a count or rounded (RoundedBytes()).
bool SaysBytes(const std::string& said, std::int64_t bytes);

void AddCodeRelations(std::vector<RelationForm>* forms);
void AddMeaningRelations(std::vector<RelationForm>* forms);
void AddCostRelations(std::vector<RelationForm>* forms);
void AddPerformanceRelations(std::vector<RelationForm>* forms);
void AddLevelRelations(std::vector<RelationForm>* forms);

}  // namespace kernelmill
