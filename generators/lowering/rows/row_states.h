// The accumulators of reductions, as structs of device code: sums, extremes, moments.
#pragma once

#include <string>
#include <vector>

#include "corpora/operators/tensor_type.h"

namespace kernelmill {

// A thread's accumulator, as a struct of device code; accumulators can be merged.
struct RowState {
  struct Field {
    std::string type, name, initial;
  };
  std::string name;  // Of the struct.
  std::string comment;
  std::vector<Field> fields;
  std::string value_type;  // Of what add() takes.
  bool indexed = false;    // add(value, k).
  std::string add;         // Statements over the fields, `value` and `k`.
  std::string merge;       // Over the fields and those of `other`.
  std::string helper;      // A member function that both call.

  std::string Definition(const std::string& index) const;
};

// `type`: of the total, or of the values.
RowState SumState(const std::string& type);
RowState ProductState(const std::string& type);
RowState ExtremeOf(const std::string& type, DType dtype, bool maximum);
// With where it stands.
RowState ArgExtremeOf(const std::string& type, DType dtype, bool maximum);
// The largest value and the sum of exponentials below it, in one reading.
RowState OnlineExponentials();
// Mean and squared distances from it, in one reading.
RowState Moments();
// The second of two readings for the same.
RowState Distances();
RowState Any(bool all);

}  // namespace kernelmill
