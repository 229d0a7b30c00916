// Searches a published dataset for training records, for the command `inspect` and the example that
// `demo` shows. The visitor sets `more` to false to stop.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "corpora/dataset/dataset_reader.h"
#include "generators/record_text/row_text.h"

namespace kernelmill {

// The conditions of a search. A row must meet all that are set.
struct RowQuery {
  std::optional<Family> family;
  std::string origin;  // A part of the identifier or symbol of one of its origins.
  // The next two ignore case, as SPDX identifiers do.
  std::string op;       // An operator that the subject calls: "linear", "aten.addmm".
  std::string licence;  // An SPDX expression of its evidence; "none" finds rows without a licence.
  std::string split;
  std::string id_prefix;  // Prefix of the content_id.
};

// Visits the rows that match, in content_id order, until `visit` fails or sets `more` to false.
// kUsage if id_prefix is not a prefix of hexadecimal digits.
using VisitRow = std::function<Status(const RowInContext& row, bool* more)>;
Status FindRows(DatasetReader* dataset, const RowQuery& query, const VisitRow& visit);

}  // namespace kernelmill
