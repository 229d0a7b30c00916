// Tables: memory of the device that holds the same values in calls with different inputs. A kernel
// may take its results out of a table that was filled before the first call, so that it computes
// nothing. Which element it takes then follows from the value of an input; in a table of angles,
// weights of a window or indices it follows from the place of the output.
// stages/worker/torch_worker/requests/value_tables.py distinguishes these by what changes when
// elements have changed places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

namespace kernelmill {

// Looks for tables in what KeptOnDevice() names: of 1 KiB to 16 MiB each. Later calls drop those
// that have changed. Returns how many there are.
std::size_t NoteTables(std::uint64_t before, const std::set<const void*>& without);
// Lets a half of the elements of each table, which the seed chooses, change places in pairs, by
// eight bytes each. A second call with the same seed undoes it.
void SwapInTables(std::uint64_t seed);

}  // namespace kernelmill
