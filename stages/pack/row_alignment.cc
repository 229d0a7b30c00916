#include "stages/pack/row_alignment.h"

namespace kernelmill {

void RowAlignment::Find(const std::string& what) {
  if (++findings_ <= kMostFindings) report_(row_, what);
}

void RowAlignment::Lose(std::int64_t row, const std::string& what) {
  report_(row, what);
  lost_ = true;
}

void RowAlignment::Add(const Digest& expected, const Peek& peek, const Take& take) {
  const auto next = [&] {
    take();
    ++row_;
  };
  while (!lost_) {
    const std::optional<Found> found = peek();
    if (lost_) return;
    if (!found) {
      if (!damaged_) Find("the file ends before training record " + expected.Hex());
      lost_ = true;
      return;
    }
    if (!found->equal && found->content_id && *found->content_id > expected) {
      if (!damaged_) Find("the row of training record " + expected.Hex() + " is missing");
      damaged_ = false;
      return;
    }
    if (found->equal || found->unreadable) {
      damaged_ = false;
      return next();
    }
    if (found->content_id == expected) {
      Find("it is not what the shards say of training record " + expected.Hex());
      damaged_ = false;
      return next();
    }
    if (found->content_id) {
      Find("the shards have no such row: training record " + found->content_id->Hex() +
           " does not belong here");
    } else if (!damaged_) {
      Find("it is not a row, where the shards have training record " + expected.Hex());
      damaged_ = true;
    }
    next();
  }
}

void RowAlignment::Finish(const Peek& peek, const Take& take) {
  for (; !lost_; ++row_, take()) {
    const std::optional<Found> found = peek();
    if (!found || lost_) return;
    if (!damaged_) Find("the shards have no such row");
    damaged_ = !found->content_id;
  }
}

std::optional<Digest> RowAlignment::IdOf(const Json& row) {
  if (!row.is_object()) return {};
  const Result<Digest> id = Digest::FromHex(row.TextAt("content_id"));
  return id.ok() ? std::optional(*id) : std::nullopt;
}

}  // namespace kernelmill
