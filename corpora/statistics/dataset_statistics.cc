#include "corpora/statistics/dataset_statistics.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "corpora/benchmark_table.h"
#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/kernel_source.h"
#include "corpora/records/row_attributes.h"
#include "corpora/records/task.h"
#include "corpora/records/training_record.h"

namespace kernelmill {
namespace {

// Saturates, because a hostile annotation may have sizes whose product overflows.
std::int64_t ElementsOf(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (std::int64_t size : shape) {
    if (__builtin_mul_overflow(elements, size, &elements)) return INT64_MAX;
  }
  return elements;
}

void AddTask(const Task& task, DatasetStatistics* statistics) {
  ++statistics->shape_contracts[task.shape_contract];
  for (const InputSpec& input : task.inputs) {
    ++statistics->input_dtypes[input.dtype];
    statistics->input_ranks.Add(static_cast<std::int64_t>(input.shape.size()));
    statistics->input_elements.Add(ElementsOf(input.shape));
  }
}

// Whether the tensor is dense with its dimensions in this order, outermost first.
bool LiesInOrder(const TensorFacts& tensor, const std::vector<std::size_t>& order) {
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t d = order[i];
    if (tensor.shape[d] != 1 && tensor.stride[d] != step) return false;
    if (__builtin_mul_overflow(step, tensor.shape[d], &step)) return false;
  }
  return true;
}

std::string LayoutOf(const TensorFacts& tensor) {
  const std::size_t rank = tensor.shape.size();
  if (tensor.stride.size() != rank) return "sparse";
  const auto& shape = tensor.shape;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return "contiguous";
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (LiesInOrder(tensor, order)) return "contiguous";
  if (rank < 4) return "strided";
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return LiesInOrder(tensor, order) ? "channels last" : "strided";
}

std::string_view KindOf(const Record& task) {
  if (task.generated()) return "generated";
  return !task.origins.empty() && task.origins.front().supplied() ? "supplied" : "mined";
}

void AddAnnotation(const Annotation& annotation, DatasetStatistics* statistics) {
  std::set<std::string> called;
  for (const OperatorCall& call : annotation.operators) {
    ++statistics->operator_calls[call.name];
    called.insert(call.name);
    for (const TensorFacts& result : call.outputs) {
      ++statistics->result_dtypes[result.dtype];
      ++statistics->result_layouts[LayoutOf(result)];
      statistics->result_ranks.Add(static_cast<std::int64_t>(result.shape.size()));
      statistics->result_elements.Add(ElementsOf(result.shape));
    }
  }
  for (const std::string& name : called) ++statistics->operator_tasks[name];
  // The first values are the parameters of forward(), at the line of its `def`.
  for (const LineValue& value : annotation.values) {
    if (value.line != annotation.values.front().line) break;
    ++statistics->input_layouts[LayoutOf(value.tensor)];
  }
  statistics->outputs.Add(static_cast<std::int64_t>(annotation.outputs.size()));
  statistics->flops.Add(annotation.flops);
  statistics->parameters.Add(annotation.ParameterCount());
  if (annotation.truncated) ++statistics->truncated_annotations;
}

void AddKernel(const KernelSource& kernel, DatasetStatistics* statistics) {
  ++statistics->kernel_backends[kernel.backend];
  statistics->kernel_lines.Add(std::count(kernel.code.begin(), kernel.code.end(), '\n'));
  statistics->launched_kernels += kernel.launches.empty() ? 0 : 1;
  statistics->bound_kernels += kernel.bindings.empty() ? 0 : 1;
  statistics->complete_kernels += kernel.Complete() ? 1 : 0;
  for (const std::string& name : kernel.missing) ++statistics->missing_names[name];
}

std::set<std::pair<std::string, std::string>> SourcesOf(const Record& record) {
  std::set<std::pair<std::string, std::string>> sources;
  for (const Origin& origin : record.origins) sources.insert(origin.Source());
  return sources;
}

void AddRow(const Record& record, const TrainingRecord& training, const RowAttributes& attributes,
            DatasetStatistics* statistics) {
  const std::string family(FamilyName(training.family));
  ++statistics->rows[attributes.split][family];
  if (!attributes.near_equal_to.empty()) ++statistics->near_equal_rows[family];
  statistics->family_tokens[family] += attributes.prompt_tokens + attributes.answer_tokens;
  const bool generated = record.generated();
  RowGroup& group =
      statistics->row_groups[{family, training.backend, training.CurriculumStage(), generated}];
  ++group.rows;
  group.tokens += attributes.answer_tokens;
  group.subjects.insert(training.task_id);
  if (attributes.split != "validation") {
    statistics->family_weights[family] +=
        attributes.weight * static_cast<double>(attributes.answer_tokens);
  }
  statistics->prompt_tokens.Add(attributes.prompt_tokens);
  statistics->answer_tokens.Add(attributes.answer_tokens);
  ++statistics->tokenizers[attributes.tokenizer];
  ++statistics->backends[training.backend];
  ++statistics->prompt_templates[training.prompt_template];
  ++statistics->stages[std::to_string(attributes.curriculum_stage)];
  ++statistics->reasoning[training.reasoning];
  if (const std::string& author = training.reasoning_author; !author.empty()) {
    ++statistics->reasoning_authors[author];
  }
  if (!training.messages.empty()) statistics->answer_prose.Add(training.messages.back().content);
  ++statistics->perf_evidence[training.perf_evidence];
  std::set<std::string> licences, levels;
  for (const LicenceEvidence& evidence : record.licences) {
    licences.insert(evidence.spdx);
    levels.emplace(LicenceLevelName(evidence.level));
  }
  for (const std::string& licence : licences) ++statistics->licences[licence];
  for (const std::string& level : levels) ++statistics->licence_levels[level];
  if (licences.empty()) {
    if (!record.origins.empty()) ++statistics->rows_without_licence;
    licences.insert("");
  }
  for (const auto& key : SourcesOf(record)) {
    SourceStatistics& source = statistics->sources[key];
    ++source.rows;
    for (const std::string& licence : licences) ++source.licences[licence];
  }
}

}  // namespace

Status DatasetStatistics::Add(const Record& record) {
  ++records[std::string(RecordKindName(record.kind))];
  switch (record.kind) {
    case RecordKind::kTask: {
      KM_ASSIGN(const Task task, Task::FromJson(record.payload));
      AddTask(task, this);
      task_kinds[record.ContentId()] = KindOf(record);
      const auto pattern = record.attributes.find(kPatternAttribute);
      if (pattern != record.attributes.end() && pattern->second.is_string()) {
        // Generated tasks store the whole hash.
        patterns[record.ContentId()] = pattern->second.as_string().substr(0, kFingerprintDigits);
      }
      const auto overlap = record.attributes.find(kOverlapAttribute);
      if (overlap != record.attributes.end() && overlap->second.is_string()) {
        ++benchmark_overlaps[overlap->second.as_string()];
      }
      break;
    }
    case RecordKind::kAnnotation: {
      KM_ASSIGN(const Annotation annotation, Annotation::FromJson(record.payload));
      AddAnnotation(annotation, this);
      break;
    }
    case RecordKind::kTraining: {
      KM_ASSIGN(const TrainingRecord training, TrainingRecord::FromJson(record.payload));
      KM_ASSIGN(const RowAttributes attributes, RowAttributes::Of(record));
      AddRow(record, training, attributes, this);
      break;
    }
    case RecordKind::kCandidate: {
      KM_ASSIGN(const Candidate candidate, Candidate::FromJson(record.payload));
      candidates.Add(candidate);
      break;
    }
    case RecordKind::kCheck: {
      KM_ASSIGN(const Check check, Check::FromJson(record.payload));
      checks.Add(check);
      break;
    }
    case RecordKind::kSample:  // Counted in `records`; its verdict and row say the rest.
      break;
    case RecordKind::kKernel: {
      KM_ASSIGN(const KernelSource kernel, KernelSource::FromJson(record.payload));
      AddKernel(kernel, this);
      break;
    }
    case RecordKind::kPort:  // Counted in `records`.
      break;
  }
  if (record.kind == RecordKind::kTask || record.kind == RecordKind::kKernel ||
      record.kind == RecordKind::kPort) {
    for (const auto& key : SourcesOf(record)) ++sources[key].subjects;
  }
  return Status::Ok();
}

std::int64_t DatasetStatistics::Rows() const { return prompt_tokens.count(); }

std::int64_t DatasetStatistics::DistinctGraphs(const RowGroup& group) const {
  std::set<std::string_view> distinct;
  for (const Digest& subject : group.subjects) {
    const auto pattern = patterns.find(subject);
    if (pattern != patterns.end()) distinct.insert(pattern->second);
  }
  return static_cast<std::int64_t>(distinct.size());
}

std::map<std::string_view, AnsweredTasks> DatasetStatistics::Answered() const {
  std::map<std::string_view, AnsweredTasks> answered;
  for (const auto& [task, kind] : task_kinds) {
    AnsweredTasks& tasks = answered[kind];
    ++tasks.tasks;
    bool has_answer = false;
    for (const auto& [backend, statistics] : candidates.answers) {
      const auto structures = statistics.structures.find(task);
      if (structures == statistics.structures.end()) continue;
      has_answer = true;
      tasks.answers[backend] += static_cast<std::int64_t>(structures->second.size());
    }
    tasks.answered += has_answer ? 1 : 0;
  }
  return answered;
}

bool DatasetStatistics::TokensAreEstimated() const {
  return tokenizers.empty() || tokenizers.contains(std::string(kEstimated));
}

}  // namespace kernelmill
