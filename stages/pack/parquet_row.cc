#include "stages/pack/parquet_row.h"

#include <algorithm>

#include "corpora/dataset/dataset_layout.h"

namespace kernelmill {
namespace {

using Type = ParquetField::Type;

constexpr char kMetadata[] = "metadata";

std::string FiveDigits(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(5 - std::min<std::size_t>(5, digits.size()), '0') + digits;
}

}  // namespace

const std::vector<ParquetField>& ParquetRowFields() {
  static const std::vector<ParquetField> kFields = {
      {"content_id"},
      {"split"},
      {"family"},
      {"backend"},
      {"prompt_template"},
      {"task_id"},
      {"candidate"},
      {"reasoning"},
      {"perf_evidence"},
      {"estimated_speed", Type::kNumber},
      {"trajectory_id"},
      {"turn", Type::kInteger},
      {"n_turns", Type::kInteger},
      {"curriculum_stage", Type::kInteger},
      {"difficulty_static", Type::kNumber},
      {"prompt_tokens", Type::kInteger},
      {"answer_tokens", Type::kInteger},
      {"weight", Type::kNumber},
      {"messages", Type::kList, {{"role"}, {"content"}, {"loss", Type::kFlag}}},
      MessagesField("prompt"),
      MessagesField("completion"),
      {kMetadata},
  };
  return kFields;
}

std::string ParquetPath(const std::string& split, std::size_t number, std::size_t of) {
  return std::string(kDataFolder) + "/" + split + "-" + FiveDigits(number) + "-of-" +
         FiveDigits(of) + ".parquet";
}

Json ParquetRowOf(const Row& row) {
  Json::Object columns;
  Json rest = row.ToJson();
  for (const ParquetField& field : ParquetRowFields()) {
    const auto member = rest.as_object().find(field.name);
    if (member == rest.as_object().end()) continue;
    columns[field.name] =
        field.type == Type::kNumber ? Json(member->second.as_double()) : std::move(member->second);
    rest.as_object().erase(member);
  }
  columns[kMetadata] = rest.Dump();
  return columns;
}

}  // namespace kernelmill
