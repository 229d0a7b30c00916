#include "stages/launch/rank_share.h"

#include <charconv>
#include <cstring>
#include <utility>

namespace kernelmill {
namespace {

Result<std::optional<std::int64_t>> NumberAt(const EnvironmentOf& environment, const char* name) {
  const char* const text = environment(name);
  if (text == nullptr || *text == '\0') return std::optional<std::int64_t>();
  std::int64_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error != std::errc() || stop != end || number < 0) {
    return Status(ErrorCode::kUsage,
                  std::string(name) + " must be a whole number of 0 or more, not '" + text + "'");
  }
  return std::optional(number);
}

// The size of the whole array, if each of its tasks is one rank.
Result<std::int64_t> WorldOfArray(const EnvironmentOf& environment) {
  KM_ASSIGN(const auto count, NumberAt(environment, "SLURM_ARRAY_TASK_COUNT"));
  KM_ASSIGN(const auto least, NumberAt(environment, "SLURM_ARRAY_TASK_MIN"));
  KM_ASSIGN(const auto most, NumberAt(environment, "SLURM_ARRAY_TASK_MAX"));
  if (!count) {
    return Status(ErrorCode::kUsage, "give --world, the number of ranks that share the step");
  }
  if (least.value_or(0) != 0 || most.value_or(*count - 1) != *count - 1) {
    return Status(ErrorCode::kUsage,
                  "give --world: this array job is only a part of the ranks, because its tasks are "
                  "not numbered from 0 to SLURM_ARRAY_TASK_COUNT - 1");
  }
  return *count;
}

}  // namespace

Status CheckShare(const Share& share) {
  if (share.world >= 1 && share.rank >= 0 && share.rank < share.world) return Status::Ok();
  return Status(ErrorCode::kUsage, "the rank " + std::to_string(share.rank) +
                                       " is not in a world of " + std::to_string(share.world) +
                                       ", whose ranks begin with 0");
}

Result<Share> ShareOf(const RankWords& words, const EnvironmentOf& environment) {
  Share share;
  if (words.rank) {
    if (words.offset != 0) {
      return Status(ErrorCode::kUsage,
                    "--offset is for the rank of an array job; with --rank, give the sum");
    }
    share.rank = *words.rank;
  } else {
    std::optional<std::int64_t> rank;
    for (const char* name : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}) {
      if (!rank) {
        KM_ASSIGN(rank, NumberAt(environment, name));
      }
    }
    if (!rank) {
      return Status(ErrorCode::kUsage,
                    "give --rank, or run this as a task of a Slurm array job "
                    "(SLURM_ARRAY_TASK_ID) or of a Kubernetes indexed job "
                    "(JOB_COMPLETION_INDEX)");
    }
    share.rank = *rank + words.offset;
  }
  if (words.world) {
    share.world = *words.world;
  } else if (words.rank || words.offset != 0) {
    return Status(ErrorCode::kUsage, "give --world, the number of ranks that share the step");
  } else {
    KM_ASSIGN(share.world, WorldOfArray(environment));
  }
  KM_RETURN_IF_ERROR(CheckShare(share));
  return share;
}

}  // namespace kernelmill
