#include "generators/reasoning/strategy_alternatives.h"

#include <algorithm>
#include <map>

namespace kernelmill {

std::string_view AlternativeTo(std::string_view strategy) {
  static const std::map<std::string_view, std::string_view> kAlternatives = {
      {"vectorised",
       "With one element per load, the same bytes would take several times as many load "
       "instructions."},
      {"grid_stride",
       "One thread per element needs no loop, but for large tensors it starts far more blocks than "
       "the device can run at once."},
      {"one_thread_an_element",
       "Loads of 16 bytes would need fewer instructions, but they need aligned tensors and "
       "separate code for the tail; the number of bytes is the same."},
      {"gather_an_element",
       "Going from the input to the output instead would scatter the stores, and elements that "
       "several inputs contribute to would need atomics."},
      {"gather_in_a_loop",
       "One thread per element needs no loop, but for large tensors it starts far more blocks than "
       "the device can run at once."},
      {"block_a_row",
       "With one thread per row, neighbouring threads would read addresses a whole row apart; with "
       "one warp per row, a long row would take many more iterations."},
      {"blocks_a_row",
       "With one block per row, only as many blocks would run as there are rows, and most of the "
       "device would be idle; the price is a second kernel that combines the parts."},
      {"warp_a_row",
       "With one block per row, a short row would leave most of the threads without work, and the "
       "reduction would need shared memory and barriers."},
      {"tree_a_row",
       "Shuffles within a warp would need fewer barriers than the tree in shared memory; both "
       "designs load every element equally often."},
      {"thread_a_short_row",
       "With one warp per row, most lanes would have no element, because the rows are short."},
      {"thread_a_row",
       "One thread per row needs no exchange between threads; the price is that neighbouring lanes "
       "load elements that lie a row apart."},
      {"thread_a_column",
       "With one block per row, the threads of a warp would read elements that are a stride apart, "
       "because the reduced dimension is not the last one."},
      {"block_of_columns",
       "With one block per row, the threads of a warp would read elements that are a stride apart, "
       "because the reduced dimension is not the last one."},
      {"blocks_a_column",
       "One block for the whole length of its columns would start only as many blocks as there are "
       "groups of 32 columns; several keep more loads in flight, at the price of a second kernel "
       "that combines their parts."},
      {"register_tile",
       "With one result per thread, every multiply-add would need two loads from shared memory, "
       "and shared memory bandwidth would limit the kernel."},
      {"shared_tile",
       "Without shared memory every thread would read its row and its column from global memory."},
      {"split_k",
       "Without the split the result has too few tiles to occupy the device; the price is a second "
       "kernel and the traffic of the partial sums."},
      {"warp_a_result",
       "A tile of results per block would lie mostly outside of so narrow a result."},
      {"thread_a_result",
       "A tile of results per block would lie mostly outside of so narrow a result."},
      {"loops_of_the_definition",
       "Tiles in shared memory would load each element once for many uses; here only the caches "
       "provide reuse, which is the price of the simpler code."},
      {"tiled_attention",
       "Storing the scores would write and read one number for every pair of a query and a key."},
      {"unfused_attention",
       "An online softmax would avoid storing one score for every pair of a query and a key."},
      {"serial_scan",
       "A parallel scan would shorten the chain of dependent additions, at the price of barriers "
       "and more additions."},
      {"block_scan",
       "One thread per row would need no barriers, but it would go through a long row alone."},
      {"place_by_counting",
       "A sorting network needs fewer comparisons for long rows, but a barrier after each step."},
      {"network_in_shared_memory",
       "Counting smaller elements needs no barriers, but its work grows with the square of the row "
       "length."},
      {"select_by_digits",
       "Sorting the whole row would order all elements, although only one is needed."},
      {"scatter_by_atomics",
       "Searching the index for every output element would avoid atomics, but read the index once "
       "for each element."},
  };
  // An online variant divides the work like the strategy that it is a variant of.
  constexpr std::string_view kOnline = "_online";
  if (strategy.ends_with(kOnline)) strategy.remove_suffix(kOnline.size());
  const auto found = kAlternatives.find(strategy);
  return found == kAlternatives.end() ? std::string_view() : found->second;
}

std::string DesignInWords(std::string_view strategy) {
  static const std::map<std::string_view, std::string_view> kDesigns = {
      {"vectorised", "16-byte loads with several elements per thread"},
      {"grid_stride", "a grid-stride loop"},
      {"one_thread_an_element", "one thread per element"},
      {"gather_an_element", "one thread per output element"},
      {"gather_in_a_loop", "a grid-stride loop over the output"},
      {"block_a_row", "one block per row"},
      {"blocks_a_row", "several blocks per row and a second kernel"},
      {"warp_a_row", "one warp per row"},
      {"tree_a_row", "one block per row with a tree in shared memory"},
      {"thread_a_short_row", "one thread per row"},
      {"thread_a_row", "one thread per row"},
      {"thread_a_column", "one thread per column"},
      {"block_of_columns", "one block for neighbouring columns"},
      {"blocks_a_column", "several blocks per column and a second kernel"},
      {"register_tile", "tiles in shared memory with several results per thread"},
      {"shared_tile", "tiles in shared memory with one result per thread"},
      {"split_k", "a split of the shared dimension over blocks"},
      {"warp_a_result", "one warp per result"},
      {"thread_a_result", "one thread per result without shared memory"},
      {"loops_of_the_definition", "one thread per result without shared memory"},
      {"tiled_attention", "tiles of queries and keys with an online softmax"},
      {"unfused_attention", "three passes that store the scores"},
      {"serial_scan", "one thread per row"},
      {"block_scan", "a parallel scan with one block per row"},
      {"place_by_counting", "counting the smaller elements"},
      {"place_by_tiles", "counting the smaller elements in tiles of shared memory"},
      {"network_in_shared_memory", "a sorting network in shared memory"},
      {"select_by_digits", "a selection digit by digit"},
      {"scatter_by_atomics", "atomics at the indexed positions"},
      {"copy_a_part", "one thread per element of a part"},
      {"copy_in_a_loop", "a grid-stride loop over each part"},
      {"block_counts_a_row", "one block per row"},
      {"thread_counts_a_row", "one thread per row"},
      {"tiled_projections", "projections with tiles in shared memory"},
      {"thread_a_projection", "one thread per element of a projection"},
  };
  constexpr std::string_view kOnline = "_online";
  const bool online = strategy.ends_with(kOnline);
  if (online) strategy.remove_suffix(kOnline.size());
  const auto found = kDesigns.find(strategy);
  std::string words(found == kDesigns.end() ? strategy : found->second);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words + (online ? ", in one pass" : "");
}

std::string ChoiceInWords(const std::string& choice) {
  static const std::map<std::string_view, std::string_view> kWords = {
      {"a thread a row", "one thread per row"},
      {"a warp a row", "one warp per row"},
      {"a block a row", "one block per row"},
      {"a warp a result", "one warp per result"},
      {"a thread a result", "one thread per result"},
      {"a thread a sample", "one thread per sample"},
      {"a launch a step", "one launch per step"},
      {"reads one step ahead", "prefetching of the next tiles"},
      {"one more column in a tile", "padding of the tile by one column"},
      {"four more columns in a tile", "padding of the tile by four columns"},
      {"two more columns in a tile", "padding of the tile by two columns"},
      {"a sum of products", "the contraction"},
      {"what follows happens in registers", "operators after the sum in registers"},
      {"no cooperation", "no cooperation between threads"},
      {"several blocks a row", "several blocks per row"},
      {"several elements a thread", "several elements per thread"},
      {"16 bytes a load", "loads of 16 bytes"},
      {"32 columns a block", "blocks of 32 columns"},
  };
  const auto found = kWords.find(choice);
  if (found != kWords.end()) return std::string(found->second);
  constexpr std::string_view kEach = " a thread";
  return choice.ends_with(kEach) ? choice.substr(0, choice.size() - kEach.size()) + " per thread"
                                 : choice;
}

}  // namespace kernelmill
