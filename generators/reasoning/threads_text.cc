// Which thread computes what, in the languages of analyses.
#include <algorithm>
#include <map>

#include "generators/reasoning/finding_words.h"
#include "generators/reasoning/performance_findings.h"

namespace kernelmill {
namespace {

// Which thread computes what in a design; "" for one that the code has to show.
std::string_view ChineseMapping(std::string_view strategy) {
  static const std::map<std::string_view, std::string_view> kMappings = {
      {"one_thread_an_element", "线程 i 计算结果的第 i 个元素。"},
      {"grid_stride",
       "线程 i 依次处理第 i、i + gridDim.x * blockDim.x……个元素，每一轮中相邻线程处理相邻元素。"},
      {"vectorised", "每个线程用宽度为 16 字节的访问处理几个相邻元素。"},
      {"gather_an_element", "线程 i 计算结果的第 i 个元素：先把 i 分解为坐标，再读取所需的元素。"},
      {"thread_a_result", "线程 i 计算结果的第 i 个元素，独自完成整个求和。"},
      {"loops_of_the_definition", "线程 i 计算结果的第 i 个元素，独自完成整个求和。"},
      {"shared_tile",
       "一个线程块计算结果的一个 tile：沿 k 分步把两个乘数的 tile "
       "读入共享内存，每个线程计算一个元素。"},
      {"register_tile",
       "一个线程块计算结果的一个 tile：沿 k 分步把两个乘数的 tile "
       "读入共享内存，每个线程在寄存器中计算"
       "几个元素。"},
      {"block_a_row", "一个线程块处理一行：各线程间隔取元素，最后合并各自的部分结果。"},
      {"tree_a_row", "一个线程块处理一行：各线程间隔取元素，再在共享内存中逐级合并。"},
      {"warp_a_row", "一个 warp 处理一行：各 lane 间隔取元素，再用 shuffle 合并。"},
      {"thread_a_row", "一个线程处理一行。"},
      {"thread_a_short_row", "一个线程处理一行。"},
      {"thread_a_column", "一个线程处理一列，相邻线程处理相邻的列。"},
      {"block_of_columns",
       "一个线程块处理 32 个相邻的列：threadIdx.x 选择列，threadIdx.y 相同的线程各取列中每隔 "
       "blockDim.y "
       "个的元素，最后在共享内存中合并。"},
      {"blocks_a_column",
       "多个线程块分担 32 个相邻列，各处理其中一段：threadIdx.x 选择列，threadIdx.y "
       "把这一段分给各线程；第二个核函数合并每列各段的结果。"},
      {"blocks_a_row", "多个线程块分担一行，第二个核函数合并各块的部分结果。"},
  };
  constexpr std::string_view kOnline = "_online";
  if (strategy.ends_with(kOnline)) strategy.remove_suffix(kOnline.size());
  const auto found = kMappings.find(strategy);
  return found == kMappings.end() ? std::string_view() : found->second;
}

}  // namespace

std::string ThreadsText(const ReasoningSubject& subject, PromptLanguage language) {
  if (language != PromptLanguage::kChinese) return MappingStep(subject);
  // The sentences of plans are English.
  const FindingWords& words = FindingWordsIn(language);
  // Kernels with one index and launch are named together.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const AnswerKernel& kernel : subject.code.kernels) {
    for (const ThreadIndex& index : kernel.facts.indices) {
      if (index.expression.find("threadIdx") == index.expression.npos) continue;
      std::string said =
          FillPlaceholders(words.index, {{"index", index.name + " = " + index.expression}});
      if (!kernel.plan->grid.empty() && subject.code.HasNamesOf(kernel.plan->grid)) {
        said += FillPlaceholders(words.launch, {{"grid", kernel.plan->grid},
                                                {"threads", std::to_string(kernel.plan->threads)}});
      }
      const std::vector<std::string>& names = kernel.plan->kernels;
      said += names.size() == 2 && kernel.name == names[1] ? words.second
                                                           : ChineseMapping(kernel.plan->strategy);
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const auto& one) { return one.first == said; });
      if (group == groups.end()) group = groups.insert(groups.end(), {said, {}});
      group->second.push_back("`" + kernel.name + "`");
      break;
    }
  }
  constexpr std::size_t kMostNames = 3;
  std::string text;
  for (const auto& [said, kernels] : groups) {
    std::string names;
    for (std::size_t i = 0; i < std::min(kernels.size(), kMostNames); ++i) {
      names += (i > 0 ? "、" : "") + kernels[i];
    }
    names += kernels.size() > kMostNames ? " 等核函数" : " ";
    text += (text.empty() ? "- " : "\n- ") + FillPlaceholders(said, {{"kernels", names}});
  }
  return text;
}

}  // namespace kernelmill
