// The accumulators of reductions, as structs of device code: sums, extremes, moments.
#pragma once

#include <string>
#include <vector>

#include "corpora/operators/tensor_type.h"

namespace kernelmill {

// A thread's accumulator, as a struct of device code; accumulators can be merged.
struct RowAccumulator {
  struct Field {
    std::string type, name, initial;
  };
  std::string name;  // The name of the struct.
  std::string comment;
  std::vector<Field> fields;
  std::string value_type;  // The type of add()'s argument.
  bool indexed = false;    // add() takes the index too: add(value, k).
  std::string add;         // The body of add(): statements over the fields, `value` and `k`.
  std::string merge;       // The body of merge(): statements over the fields and those of `other`.
  std::string helper;      // A member function that both call, or "".

  // `merged`: with merge(), which kernels with one thread per row do not need. Definition() with it
  // has all lines of the other.
  std::string Definition(const std::string& index, bool merged) const;
  // The device function shuffled(state, offset), which only kernels that merge by shuffles need.
  std::string Shuffle() const;
};

// `type`: the type of the total, or of the values.
RowAccumulator SumState(const std::string& type);
RowAccumulator ProductState(const std::string& type);
RowAccumulator ExtremeOf(const std::string& type, DType dtype, bool maximum);
// With its index.
RowAccumulator ArgExtremeOf(const std::string& type, DType dtype, bool maximum);
// The largest value and the sum of exponentials relative to it, in one pass.
RowAccumulator OnlineExponentials();
// The mean and the sum of squared differences from it, in one pass (Welford).
RowAccumulator Moments();
// The sum of squared differences in the second of two passes.
RowAccumulator Distances();
RowAccumulator AnyOrAll(bool all);

}  // namespace kernelmill
