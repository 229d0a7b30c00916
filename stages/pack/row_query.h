// Looking for training records in a published dataset.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "corpora/dataset/dataset_reader.h"
#include "generators/record_text/row_text.h"

namespace kernelmill {

// Every condition that is set must hold.
struct RowQuery {
  std::optional<Family> family;
  std::string origin;  // Part of the identifier or of the symbol of one origin.
  // In any case, as SPDX identifiers are.
  std::string op;       // An operator that the subject calls: "linear", "aten.addmm".
  std::string licence;  // An SPDX expression of its evidence; "none" finds rows without any.
  std::string split;
  std::string id_prefix;  // Of the content_id.
};

// Visits the rows that match, in content_id order, until `visit` fails or sets `more` to false.
// kUsage when the prefix is none.
using VisitRow = std::function<Status(const RowInContext& row, bool* more)>;
Status FindRows(DatasetReader* dataset, const RowQuery& query, const VisitRow& visit);

}  // namespace kernelmill
