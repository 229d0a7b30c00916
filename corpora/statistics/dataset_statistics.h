// What a dataset holds, counted in one pass over its records: what its card and its report are
// written from. Memory grows with the number of sources, operators and distinct sizes, with a
// digest for every task in each group of rows, and with what prose says for the first time
// (corpora/statistics/prose_variety.h), not with the size of the records.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "corpora/records/record.h"
#include "corpora/statistics/candidate_statistics.h"
#include "corpora/statistics/distribution.h"
#include "corpora/statistics/prose_variety.h"

namespace kernelmill {

struct SourceStatistics {
  std::int64_t rows = 0;
  std::int64_t subjects = 0;  // Tasks and kernels.
  Counts licences;            // Of its rows, by SPDX expression; "" counts rows without evidence.
};

// Rows of one family and backend, of one stage of training, about tasks of one kind of origin.
struct RowGroup {
  std::int64_t rows = 0;
  std::int64_t tokens = 0;    // That are trained: of answers.
  std::set<Digest> subjects;  // Tasks or kernels that they are about.
};

struct DatasetStatistics {
  Counts records;                           // By kind.
  std::map<std::string, Counts> rows;       // By split, then family.
  Counts backends, prompt_templates;        // Of rows.
  Counts stages, reasoning, perf_evidence;  // Of rows, as their columns have it.
  Counts reasoning_authors;                 // Of rows with reasoning.
  ProseVariety answer_prose;
  Counts licences;        // Of rows, by SPDX expression; a row with two counts in both.
  Counts licence_levels;  // Of rows, by where the evidence was found; the same.
  std::int64_t rows_without_licence = 0;
  // By Origin::Source(). A record found in two repositories counts in both.
  std::map<std::pair<std::string, std::string>, SourceStatistics> sources;

  Counts shape_contracts;                  // Of tasks.
  std::map<Digest, std::string> patterns;  // Of tasks whose graph is known: kPatternAttribute.
  Counts benchmark_overlaps;               // Of tasks that were compared (benchmark_table.h).
  Counts operator_calls;                   // As the source spells them, over all annotations.
  Counts operator_tasks;                   // The number of tasks that call it.
  Counts input_dtypes, result_dtypes;      // Of tensors: the tasks' inputs, operators' results.
  Counts input_layouts, result_layouts;    // "contiguous", "channels last", "strided", "sparse".
  Distribution outputs;                    // Tensors that a task returns.
  Distribution input_ranks, result_ranks;
  Distribution input_elements, result_elements;
  Distribution flops, parameters;  // Of tasks.
  std::int64_t truncated_annotations = 0;

  Counts kernel_backends;     // Of kernels.
  Counts missing_names;       // The number of kernels whose slice lacks the name.
  Distribution kernel_lines;  // Of their slices.
  std::int64_t launched_kernels = 0, bound_kernels = 0, complete_kernels = 0;

  CandidateStatistics candidates;
  CheckStatistics checks;

  Distribution prompt_tokens, answer_tokens;  // Of rows.
  Counts tokenizers;     // Of rows: what counted their tokens (corpora/records/row_attributes.h).
  Counts family_tokens;  // Of prompts and answers.
  // Trained tokens by weight, of rows for training; added up in content_id order: the order of
  // Add().
  std::map<std::string, double> family_weights;
  // By family, backend, stage, and whether its tasks were generated.
  std::map<std::tuple<std::string, std::string, int, bool>, RowGroup> row_groups;

  // kCorrupt when the payload is not what its kind says.
  Status Add(const Record& record);

  std::int64_t Rows() const;
  // How many graphs the tasks of a group have whose graph is known, sizes aside.
  std::int64_t Graphs(const RowGroup& group) const;
  // Whether no tokenizer counted any token.
  bool TokensAreEstimated() const;
};

}  // namespace kernelmill
