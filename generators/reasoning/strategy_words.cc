#include "generators/reasoning/strategy_words.h"

#include <map>

namespace kernelmill {

const SentenceVariants& MappingVariants(const std::string& strategy) {
  using Variants = SentenceVariants;
  static const std::map<std::string, Variants, std::less<>> kWords = {
      {"vectorised",
       {"[a|each|every] thread [moves|takes|loads and stores] a pack of [neighbouring|adjacent] "
        "elements [with one wide access|at once][ and [computes|works on] them in registers|][; "
        "what does not fill a pack [at the end |]is [done singly|taken one by one]|]",
        "threads are [numbered|lined up] along the [flat|flattened] result, and each [owns|has|is "
        "given] a [short run|pack|handful] of elements[ that it [loads and stores|reads and "
        "writes] at once|]",
        "work is [handed out|divided|dealt out] in aligned [packs|groups|runs][, so that fewer "
        "instructions [move|carry] the same bytes|: one wide load, one wide store|]",
        "[one|a single] wide load [of {inputs} |]brings [several elements to a thread|as many elements "
        "as a pack has|a whole pack], one wide store [takes|carries] [them|the results] away",
        "[packs|runs] of neighbours go to [threads|one thread each][, the tail element by element|; "
        "a tail that fills no pack is done singly|]"}},
      {"grid_stride",
       {"[each|every] thread [walks|goes|steps] through the flat result [with|in] the "
        "[stride|step] of the [whole|entire] grid[, so the grid's size is a [matter|question] of "
        "[tuning|speed] and not of correctness|]",
        "the grid is [capped|limited][; a loop [whose step is|that advances by] the number of all "
        "threads [covers|takes care of|does] the [remainder|rest]|, and a loop goes on behind it]",
        "a thread [starts|begins] at its [global|overall] number and [jumps|advances|moves on] by "
        "[the number of threads in the grid|the width of the grid]",
        "[a limited number of|fewer] blocks [share|go over] the elements in rounds[, a grid's width "
        "each|]",
        "{threads} threads a block, [not more than a device needs|a capped grid], and a loop [over|"
        "for] what is left"}},
      {"one_thread_an_element",
       {"[one|a|each] thread [owns|computes|does|writes] [one|exactly one|a single] element of the "
        "result[, in row-major order|, found by its number|]",
        "the [global|overall] thread number is the [position|place] in the flat result",
        "thread and element correspond one to one[, which also makes stores [coalesced|"
        "contiguous]|]",
        "[number the threads|threads are numbered] like the elements[, row-major|; what a thread "
        "reads of {inputs} is where it writes|]",
        "[element|result] and thread [have|share] a number[, so there is nothing to [divide|work "
        "out]|]"}},
      {"gather_an_element",
       {"[every|each] thread takes one position of the result, [splits it into|turns it into] "
        "coordinates and [goes to fetch|fetches] what belongs there[ from {inputs}|]",
        "[the result is traversed, not the input|it is the result that is traversed]: [a|each] "
        "thread [asks|works out] where its element [of {inputs} |]comes from",
        "positions are [decomposed|taken apart] by [division and remainder|divisions and "
        "remainders]; from the coordinates [follow|come] the [operands' addresses|places to read]",
        "[a|one] thread [for each|per] element of the result [looks up|finds] what it is made of",
        "[from|starting at] the output coordinate [a|each] thread [goes back|finds its way] to "
        "{inputs}"}},
      {"gather_in_a_loop",
       {"threads loop over positions of the result; for each they [work out|compute] coordinates "
        "and fetch[ from {inputs}|]",
        "[the same gather as|a gather as] with one thread an element, but each thread "
        "[serves|handles] several positions",
        "[a|each] thread [gathers|fetches] for [one position after another|several positions], a "
        "grid's width apart",
        "[positions|elements] of the result [go|pass] by in a loop[, and {inputs} is read where "
        "the coordinates say|]"}},
      {"block_a_row",
       {"[a|one] block takes a row; its threads [stride|run] along it [in steps of the block |]and "
        "[merge|combine] their partial results[ at the end|]",
        "rows [are independent|do not touch each other], so [each|every row] gets a block of "
        "{threads} threads[ to itself| of its own|]",
        "{threads} threads [share|work on] [one|a] row[: strided [reads|loads], then a merge|]",
        "[the block's number is the row|block r has row r], and [within it|along the row] threads "
        "[are {threads} apart|take every {threads}th element]"}},
      {"blocks_a_row",
       {"[the rows are long and few|few rows are long], so [each|every one] is cut into parts: a "
        "block of {threads} threads [reduces|takes] a part, and a second kernel [merges|puts "
        "together] what the blocks [left|have left] in memory",
        "one block a row would [idle|leave idle] most of the device; several blocks [share|divide] "
        "a row and [leave|store] partial states, which the next launch [merges|combines]",
        "[two launches|there are two launches]: parts of rows [first|come first], one block each, "
        "then the [merging|combination] of the parts of a row"}},
      {"warp_a_row",
       {"[a|one] warp takes a row: [its|the] lanes read [side by side|neighbouring elements] and "
        "[combine|merge] what they hold by shuffles",
        "rows [go|are given] to warps, so [nothing but registers is needed|registers are enough] "
        "to [merge|combine] partial results",
        "the lanes of a warp [share|go along] a row[ of {first}|] and [exchange|fold] "
        "[sums|results] [in registers|by shuffles]",
        "a block of {threads} threads [serves|does] as many rows as it has warps"}},
      {"tree_a_row",
       {"[a|one] block takes a row and [halves|keeps halving] the number of [active|working] "
        "threads until one [value|result] is left",
        "partial [results|values] meet in shared memory, where half of the threads [fold|add|merge] "
        "the other half's values in at [each|every] step",
        "{threads} threads [collect|gather] partial results of a row[ of {first}|] and a tree "
        "[merges|folds] them"}},
      {"thread_a_short_row",
       {"[a|each] thread takes a row of its own: its few elements need no sharing out",
        "rows are so short that one thread [goes|runs] through each of them"}},
      {"thread_a_row",
       {"[each|every|one] thread [reads|goes through|does] a [whole |]row of its own from [start to "
        "end|front to back]",
        "rows are dealt out to threads; within a row everything is [sequential|done in order]",
        "a row[ of {first}|] [belongs|goes] to [one|a single] thread[, which needs nobody|: no "
        "exchange|]"}},
      {"register_tile",
       {"[a|each] block [computes|produces] a tile of the result from tiles of [both|the two] "
        "factors in shared memory, and each thread [holds|keeps] a [small square|patch] of "
        "[sums|results] in registers",
        "[factors|both factors] are [staged|brought in] through shared memory and [every|each] "
        "thread [accumulates|sums up] several results[, so that one load [serves|feeds] "
        "[many|several] multiply-adds|]",
        "{threads} threads [fill|share] two tiles and [multiply|work] [them out|from them], "
        "[several|a patch of] results [each|a thread]",
        "[tiles|pieces] of {inputs} [pass through|are kept in] shared memory, [results|sums] in "
        "registers, [several a thread|a patch for each of {threads} threads]",
        "[what is loaded once|a loaded value] of {inputs} [is used|serves] for a [whole tile|row or "
        "column of a tile]"}},
      {"shared_tile",
       {"[a|each] block [computes|produces] a square tile of the result; [both factors|the two "
        "factors] [pass|go] through shared memory in tiles [of the same width|as wide]",
        "tile by tile along the [summed|common] dimension, [threads|the threads] [copy|load] a "
        "piece of each factor and [then multiply|multiply] out of shared memory",
        "[one result a thread|a thread has one result], {threads} threads a tile, [operands|"
        "factors] by way of shared memory",
        "{inputs} [go|come] tile by tile through shared memory[, and {threads} threads multiply|; "
        "each thread sums for its own result]"}},
      {"split_k",
       {"the summed dimension is [cut|divided] into parts that [different|several] blocks work on; "
        "a second kernel [adds|sums] what they leave",
        "blocks share one tile of the result by [splitting|dividing] its sum, and the parts are "
        "added afterwards in a fixed order",
        "[two kernels|first and second kernel]: [partial sums|parts of the sum], then their total"}},
      {"warp_a_result",
       {"[a|one] warp computes one element of the result: its lanes [read|take] neighbouring "
        "products of the sum and [add|combine] what they hold by shuffles",
        "[the result is narrow and its sums are long|long sums, few columns], so the lanes of a "
        "warp [share|split] a sum[ and add up by shuffles|]",
        "[each|every] sum [belongs|goes] to a warp, [lane by lane along|its lanes side by side on] "
        "the summed dimension[, and shuffles finish it|]"}},
      {"thread_a_result",
       {"[each|every|one] thread [computes|works out] one element of the result: [tiles would lie "
        "mostly outside of so narrow a one|the result is too narrow for tiles]",
        "the result is narrow, so a thread [loops over|goes through] the whole sum of its element[ "
        "and neighbours read side by side|]",
        "[no tiles here|tiles would be mostly empty]: a thread a result, the sum in a register"}},
      {"thread_a_column",
       {"[each|every|one] thread [goes through|reads] a row of its own; rows lie side by side in "
        "memory, so [neighbouring threads|the lanes of a warp] read neighbouring elements",
        "the reduced dimension is not the last: a thread a row [makes|keeps] every read of a warp "
        "[contiguous|coalesced]",
        "[rows stand|a row stands] in columns of memory, [one|a] thread each[, and a warp reads "
        "neighbouring ones side by side|]"}},
      {"block_of_columns",
       {"[a|one] block takes 32 neighbouring columns: a warp reads side by side, and [the threads "
        "below each other|several threads] share a column and merge in shared memory",
        "the reduced dimension is not the last, so a block is [two-dimensional|a rectangle]: across "
        "columns for [contiguous|coalesced] reads, down them for [parallel work|the length]"}},
      {"blocks_a_column",
       {"the columns are long and few: several blocks take parts of the same 32, and a second "
        "kernel [merges|puts together] what they [left|have left] in memory",
        "blocks of 32 columns [are cut|are divided] along their length too; each leaves partial "
        "states, which the next launch [merges|combines]"}},
      {"loops_of_the_definition",
       {"[a|each|every] thread [computes|works out] one element of the result by running the loops "
        "of the definition",
        "[no sharing|nothing is shared]: for its element each thread [walks|goes] through all the "
        "products",
        "the sum is [written out|done] as it [is defined|stands], one result [a|per] thread[, "
        "reading {inputs} [directly|straight from memory]|]",
        "[loops over|a loop nest over] {inputs}, [one thread for each result|a result a thread]",
        "{threads} results a block, each [summed|worked out] by one thread[ from {inputs}|]"}},
      {"tiled_attention",
       {"[a|each|one] block takes a tile of queries of one head and meets the keys tile by tile, "
        "rescaling its sums whenever a larger score [turns up|appears]",
        "scores are [consumed|used up] as soon as they are made; only a maximum and [two sums|the "
        "sums] of each query [survive|outlive] a tile of keys",
        "{inputs} [pass|go] through shared memory tile by tile, [and |]each of {threads} threads "
        "[scores|compares] several queries with several keys in registers",
        "queries [stay|sit still] while tiles of keys and values [come|pass] by[: what is loaded "
        "once serves all queries of the block|]"}},
      {"tiled_projections",
       {"[first|to begin with] queries, keys and values are projected tile by tile, [then|after "
        "that] every head attends in its slice of the width, [and |]one more product [closes|"
        "finishes] it",
        "the projections are matrix products by tiles[ through shared memory|]; between them each "
        "head works on its own slice[ of the rows|]",
        "[several kernels|kernels] one behind the other: projections [in|by] tiles, the attention "
        "itself, the last projection"}},
      {"thread_a_projection",
       {"[a|each] thread computes one element of a projection; the scores and their softmax lie in "
        "memory between the kernels",
        "[kernel after kernel|one kernel after the other] as the definition has it: projections, "
        "scores, softmax and sums, the last projection"}},
      {"unfused_attention",
       {"first all scores are written, then a softmax runs over each row, then values are mixed by "
        "the weights",
        "the definition is followed [literally|to the letter], with the matrix of scores in "
        "memory"}},
      {"serial_scan",
       {"[a|one] thread follows one row and writes the running result after every element",
        "rows are independent; inside one, a single thread keeps the state"}},
      {"scan_a_column",
       {"rows stand side by side in memory, so [one|a] thread [follows|goes down] each of them and "
        "neighbouring threads [read|touch] neighbouring elements",
        "the scanned dimension is not the last: a thread a row keeps every access of a warp "
        "[contiguous|coalesced][, and the running result in a register|]"}},
      {"block_scan",
       {"[a|one] block scans its row piece by piece: prefixes within a piece by doubling, a carry "
        "from piece to piece",
        "within a piece the distance over which threads add doubles at [every|each] step"}},
      {"place_by_counting",
       {"[a|each] thread counts how many elements of the row come before its own; that count is "
        "its place in the sorted row",
        "every element finds its rank by comparing itself with the whole row"}},
      {"scatter_in_order",
       {"[first|to begin with], a thread for each entry of the index notes its number at the place "
        "that it names, by an atomic maximum; [then|after that] a thread for each element of the "
        "result [takes|looks up] what is noted[ there|]",
        "[numbers|positions in the index] are scattered before values are: the largest stays where "
        "several meet, [so the last one wins|and the last wins] in every run",
        "[two passes|two launches]: the index leaves numbers at its places, and the result [is "
        "gathered by them|reads what they name]"}},
      {"scatter_by_atomics",
       {"[a|one|each] thread takes one source element and [brings it|carries it|goes] where the "
        "index says, [where|and there] an atomic settles who meets whom",
        "[first|to start] the [input|first operand] is [laid down|copied], then source elements come "
        "in, one thread each, by [atomics|atomic operations]",
        "source elements [are dealt out to|have] threads, [not|and not] places: [no thread has to "
        "search|nobody searches] the index[, and atomics keep meetings safe|]"}},
      {"network_in_shared_memory",
       {"[a|one] block [loads|fetches] a row into shared memory and sorts it there by a bitonic "
        "network; a key and its place make one 64-bit number",
        "rows go to blocks, and in every step of the network each thread puts pairs in their order, "
        "[a barrier between steps|with barriers between]",
        "[keys carry their places|each key has its place behind it], so equal ones keep their order "
        "while the network [exchanges|moves] them in shared memory"}},
      {"network_of_tiles",
       {"blocks sort tiles in shared memory; [then|after that] sorted pieces are merged pairwise, "
        "steps across tiles in memory and the rest within a tile",
        "the network is cut by distance: what lies within a tile is exchanged in shared memory, what "
        "lies further apart by [a launch of its own|one launch a step]"}},
      {"select_by_digits",
       {"[a|one] block looks for one element of its row by its digits: it counts how many elements "
        "have which, and keeps on with those that have the right one",
        "no element has to find its place; counts of digits narrow the row down until one value is "
        "left"}},
      {"thread_a_sample",
       {"[a|one] thread computes the loss of one sample from its scores",
        "samples go to threads; the scores of one are read by a single thread"}},
  };
  static const Variants kNone;
  // An online variant divides the work like the strategy that it is a variant of.
  constexpr std::string_view kOnline = "_a_row_online";
  std::string name = strategy;
  if (name.ends_with(kOnline)) name.resize(name.size() - std::string_view("_online").size());
  const auto found = kWords.find(name);
  return found == kWords.end() ? kNone : found->second;
}

}  // namespace kernelmill
