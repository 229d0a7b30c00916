// The ancestry of a record: what it was made from and by which steps, back to commits and lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpora/dataset/dataset_reader.h"

namespace kernelmill {

struct Ancestor {
  Digest content_id;
  int depth = 0;                 // 0 is the record that was asked for.
  std::optional<Record> record;  // Nothing when the dataset does not hold it: what a step used up.
  bool seen = false;             // It was listed further up already, with its own ancestry.
};

// The record itself and everything it was made from, each before its own inputs.
struct Ancestry {
  std::vector<Ancestor> ancestors;

  // For a terminal; indented by depth.
  std::string Text() const;
  // {"content_id", "records": [… each once …], "absent": [content_ids]}
  Json ToJson() const;
};

// kNotFound when the dataset has no such record.
Result<Ancestry> Trace(DatasetReader* dataset, const Digest& content_id);

}  // namespace kernelmill
