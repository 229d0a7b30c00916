// Compares the rows of an export with those that the shards make, for the checks of all formats. Both
// are in content_id order, so a row that is missing, added or moved is one finding and does not
// shift the rows after it. One thread at a time may use an alignment.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "manifests/digest.h"
#include "manifests/json.h"

namespace kernelmill {

class RowAlignment {
 public:
  // A row of the file.
  struct Found {
    bool equal = false;                // It is the expected row.
    std::optional<Digest> content_id;  // What it says of itself; absent if it is not a row.
    bool unreadable = false;           // It is there, but its value is lost and was reported.
  };
  // The next row of the file, compared with the expected one; nothing at the end. Calls Lose() when
  // the file cannot be read on.
  using Peek = std::function<std::optional<Found>()>;
  // Moves to the row after it.
  using Take = std::function<void()>;
  // `row` counts from 0 within the file; -1: the whole file.
  using Report = std::function<void(std::int64_t row, const std::string& what)>;

  explicit RowAlignment(Report report) : report_(std::move(report)) {}

  // The next row that should be there.
  void Add(const Digest& expected, const Peek& peek, const Take& take);
  // Reports the rows that are left in the file.
  void Finish(const Peek& peek, const Take& take);
  // Reports that the file cannot be read from the current row on, or from `row` on, and ends the
  // comparison.
  void Lose(const std::string& what) { Lose(row_, what); }
  void Lose(std::int64_t row, const std::string& what);
  // Counts rows from 0 again: another file of the same split begins.
  void BeginFile() { row_ = 0; }
  std::int64_t row() const { return row_; }

  // The member "content_id" of a row.
  static std::optional<Digest> IdOf(const Json& row);

 private:
  void Find(const std::string& what);

  // An export without any right row needs no finding for each.
  static constexpr int kMostFindings = 20;

  Report report_;
  std::int64_t row_ = 0;
  int findings_ = 0;
  bool lost_ = false;
  bool damaged_ = false;  // The last row taken was not a row, and may have been the expected one.
};

}  // namespace kernelmill
