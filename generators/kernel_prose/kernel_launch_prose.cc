#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "corpora/kernel_backend.h"
#include "generators/kernel_prose/kernel_prose.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostLaunches = 3;

// The parts of "(count + size - 1) / size", a division that rounds up.
struct RoundedUp {
  std::string count, size;
};

std::optional<RoundedUp> RoundedUpIn(const std::string& text) {
  static constexpr std::string_view kMiddle = " - 1) / ";
  const auto middle = text.find(kMiddle);
  if (middle == std::string::npos) return std::nullopt;
  std::size_t end = middle + kMiddle.size();
  const std::size_t begin = end;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) ||
                               text[end] == '_' || text[end] == '.')) {
    ++end;
  }
  const std::string size = text.substr(begin, end - begin);
  const std::string before = " + " + size;
  if (size.empty() || middle < before.size() ||
      text.compare(middle - before.size(), before.size(), before) != 0) {
    return std::nullopt;
  }
  // Go back to the bracket that opens the sum.
  std::size_t at = middle - before.size();
  const std::size_t last = at;
  for (int depth = 0; at > 0; --at) {
    if (text[at - 1] == ')') ++depth;
    if (text[at - 1] == '(' && depth-- == 0) break;
  }
  if (at == 0 || at == last) return std::nullopt;
  return RoundedUp{text.substr(at, last - at), size};
}

// Launches that differ only in their template arguments.
struct LaunchGroup {
  KernelLaunch launch;                 // Without template arguments.
  std::vector<std::string> instances;  // "float, 4".
};

std::vector<LaunchGroup> GroupsOf(const KernelSource& kernel) {
  std::vector<LaunchGroup> groups;
  for (KernelLaunch launch : kernel.launches) {
    if (launch.grid.empty() || launch.block.empty()) continue;
    const std::string instance = std::exchange(launch.template_arguments, "");
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const LaunchGroup& group) { return group.launch == launch; });
    if (at == groups.end()) at = groups.insert(groups.end(), LaunchGroup{launch, {}});
    if (!instance.empty()) at->instances.push_back(instance);
  }
  return groups;
}

// Whether the expression is torch's current stream.
bool IsTorchsStream(const std::string& stream) {
  const auto backends = KernelBackends();
  return std::any_of(backends.begin(), backends.end(), [&](const KernelBackend* backend) {
    return stream.find("getCurrent" + std::string(backend->title) + "Stream") != stream.npos;
  });
}

// The sentence about grid and block; it contains the kernel's name when `named` is set.
std::string Configuration(const KernelFacts& facts, const LaunchGroup& group, bool named) {
  const KernelLaunch& launch = group.launch;
  std::string text = named ? facts.name : "";
  if (named && group.instances.size() == 1) text += "<" + group.instances[0] + ">";
  if (named && group.instances.size() > 1) text += "<…>";
  text += "<<<" + launch.grid + ", " + launch.block;
  if (!launch.shared.empty()) text += ", " + launch.shared;
  if (!launch.stream.empty()) text += IsTorchsStream(launch.stream) ? ", …" : ", " + launch.stream;
  return text + ">>>";
}

bool UsesDynamicMemory(const KernelFacts& facts) {
  return std::any_of(facts.shared.begin(), facts.shared.end(),
                     [](const SharedArray& array) { return array.dynamic; });
}

std::string OneLaunch(const KernelSubject& subject, const LaunchGroup& group,
                      const std::string& purpose) {
  const KernelLaunch& launch = group.launch;
  SentenceWriter writer(subject.wording, subject.row_name + " " + purpose);
  // A launcher whose name contains the kernel's name says it already.
  const bool named = launch.function.find(subject.facts.name) == launch.function.npos;
  std::string text = writer.Say(
      {"The host function `{function}` launches it [as|with] {call}.",
       "`{function}` [on the host |]starts it[ with|:] {call}.",
       "[It is launched|The launch is made] by `{function}`: {call}.",
       "[On the host, |]`{function}` issues {call}.", "[Launched|Started] in `{function}`: {call}.",
       "{call} [stands|is] in `{function}`[, on the host|].",
       "`{function}` [holds|has|contains] the launch, {call}.",
       "[Who launches it is|The caller is] `{function}`, with {call}."},
      {{"function", launch.function},
       {"call", Quoted(Configuration(subject.facts, group, named))}});
  if (group.instances.size() > 1) {
    std::vector<std::string> quoted;
    for (const std::string& instance : group.instances) quoted.push_back(Quoted(instance));
    text += FillPlaceholders(" It is instantiated for {list}.", {{"list", Listed(quoted)}});
  }
  if (!launch.setup.empty()) {
    text += subject.Say(purpose + " setup",
                        {" Its configuration comes from:", " [Before that|In front of it]:",
                         " [Set|Computed|Worked out] before:", " The values are prepared by:", " With",
                         " [Sizes|Grid and block|Launch sizes]:", " [Here|There|Where]:",
                         " [In these lines|A few lines up] the host works out the sizes:",
                         " [Both|All] come from:", " These lines decide the sizes:",
                         " [First|Beforehand]:", " [For that|To that end]:"});
    text += "\n\n```cpp\n";
    for (const std::string& statement : launch.setup) text += statement + "\n";
    text += "```\n\n";
  } else {
    text += " ";
  }
  std::vector<std::string> sources = launch.setup;
  sources.push_back(launch.grid);
  for (const std::string& source : sources) {
    const auto rounded = RoundedUpIn(source);
    if (!rounded) continue;
    if (SentenceWriter(subject.wording, subject.row_name + purpose + " rounds").OneIn(2)) break;
    text += subject.Say(
                     purpose + " rounded",
                     {"The division rounds up: enough pieces of `{size}` to cover `{count}`[, the "
                      "last one possibly not full|]. ",
                      "`({count} + {size} - 1) / {size}` is the smallest number of pieces of "
                      "`{size}` that covers `{count}`[; when it does not divide evenly, some "
                      "threads are left over|]. ",
                      "Adding `{size} - 1` before dividing rounds up[, so no part of `{count}` is "
                      "left without threads|]. ",
                      "`{count}` [is|comes] in pieces of `{size}`, rounded up. ",
                      "[Rounded up|The quotient is rounded up], `{count}` by `{size}`. "},
                 {{"size", rounded->size}, {"count", rounded->count}});
    break;
  }
  const bool none = std::find(launch.setup.begin(), launch.setup.end(),
                              "int64_t " + launch.shared + " = 0;") != launch.setup.end();
  if (!launch.shared.empty() && launch.shared != "0" && !none) {
    const SentenceVariants dynamic = {
        "Each block gets `{bytes}` bytes of dynamic shared memory[, for the `extern __shared__` "
        "array|]. ",
        "`{bytes}` [says|is] how many bytes the `extern __shared__` array has. ",
        "[Dynamic shared memory|For the `extern __shared__` array]: `{bytes}` bytes[ a block|]. "};
    const SentenceVariants third = {
        "The third argument, `{bytes}`, is the number of bytes of dynamic shared memory a block. ",
        "`{bytes}` bytes of dynamic shared memory [go to|are for] each block. ",
        "[As dynamic shared memory|Of shared memory] a block gets `{bytes}`[ bytes|]. "};
    text += subject.Say(purpose + " shared", UsesDynamicMemory(subject.facts) ? dynamic : third,
                        {{"bytes", launch.shared}});
  }
  if (IsTorchsStream(launch.stream)) {
    text +=
        writer.Say({"The stream is torch's current one. ", "It runs on torch's current stream. ",
                    "[Queued|It is queued] on the stream that torch uses. ",
                    "The last argument is torch's current stream. ", "", "", ""});
  } else if (!launch.stream.empty()) {
    // Says which stream the launch uses, and only seldom what a stream is.
    text += subject.Say(purpose + " stream",
                        {"It is queued [on its stream|there], in order with the other work[ of the "
                         "stream|]. ",
                         "The launch returns at once[; the kernel runs when its turn comes|]. ", "",
                         "", "", "", "", ""});
  }
  while (text.ends_with(' ') || text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string LaunchProse(const KernelSubject& subject) {
  const std::vector<LaunchGroup> groups = GroupsOf(subject.kernel);
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), kMostLaunches); ++i) {
    text +=
        (text.empty() ? "" : "\n\n") + OneLaunch(subject, groups[i], "launch " + std::to_string(i));
  }
  if (groups.size() > kMostLaunches) {
    text += "\n\nThere are launches with " + std::to_string(groups.size() - kMostLaunches) +
            " other configurations.";
  }
  return text;
}

std::string BindingProse(const KernelSubject& subject) {
  std::string text;
  for (const KernelBinding& binding : subject.kernel.bindings) {
    if (!text.empty()) return text + " Other names lead to it as well.";
    const bool itself = binding.launcher == binding.function;
    const SentenceVariants launching = {
        "Python reaches it by the name `{name}`{bound}.",
        "From Python the way in is `{name}`{bound}[, which launches it|].",
        "[In|From] Python `{name}`{bound} [leads to|does] the launch.",
        "[Bound|Binding]: `{name}`{bound}.", "[Python's name for it|In Python it] is `{name}`"
                                             "{bound}."};
    const SentenceVariants calling = {
        "Python reaches it by the name `{name}`{bound}, [from which calls lead to|by way of] "
        "`{launcher}`.",
        "From Python the way in is `{name}`{bound}[, from which calls lead to `{launcher}`|; "
        "`{launcher}` launches|].",
        "[In|From] Python: `{name}`{bound}, `{launcher}`, launch.",
        "[Bound|Binding]: `{name}`{bound} → `{launcher}`.",
        "`{launcher}` is called for `{name}`[ of Python|]{bound}."};
    const std::string bound =
        binding.name == binding.function ? "" : " (`" + binding.function + "`)";
    text = subject.Say("binding", itself ? launching : calling,
                       {{"name", binding.name},
                        {"bound", bound},
                        {"launcher", binding.launcher}});
  }
  return text;
}

}  // namespace kernelmill
