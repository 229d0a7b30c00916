// IsOneOf(item, items): whether a list or a container contains an item, by a linear search with ==.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace kernelmill {

template <typename Item, typename Items>
bool IsOneOf(const Item& item, const Items& items) {
  return std::find(std::begin(items), std::end(items), item) != std::end(items);
}

template <typename Item>
bool IsOneOf(const Item& item, std::initializer_list<Item> items) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

}  // namespace kernelmill
