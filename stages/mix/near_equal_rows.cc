#include "stages/mix/near_equal_rows.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "corpora/duplicates/near_duplicates.h"
#include "parsers/program_grams.h"
#include "parsers/samples/message_code.h"

namespace kernelmill {
namespace {

constexpr char kLimit[] = "near_equal.limit", kSimilarity[] = "near_equal.similarity";

struct Program {
  Digest row;
  std::uint64_t kind = 0;  // Of family and backend.
  std::vector<std::uint64_t> grams;
  std::int64_t place = 0;   // Among the rows of the task with the same kind.
  std::int64_t others = 0;  // Trained programs that are near-equal to this one.
};

std::uint64_t KindOf(const TrainingRecord& training) {
  return Sha256().Field(FamilyName(training.family)).Field(training.backend).Finish().Prefix64();
}

// The rows of one task in the order in which they are taken. `programs` come by content_id.
void PutInOrder(std::vector<Program>* programs) {
  std::map<std::uint64_t, std::int64_t> places;
  for (Program& program : *programs) program.place = places[program.kind]++;
  std::sort(programs->begin(), programs->end(), [](const Program& a, const Program& b) {
    return std::tie(a.place, a.row) < std::tie(b.place, b.row);
  });
}

// The trained program that is most similar to one above the limit.
const Program& NearestTo(const Program& program, const std::vector<Program*>& trained) {
  const Program* nearest = trained.front();
  double most = -1;
  for (const Program* other : trained) {
    const double similarity = SimilarityOf(program.grams, other->grams).Value();
    if (similarity > most || (similarity == most && other->row < nearest->row)) {
      nearest = other;
      most = similarity;
    }
  }
  return *nearest;
}

// The twins among the rows of one task.
void FindTwins(std::vector<Program> programs, const NearEqualOptions& options,
               NearEqualTwins* twins) {
  PutInOrder(&programs);
  std::vector<Program*> trained, above;
  for (Program& program : programs) {
    std::vector<Program*> near;
    for (Program* other : trained) {
      if (SimilarityOf(program.grams, other->grams).Reaches(options.similarity)) {
        near.push_back(other);
      }
    }
    const bool fits = static_cast<std::int64_t>(near.size()) < options.limit &&
                      std::all_of(
                          near.begin(), near.end(),
                          [&](const Program* other) { return other->others + 1 < options.limit; });
    (fits ? trained : above).push_back(&program);
    if (!fits) continue;
    program.others = static_cast<std::int64_t>(near.size());
    for (Program* other : near) ++other->others;
  }
  for (const Program* program : above) {
    twins->emplace(program->row, NearestTo(*program, trained).row);
  }
}

Program Decoded(const Digest& row, std::string_view value) {
  std::vector<std::uint64_t> numbers(value.size() / sizeof(std::uint64_t));
  std::memcpy(numbers.data(), value.data(), numbers.size() * sizeof(std::uint64_t));
  Program program{.row = row, .kind = numbers.front()};
  program.grams.assign(numbers.begin() + 1, numbers.end());
  return program;
}

}  // namespace

std::vector<ConfigKey> NearEqualKeys() {
  return {{kLimit, ConfigType::kInteger, 3, "programs",
           "The largest number of near-equal programs of one task that are trained, over all "
           "families. Other rows with such a program have weight 0 and name a trained one in "
           "near_equal_to; exports for trainers leave them out. 0 means no limit.",
           kNotNegative},
          {kSimilarity, ConfigType::kNumber, 0.8, "",
           "How much text two programs of a task share if they are near-equal. Measured as the "
           "share of equal runs of five tokens among all runs of both, without comments and "
           "formatting.",
           kFraction}};
}

NearEqualOptions NearEqualOptions::Of(const Config& config) {
  return {.limit = config.Integer(kLimit), .similarity = config.Number(kSimilarity)};
}

bool TrainsProgram(Family family) {
  switch (family) {
    case Family::kTranslate:
    case Family::kOptimize:
    case Family::kPort:
    case Family::kRepair:
    case Family::kTest:
      return true;
    case Family::kShapeReasoning:
    case Family::kKnowledge:
    case Family::kAnalyze:
    case Family::kReview:
      return false;
  }
  return false;
}

Result<NearEqualRows> NearEqualRows::Create(const std::string& folder) {
  KM_ASSIGN(ShardSorter rows, ShardSorter::Create(folder));
  return NearEqualRows(std::move(rows));
}

Status NearEqualRows::Add(const Digest& row, const TrainingRecord& training) {
  if (!TrainsProgram(training.family) || training.messages.empty()) return Status::Ok();
  const std::optional<std::string> code = FindCandidateCode(training.messages.back().content);
  if (!code) return Status::Ok();
  std::vector<std::uint64_t> numbers = ProgramGrams(ProgramLanguage::kPython, *code);
  if (numbers.empty()) return Status::Ok();
  numbers.insert(numbers.begin(), KindOf(training));
  return rows_.Put(
      std::string(training.task_id.AsKey()).append(row.AsKey()),
      {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint64_t)});
}

Result<NearEqualTwins> NearEqualRows::Find(const NearEqualOptions& options) {
  NearEqualTwins twins;
  if (options.limit == 0) return twins;
  std::string task;
  std::vector<Program> programs;
  const auto finish = [&] {
    FindTwins(std::move(programs), options, &twins);
    programs.clear();
  };
  KM_RETURN_IF_ERROR(
      rows_.ForEach([&](std::string_view key, std::string_view value, bool*) -> Status {
        constexpr std::size_t kBytes = sizeof(Digest);
        if (task != key.substr(0, kBytes)) finish();
        task = key.substr(0, kBytes);
        Digest row;
        std::memcpy(row.bytes.data(), key.data() + kBytes, kBytes);
        programs.push_back(Decoded(row, value));
        return Status::Ok();
      }));
  finish();
  return twins;
}

}  // namespace kernelmill
