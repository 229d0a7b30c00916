// Allocates memory in whole pages, for AllocateIn() (address_spaces.h). An allocation shares no
// page with anything else, so that its access rights can be changed.
#pragma once

#include <cstddef>

namespace kernelmill {

inline constexpr std::size_t kPageBytes = 4096;

// Returns `pages` readable and writable pages, or null if memory is exhausted. In builds that check
// memory, accesses to bytes from `size` on are reported.
char* TakePages(std::size_t pages, std::size_t size);
// The same, with so many bytes behind them that nothing else lies there and nobody can access them,
// or with none if there are no more addresses.
char* TakePagesBefore(std::size_t gap, std::size_t pages, std::size_t size);
// Frees pages of both. They must be readable and writable again.
void ReturnPages(char* first, std::size_t pages);

}  // namespace kernelmill
