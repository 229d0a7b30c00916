// Solves the mixture of a published dataset again from its rows, for the audit, and finds rows
// whose weights do not follow from it, or that are above the limit of near-equal programs and do
// not say so. The part of a row, its share among the rows that ask for the same, is one over a
// whole number, so the weight tells it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "corpora/dataset/row.h"
#include "corpora/records/record.h"
#include "stages/mix/mix_rows.h"

namespace kernelmill {

class MixtureCheck {
 public:
  // Takes an annotation; ignores other records than that.
  Status Learn(const Record& record) { return mixer_.Learn(record); }
  Status Add(const Record& record, const Row& row);

  // `row` counts the calls of Add() from 0.
  using Report = std::function<void(std::size_t row, const std::string& what)>;
  // After the last record: reports each row that does not have the weight which the factors of
  // `published` give it, or names another near-equal row than the options make, and returns the
  // mixture of the rows under `options`. To be called once.
  Result<Mixture> Finish(const Mixture& published, const MixOptions& options, const Report& report);

 private:
  struct Weighed {
    Digest content_id;
    std::string near_equal_to;
    MixedRow row;  // Without `elementwise`, which is known in the end.
    double weight = 0;
    std::int64_t tokens = 0;
    bool trained = false;
  };

  RowMixer mixer_;
  std::optional<NearEqualRows> near_equal_;  // Made with the first row.
  std::vector<Weighed> rows_;
};

}  // namespace kernelmill
