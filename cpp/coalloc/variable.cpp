#include "coalloc/variable.h"

#include <algorithm>

namespace schedlab::coalloc {

std::vector<Free> free_beside(const Variable& own, const Variable& other) {
    const auto first = own.starts.begin();
    const auto place = [&](auto found) { return static_cast<std::size_t>(found - first); };
    std::vector<Free> free;
    free.reserve(other.starts.size());
    for (const Slot start : other.starts) {
        if (start == left_out) {
            free.push_back({0, 0});
            continue;
        }
        // A start of 0, which means left out, must count as being before everything.
        const Slot last_before = std::max(start - own.slots, left_out);
        const auto below = std::upper_bound(first, own.starts.end(), last_before);
        const auto above = std::lower_bound(below, own.starts.end(), start + other.slots);
        free.push_back({place(below), place(above)});
    }
    return free;
}

}  // namespace schedlab::coalloc
