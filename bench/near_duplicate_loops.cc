// Produces the figures that bench/near_duplicates.py tabulates:
//   near_duplicate_loops tokens FILE
//   near_duplicate_loops pairs FILE SIMILARITY [KEPT]
//   near_duplicate_loops memory COUNT
// FILE has a JSON string with a Python program on each line; equal programs are one. "tokens"
// prints one line for each: its content_id, and its tokens with a space between them. "pairs"
// searches near duplicates in the order of the content_ids, compares all pairs, and scores both
// what the search keeps and what the file KEPT names, content_ids on lines of their own. "memory"
// searches among COUNT drawn sets, of which every fifth is nearly that of another one.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <vector>

#include "corpora/duplicates/near_duplicates.h"
#include "manifests/digest.h"
#include "manifests/json.h"
#include "manifests/split_mix.h"
#include "parsers/program_grams.h"

namespace kernelmill {
namespace {

constexpr std::size_t kDrawnGrams = 120;

double ProcessorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

using Programs = std::map<Digest, std::string>;

Result<Programs> ReadPrograms(const std::string& path) {
  std::ifstream file(path);
  Programs programs;
  for (std::string line; std::getline(file, line);) {
    KM_ASSIGN(const Json json, Json::Parse(line));
    programs.emplace(DigestOf(json.as_string()), json.as_string());
  }
  if (programs.empty()) return Status(ErrorCode::kUsage, path + " has no programs");
  return programs;
}

struct Pair {
  std::size_t a = 0, b = 0;
};

// Every pair that reaches the similarity. Sets whose sizes differ too much cannot reach it.
std::vector<Pair> AllPairs(const std::vector<std::vector<std::uint64_t>>& sets, double similarity) {
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < sets.size(); ++a) {
    for (std::size_t b = a + 1; b < sets.size(); ++b) {
      const auto [less, more] = std::minmax(sets[a].size(), sets[b].size());
      if (less == 0 || !Similarity{less, more}.Reaches(similarity)) continue;
      if (SimilarityOf(sets[a], sets[b]).Reaches(similarity)) pairs.push_back({a, b});
    }
  }
  return pairs;
}

// recall = 1 - (pairs of which both are kept) / pairs. "unrelated" counts removed programs that are
// similar to none, and "unrepresented" those that are similar to none that is kept.
Json ScoreOf(const std::vector<bool>& kept, const std::vector<Pair>& pairs) {
  std::int64_t both = 0, removed = 0, unrelated = 0, unrepresented = 0;
  std::vector<bool> related(kept.size()), represented(kept.size());
  for (const auto& [a, b] : pairs) {
    both += kept[a] && kept[b];
    related[a] = related[b] = true;
    if (kept[a]) represented[b] = true;
    if (kept[b]) represented[a] = true;
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    removed += !kept[i];
    unrelated += !kept[i] && !related[i];
    unrepresented += !kept[i] && !represented[i];
  }
  const double all = pairs.empty() ? 1 : static_cast<double>(pairs.size());
  return Json::Object{{"removed", removed},
                      {"unrelated", unrelated},
                      {"unrepresented", unrepresented},
                      {"recall", 1 - static_cast<double>(both) / all}};
}

Status RunTokens(const std::string& path) {
  KM_ASSIGN(const Programs programs, ReadPrograms(path));
  for (const auto& [id, text] : programs) {
    std::printf("%s", id.Hex().c_str());
    ForEachProgramToken(ProgramLanguage::kPython, text, [](const ProgramToken& token) {
      std::string one(token.text);
      for (char& c : one) {
        if (static_cast<unsigned char>(c) <= ' ') c = '_';
      }
      std::printf(" %s", one.c_str());
    });
    std::printf("\n");
  }
  return Status::Ok();
}

Status RunPairs(const std::string& path, double similarity, const std::string& kept_path) {
  KM_ASSIGN(const Programs programs, ReadPrograms(path));
  const std::string folder = std::filesystem::temp_directory_path().string();
  const double start = ProcessorSeconds();
  KM_ASSIGN(NearDuplicates search, NearDuplicates::Create(folder, similarity));
  std::vector<std::vector<std::uint64_t>> sets;
  for (const auto& [id, text] : programs) {
    sets.push_back(ProgramGrams(ProgramLanguage::kPython, text));
    KM_RETURN_IF_ERROR(search.Add(sets.back()));
  }
  std::vector<bool> kept(sets.size(), true);
  std::vector<NearDuplicate> removed;
  KM_ASSIGN(const NearDuplicates::Counts counts, search.Find([&](const NearDuplicate& duplicate) {
    kept[duplicate.removed] = false;
    removed.push_back(duplicate);
    return Status::Ok();
  }));
  const double searched = ProcessorSeconds();
  const std::vector<Pair> pairs = AllPairs(sets, similarity);
  const double compared = ProcessorSeconds();
  std::int64_t wrong = 0;  // Removed though the named program is not kept or not as similar.
  for (const NearDuplicate& one : removed) {
    wrong +=
        !kept[one.kept] || !SimilarityOf(sets[one.removed], sets[one.kept]).Reaches(similarity);
  }
  Json json = Json::Object{{"programs", static_cast<std::int64_t>(sets.size())},
                           {"pairs", static_cast<std::int64_t>(pairs.size())},
                           {"verified", static_cast<std::int64_t>(counts.verified)},
                           {"wrong", wrong},
                           {"seconds", searched - start},
                           {"exhaustive_seconds", compared - searched},
                           {"search", ScoreOf(kept, pairs)}};
  if (!kept_path.empty()) {
    std::ifstream file(kept_path);
    std::set<std::string> ids;
    for (std::string line; std::getline(file, line);) ids.insert(line);
    std::vector<bool> other;
    for (const auto& [id, text] : programs) other.push_back(ids.contains(id.Hex()));
    json["other"] = ScoreOf(other, pairs);
  }
  std::printf("%s\n", json.Dump().c_str());
  return Status::Ok();
}

Status RunMemory(std::int64_t count) {
  const std::string folder = std::filesystem::temp_directory_path().string();
  KM_ASSIGN(NearDuplicates search, NearDuplicates::Create(folder, 0.8));
  std::uint64_t state = 1;
  std::vector<std::uint64_t> set(kDrawnGrams);
  const double start = ProcessorSeconds();
  for (std::int64_t i = 0; i < count; ++i) {
    // Every fifth set is the one before with a twentieth of its numbers replaced.
    const std::size_t replaced = i % 5 == 4 ? kDrawnGrams / 20 : kDrawnGrams;
    for (std::size_t at = 0; at < replaced; ++at) set[at] = NextMixedBits(&state);
    std::vector<std::uint64_t> sorted = set;
    std::sort(sorted.begin(), sorted.end());
    KM_RETURN_IF_ERROR(search.Add(sorted));
  }
  KM_ASSIGN(const NearDuplicates::Counts counts,
            search.Find([](const NearDuplicate&) { return Status::Ok(); }));
  std::printf("%s\n", Json(Json::Object{{"removed", static_cast<std::int64_t>(counts.removed)},
                                        {"seconds", ProcessorSeconds() - start}})
                          .Dump()
                          .c_str());
  return Status::Ok();
}

Status RunLoop(const std::vector<std::string>& arguments) {
  const std::string mode = arguments.empty() ? "" : arguments[0];
  if (mode == "tokens" && arguments.size() == 2) return RunTokens(arguments[1]);
  if (mode == "pairs" && (arguments.size() == 3 || arguments.size() == 4)) {
    return RunPairs(arguments[1], std::atof(arguments[2].c_str()),
                    arguments.size() == 4 ? arguments[3] : "");
  }
  if (mode == "memory" && arguments.size() == 2) return RunMemory(std::atoll(arguments[1].c_str()));
  return Status(
      ErrorCode::kUsage,
      "usage: near_duplicate_loops tokens FILE | pairs FILE SIMILARITY [KEPT] | memory COUNT");
}

}  // namespace
}  // namespace kernelmill

int main(int argc, char** argv) {
  const kernelmill::Status status = kernelmill::RunLoop({argv + 1, argv + argc});
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}
