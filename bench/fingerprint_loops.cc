// Produces the figures that bench/fingerprints.py tabulates:
//   fingerprint_loops strategies TASKS SEED COPIES [FOLDER]
//   fingerprint_loops answers TASKS SEED COPIES
//   fingerprint_loops files FILE…
// "strategies" draws tasks of levels 1 to 3, keeps those with kLabels or more answers of different
// strategies, and writes each answer COPIES times in other words. The strategies are the labels,
// which the fingerprint never sees. Tasks are split by lot: the fingerprint was tuned by one half,
// and the other was set aside. FOLDER gets a sample of the rewritten answers of the tuned half,
// beside their tasks, and all that left their cluster.
// "answers" prints the same answers for bench/sampled_dataset.py, a line for each: {"task",
// "reference", "strategy", "copy", "code"}; copy 0 is as it was written.
// "files" prints the fingerprint of each file.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include "generators/graphs/generated_task.h"
#include "generators/lowering/lower_graph.h"
#include "manifests/commit_file.h"
#include "manifests/json.h"
#include "parsers/fingerprints/answer_fingerprint.h"
#include "stages/select/selection.h"
#include "tests/generators/fingerprints/equivalent_answer.h"

namespace kernelmill {
namespace {

constexpr std::size_t kLabels = 8;
constexpr int kMostVariants = 16;
// As skewed as samples of models are: the r-th strategy has a share that falls with 1 / r.
constexpr int kSamplesOfATask = 60;
constexpr int kDraws = 100;

struct Labelled {
  int label = 0;
  Digest cluster;
};

// Sums over the tasks of one half.
struct Figures {
  std::int64_t tasks = 0, labels = 0, clusters = 0, samples = 0, pure = 0, complete = 0;
  std::int64_t pools = 0, pools_labels = 0, covered = 0, selected = 0;
  double random = 0;

  void Add(const std::vector<Labelled>& task) {
    std::map<Digest, std::map<int, std::int64_t>> by_cluster;
    std::map<int, std::map<Digest, std::int64_t>> by_label;
    for (const Labelled& one : task) {
      ++by_cluster[one.cluster][one.label];
      ++by_label[one.label][one.cluster];
    }
    const auto largest = [](const auto& counts) {
      std::int64_t most = 0;
      for (const auto& [key, count] : counts) most = std::max(most, count);
      return most;
    };
    ++tasks;
    labels += static_cast<std::int64_t>(by_label.size());
    clusters += static_cast<std::int64_t>(by_cluster.size());
    samples += static_cast<std::int64_t>(task.size());
    for (const auto& [cluster, counts] : by_cluster) pure += largest(counts);
    for (const auto& [label, counts] : by_label) complete += largest(counts);
  }

  Json ToJson() const {
    const auto share = [&](std::int64_t count) {
      return static_cast<double>(count) / static_cast<double>(samples);
    };
    return Json::Object{{"tasks", tasks},        {"labels", labels},
                        {"clusters", clusters},  {"samples", samples},
                        {"purity", share(pure)}, {"completeness", share(complete)},
                        {"pools", pools},        {"pool_labels", pools_labels},
                        {"selected", selected},  {"covered", covered},
                        {"random", random}};
  }
};

class Bench {
 public:
  Bench(int copies, std::string folder) : copies_(copies), folder_(std::move(folder)) {}

  Status AddTask(const std::string& id, const Digest& hash, const std::string& reference,
                 const std::vector<LoweredAnswer>& answers) {
    if (answers.size() < kLabels) return Status::Ok();
    const bool tuned = hash.bytes[0] % 2 == 0;
    Figures& figures = halves_[tuned ? "tuned" : "aside"];
    std::vector<Labelled> task;
    std::map<int, Digest> cluster_of;
    for (std::size_t label = 0; label < answers.size(); ++label) {
      const Digest own = Fingerprint(answers[label].text);
      cluster_of[static_cast<int>(label)] = own;
      task.push_back({static_cast<int>(label), own});
      for (int copy = 0; copy < copies_; ++copy) {
        EquivalentAnswer other(answers[label].text, hash.Prefix64() + 1000 * label + copy);
        other.ApplySome();
        const Digest cluster = Fingerprint(other.Text());
        task.push_back({static_cast<int>(label), cluster});
        const bool apart = cluster != own;
        apart_ += apart;
        if (tuned && !folder_.empty() && (apart || (copy == 0 && label == 0))) {
          const std::string path = folder_ + '/' + id + '.' + std::to_string(label) + '.' +
                                   std::to_string(copy) + (apart ? ".apart" : "");
          KM_RETURN_IF_ERROR(ReplaceFile(path + ".answer.py", other.Text()));
          KM_RETURN_IF_ERROR(ReplaceFile(path + ".original.py", answers[label].text));
          KM_RETURN_IF_ERROR(ReplaceFile(path + ".reference.py", reference));
        }
      }
    }
    if (tuned) ReportEqual(id, answers, cluster_of);
    figures.Add(task);
    Select(id, hash, cluster_of, &figures);
    return Status::Ok();
  }

  Json ToJson() const {
    Json::Object halves;
    for (const auto& [name, figures] : halves_) halves[name] = figures.ToJson();
    return Json::Object{{"halves", std::move(halves)},
                        {"rewritten_apart", apart_},
                        {"fingerprints", fingerprints_},
                        {"seconds", seconds_}};
  }

 private:
  Digest Fingerprint(const std::string& text) {
    const std::clock_t start = std::clock();
    const Digest cluster = ReadAnswerFingerprint(text).Cluster();
    seconds_ += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    ++fingerprints_;
    return cluster;
  }

  // Labels that share a cluster, for whoever tunes the fingerprint.
  static void ReportEqual(const std::string& id, const std::vector<LoweredAnswer>& answers,
                          const std::map<int, Digest>& cluster_of) {
    for (const auto& [a, cluster] : cluster_of) {
      for (const auto& [b, other] : cluster_of) {
        if (a >= b || cluster != other) continue;
        std::fprintf(stderr, "%s: one cluster: %s | %s\n", id.c_str(),
                     answers[static_cast<std::size_t>(a)].Structure().c_str(),
                     answers[static_cast<std::size_t>(b)].Structure().c_str());
      }
    }
  }

  // A hard task: one sample in ten is right, and the strategies are as unequal as in samples of
  // models. Counts the labels that the selection covers, and those that random choices do.
  void Select(const std::string& id, const Digest& hash, const std::map<int, Digest>& cluster_of,
              Figures* figures) {
    std::vector<JudgedSample> samples;
    std::vector<int> labels;
    double harmonic = 0;
    for (std::size_t r = 1; r <= cluster_of.size(); ++r) harmonic += 1.0 / static_cast<double>(r);
    for (const auto& [label, cluster] : cluster_of) {
      const double share = 1 / (harmonic * static_cast<double>(label + 1));
      const int count = std::max(1, static_cast<int>(std::lround(share * kSamplesOfATask)));
      for (int i = 0; i < count; ++i) {
        labels.push_back(label);
        samples.push_back({.id = DigestOf(id + std::to_string(label) + ' ' + std::to_string(i)),
                           .task = id,
                           .backend = "cuda",
                           .judged = true,
                           .correct = true,
                           .cluster = cluster});
      }
    }
    const std::size_t right = samples.size();
    for (std::size_t i = 0; i < 9 * right; ++i) {
      samples.push_back({.id = DigestOf(id + " wrong " + std::to_string(i)),
                         .task = id,
                         .backend = "cuda",
                         .judged = true});
    }
    const SampleSelection selection = SelectSamples(samples, {});
    if (selection.selected.size() >= cluster_of.size()) return;  // Not below the number of labels.
    std::set<int> covered;
    for (const PooledSample& one : selection.selected) covered.insert(labels[one.sample]);
    std::mt19937_64 random(hash.Prefix64());
    std::vector<std::size_t> order(right);
    std::iota(order.begin(), order.end(), 0);
    std::int64_t drawn = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      std::shuffle(order.begin(), order.end(), random);
      std::set<int> seen;
      for (std::size_t i = 0; i < selection.selected.size(); ++i) seen.insert(labels[order[i]]);
      drawn += static_cast<std::int64_t>(seen.size());
    }
    ++figures->pools;
    figures->pools_labels += static_cast<std::int64_t>(cluster_of.size());
    figures->selected += static_cast<std::int64_t>(selection.selected.size());
    figures->covered += static_cast<std::int64_t>(covered.size());
    figures->random += static_cast<double>(drawn) / kDraws;
  }

  const int copies_;
  const std::string folder_;
  std::map<std::string, Figures> halves_;
  std::int64_t apart_ = 0, fingerprints_ = 0;
  double seconds_ = 0;
};

using UseTask =
    std::function<Status(const std::string& id, const Digest& hash, const std::string& reference,
                         const std::vector<LoweredAnswer>& answers)>;

// Of `count` drawn tasks.
Status ForEachTask(std::int64_t count, std::uint64_t seed, const UseTask& use) {
  TaskGenerator tasks({.seed = seed, .levels = {1, 2, 3}});
  for (std::int64_t i = 0; i < count && tasks.Next(); ++i) {
    std::string reference;
    tasks.AppendSource(SourceSizes::kSmall, &reference);
    const OperatorGraph& graph = tasks.sampler().small();
    const ModuleText module = ModuleTextOfPlan(
        tasks.sampler().large(), graph, tasks.source().plan(), reference, SourceSizes::kSmall);
    KM_RETURN_IF_ERROR(use(tasks.Id(), tasks.hash(), reference,
                           LowerInVariants(graph, module, kCudaBackend, kMostVariants)));
  }
  return Status::Ok();
}

Status RunStrategies(std::int64_t count, std::uint64_t seed, int copies,
                     const std::string& folder) {
  if (!folder.empty()) KM_RETURN_IF_ERROR(MakeFolders(folder));
  Bench bench(copies, folder);
  KM_RETURN_IF_ERROR(
      ForEachTask(count, seed,
                  [&](const std::string& id, const Digest& hash, const std::string& reference,
                      const std::vector<LoweredAnswer>& answers) {
                    return bench.AddTask(id, hash, reference, answers);
                  }));
  std::printf("%s\n", bench.ToJson().Dump().c_str());
  return Status::Ok();
}

Status RunAnswers(std::int64_t count, std::uint64_t seed, int copies) {
  return ForEachTask(
      count, seed,
      [&](const std::string& id, const Digest& hash, const std::string& reference,
          const std::vector<LoweredAnswer>& answers) {
        if (answers.size() < kLabels) return Status::Ok();
        for (std::size_t label = 0; label < answers.size(); ++label) {
          for (int copy = 0; copy < copies; ++copy) {
            EquivalentAnswer other(answers[label].text, hash.Prefix64() + 1000 * label + copy);
            if (copy > 0) other.ApplySome();
            std::printf("%s\n", Json(Json::Object{{"task", id},
                                                  {"reference", reference},
                                                  {"strategy", static_cast<std::int64_t>(label)},
                                                  {"copy", copy},
                                                  {"code", other.Text()}})
                                    .Dump()
                                    .c_str());
          }
        }
        return Status::Ok();
      });
}

Status RunFiles(int count, char** files) {
  for (int i = 0; i < count; ++i) {
    KM_ASSIGN(const std::string text, ReadFile(files[i]));
    const AnswerFingerprint fingerprint = ReadAnswerFingerprint(text);
    std::printf("%s\n", Json(Json::Object{{"file", files[i]},
                                          {"cluster", fingerprint.Cluster().Hex()},
                                          {"text", fingerprint.Text()},
                                          {"fingerprint", fingerprint.ToJson()}})
                            .Dump()
                            .c_str());
  }
  return Status::Ok();
}

}  // namespace
}  // namespace kernelmill

int main(int count, char** arguments) {
  using namespace kernelmill;
  const std::string_view mode = count > 1 ? arguments[1] : "";
  Status status = Status::Ok();
  if (mode == "strategies" && (count == 5 || count == 6)) {
    status = RunStrategies(std::atoll(arguments[2]), std::strtoull(arguments[3], nullptr, 10),
                           std::atoi(arguments[4]), count == 6 ? arguments[5] : "");
  } else if (mode == "answers" && count == 5) {
    status = RunAnswers(std::atoll(arguments[2]), std::strtoull(arguments[3], nullptr, 10),
                        std::atoi(arguments[4]));
  } else if (mode == "files") {
    status = RunFiles(count - 2, arguments + 2);
  } else {
    std::fprintf(stderr,
                 "usage: fingerprint_loops strategies TASKS SEED COPIES [FOLDER] | answers TASKS "
                 "SEED COPIES | files FILE…\n");
    return 1;
  }
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
