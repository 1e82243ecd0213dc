#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace schedlab::slurm {

// Sorts as the C library's qsort does, which Slurm calls: it sorts both halves and merges them. So
// the result is Slurm's even where the comparison contradicts itself, as it may with preemption.
template <typename T, typename Before>
void merge_sort(std::vector<T>& items, Before before) {
    if (items.size() < 2) return;
    const auto middle = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
    std::vector<T> first(items.begin(), middle), second(middle, items.end());
    merge_sort(first, before);
    merge_sort(second, before);
    std::size_t one = 0, other = 0;
    for (T& item : items) {
        const bool takes_other =
            one == first.size() || (other < second.size() && before(second[other], first[one]));
        item = takes_other ? second[other++] : first[one++];
    }
}

}  // namespace schedlab::slurm
