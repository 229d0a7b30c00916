// Traces the ancestry of a record of a published dataset, for the command `trace`: from which
// records and by which steps it was made, back to commits and lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpora/dataset/dataset_reader.h"
#include "stages/samples/joined_sample.h"

namespace kernelmill {

struct Ancestor {
  Digest content_id;
  int depth = 0;                 // 0 is the record that was asked for.
  std::optional<Record> record;  // Absent if the dataset does not hold it: a step consumed it.
  bool seen = false;             // It was listed earlier already, with its own ancestry.
  // Of a sample: the lines that it was read from. Several lines can hold the same sample.
  std::vector<SamplePlace> places;
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

// Finds the places of samples in the verdicts of the dataset in `folder`. Does nothing for a
// dataset without samples.
Status FindPlaces(const std::string& folder, Ancestry* ancestry);

}  // namespace kernelmill
