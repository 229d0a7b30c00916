// The statistics of a dataset, counted in one pass over its records while it is published (or read
// again, if it is complete). The dataset card and the report are written from them. Memory does not
// grow with the size of the records, but with the number of sources, operators and distinct sizes,
// with one digest for every task in each group of rows, and with the amount of distinct prose
// (corpora/statistics/prose_variety.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "corpora/records/record.h"
#include "corpora/statistics/candidate_statistics.h"
#include "corpora/statistics/distribution.h"
#include "corpora/statistics/prose_variety.h"

namespace kernelmill {

struct SourceStatistics {
  std::int64_t rows = 0;
  std::int64_t subjects = 0;  // Tasks and kernels that the rows are about.
  Counts licences;            // Of its rows, by SPDX expression; "" counts rows without evidence.
};

// The rows of one family, backend and curriculum stage whose tasks were all generated or all not.
struct RowGroup {
  std::int64_t rows = 0;
  std::int64_t tokens = 0;    // Tokens of answers, which are trained.
  std::set<Digest> subjects;  // Tasks or kernels that the rows are about.
};

// The tasks of one kind, and their right answers.
struct AnsweredTasks {
  std::int64_t tasks = 0;
  std::int64_t answered = 0;  // Tasks with a right answer.
  Counts answers;             // Answers of different structure to one task, by backend.
};

struct DatasetStatistics {
  Counts records;                           // By kind.
  std::map<std::string, Counts> rows;       // By split, then by family.
  // By family: rows with the weight 0 because enough near-equal programs of their task are trained.
  Counts near_equal_rows;
  Counts backends, prompt_templates;        // Of rows.
  Counts stages, reasoning, perf_evidence;  // Of rows, by the value of the column.
  Counts reasoning_authors;                 // Of rows with reasoning.
  ProseVariety answer_prose;
  Counts licences;  // Of rows, by SPDX expression; a row with two counts for both.
  // Of rows, by where the evidence was found; a row with two counts for both.
  Counts licence_levels;
  std::int64_t rows_without_licence = 0;
  // By Origin::Source(). A record found in two repositories counts for both.
  std::map<std::pair<std::string, std::string>, SourceStatistics> sources;

  Counts shape_contracts;                  // Of tasks.
  // By task: the hash of its graph without sizes, for tasks with kPatternAttribute.
  std::map<Digest, std::string> patterns;
  std::map<Digest, std::string_view> task_kinds;  // "generated", "mined" or "supplied", by task.
  Counts benchmark_overlaps;  // Of tasks that were compared (corpora/benchmark_table.h).
  Counts operator_calls;      // By the operator's name in the source, over all annotations.
  Counts operator_tasks;      // The number of tasks that call the operator.
  Counts input_dtypes, result_dtypes;      // Of tensors: the tasks' inputs, the operators' results.
  Counts input_layouts, result_layouts;    // "contiguous", "channels last", "strided", "sparse".
  Distribution outputs;                    // The number of tensors that a task returns.
  Distribution input_ranks, result_ranks;
  Distribution input_elements, result_elements;
  Distribution flops, parameters;  // Of tasks.
  std::int64_t truncated_annotations = 0;

  Counts kernel_backends;     // Of kernels.
  Counts missing_names;       // The number of kernels whose slice lacks the name.
  Distribution kernel_lines;  // The number of lines of a kernel's slice.
  std::int64_t launched_kernels = 0, bound_kernels = 0, complete_kernels = 0;

  CandidateStatistics candidates;
  CheckStatistics checks;

  Distribution prompt_tokens, answer_tokens;  // Of rows.
  Counts tokenizers;     // Of rows: what counted their tokens (corpora/records/row_attributes.h).
  Counts family_tokens;  // Of prompts and answers together.
  // Trained tokens times weight, of rows of the training split. Sums of doubles depend on the order
  // of Add(), which is content_id order.
  std::map<std::string, double> family_weights;
  // By family, backend, curriculum stage, and whether the task was generated.
  std::map<std::tuple<std::string, std::string, int, bool>, RowGroup> row_groups;

  // kCorrupt when the payload does not match its kind.
  Status Add(const Record& record);

  std::int64_t Rows() const;
  // The number of distinct `patterns` among the tasks of a group.
  std::int64_t DistinctGraphs(const RowGroup& group) const;
  // By the kind of the tasks.
  std::map<std::string_view, AnsweredTasks> Answered() const;
  // Whether the token counts of any row are estimates.
  bool TokensAreEstimated() const;
};

}  // namespace kernelmill
