// The formats in which `export` writes a dataset's rows for one trainer, as data. Such an export is
// a folder of its own: it is no part of a dataset, and no audit reads it. Each trainer is one file
// in this folder and a line in trainer_format.cc; trainer_export.h writes the files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "stages/pack/parquet_field.h"
#include "stages/pack/trainers/sampling_request.h"
#include "stages/pack/trainers/task_question.h"
#include "stages/pack/trainers/trained_turn.h"

namespace kernelmill {

struct TrainerOptions {
  std::int64_t seed = 0;      // Of the draw, and of the wording of questions.
  bool resample = false;      // Draw training rows by their weight.
  bool fold_history = false;  // Write earlier turns into the one question.
  QuestionOptions questions;  // Its seed is `seed`.
  SamplingOptions sampling;
};

struct TrainerFormat {
  std::string_view name;
  std::string_view explanation;  // Its files, for the help.
  // The rows of the file; one of the two functions is null. To the row of a turn the export adds
  // "content_id", "family", "weight" and "copy".
  Json::Object (*row_of_turn)(const TrainedTurn& turn) = nullptr;
  std::vector<Json::Object> (*rows_of_question)(const TaskQuestion& question,
                                                const TrainerOptions& options) = nullptr;
  // The columns of data/<split>.parquet; empty for data/<split>.jsonl.
  std::vector<ParquetField> columns = {};
  bool always_folds = false, always_resamples = false;
  bool has_requests = false;  // Whether TrainerOptions::sampling says what its rows ask for.
  // Further files of the export by name, for the splits that have rows.
  std::map<std::string, std::string> (*more_files)(const std::vector<std::string>& splits) =
      nullptr;
  // For the README of the export, in Markdown: how the trainer opens it, and with which settings.
  // "{longest}" stands for the number of tokens of the longest row.
  std::string_view guide;

  std::string FileOf(const std::string& split) const;
};

const std::vector<TrainerFormat>& AllTrainerFormats();
// Null for a name that no format has.
const TrainerFormat* FindTrainerFormat(std::string_view name);

}  // namespace kernelmill
