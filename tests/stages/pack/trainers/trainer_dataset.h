// A published dataset with rows of one and several turns, with and without reasoning, and weights,
// for tests of the exports for trainers.
#pragma once

#include "corpora/dataset/row.h"
#include "tests/corpora/described_module.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {

inline constexpr char kAnswerCode[] = "```python\nclass ModelNew:\n    pass\n```\n";
inline constexpr char kWrongAnswer[] = "```python\nclass ModelNew:\n    wrong = 1\n```\n";

// `record`, a training record, with these messages, level of reasoning and weight.
inline Record RowWith(Record record, Family family, std::vector<Message> messages,
                      std::string_view reasoning, double weight) {
  TrainingRecord training = TrainingRecord::FromJson(record.payload).value();
  training.family = family;
  training.backend = "cuda";
  training.reasoning = reasoning;
  training.n_turns = training.turn = static_cast<std::int64_t>(messages.size() / 2);
  training.messages = std::move(messages);
  record.payload = training.ToJson();
  RowAttributes attributes = RowAttributes::Of(record).value();
  attributes.weight = weight;
  record.attributes = attributes.ToJson();
  return record;
}

// Of each of `tasks` tasks, whose every fifth is for validation: a row of the dataset's own, a row
// with a plan, and a repair with one wrong answer.
inline std::map<Digest, std::string> TrainerRecords(int tasks) {
  std::map<Digest, std::string> records;
  for (int i = 0; i < tasks; ++i) {
    DescribedModule module{.name = "Scale" + std::to_string(i),
                           .split = i % 5 == 0 ? "validation" : "train"};
    module.AddTo(&records);
    const std::string name = module.name;
    for (const Record& row :
         {RowWith(module.row, Family::kTranslate,
                  {{"user", "Translate " + name},
                   {"assistant", "Plan of " + name + ":\n\n- one thread each\n\n" + kAnswerCode}},
                  kReasoningPlan, 2.25),
          RowWith(module.row, Family::kRepair,
                  {{"user", "Translate " + name},
                   {"assistant", kWrongAnswer},
                   {"user", "The values of " + name + " are wrong."},
                   {"assistant", kAnswerCode}},
                  kReasoningNone, 0.5)}) {
      records[row.ContentId()] = row.Encode();
    }
  }
  return records;
}

inline std::vector<Row> RowsOf(const std::map<Digest, std::string>& records) {
  std::vector<Row> rows;
  for (const auto& [id, encoded] : records) {
    const Record record = Record::Decode(encoded).value();
    if (record.kind == RecordKind::kTraining) rows.push_back(Row::Of(record).value());
  }
  return rows;
}

}  // namespace kernelmill
