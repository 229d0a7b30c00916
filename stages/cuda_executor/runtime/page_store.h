// Memory by whole pages: what is allocated here shares no page with anything else, so that access
// to it can be taken away and given back.
#pragma once

#include <cstddef>

namespace kernelmill {

inline constexpr std::size_t kPageBytes = 4096;

// `pages` pages that can be read and written; null when there is no memory. In builds that check
// memory, bytes from `size` on must not be touched.
char* TakePages(std::size_t pages, std::size_t size);
// Gives back what TakePages gave, readable and writable again.
void ReturnPages(char* first, std::size_t pages);

}  // namespace kernelmill
