#include "env/gantt_chart.h"

#include <algorithm>
#include <bit>

namespace schedlab {

GanttChart::GanttChart(NodeCount resources, Time window)
    : resources_(resources),
      window_(window),
      words_(words_for(resources)),
      free_row_(words_, ~0ULL),
      free_(window * words_),
      cells_(window * resources) {
    if (const int used = resources % kNodeBits) free_row_.back() = bits_between(0, used);
    clear();
}

void GanttChart::clear() {
    for (auto row = free_.begin(); row < free_.end(); row += words_) {
        std::copy(free_row_.begin(), free_row_.end(), row);
    }
    std::fill(cells_.begin(), cells_.end(), 0.0F);
}

std::uint64_t GanttChart::free_throughout(Time start, Time duration, std::size_t word) const {
    std::uint64_t bits = ~0ULL;
    for (Time row = start; row < start + duration; ++row) bits &= free_[row * words_ + word];
    return bits;
}

NodeCount GanttChart::count_free(Time start, Time duration) const {
    NodeCount count = 0;
    for (std::size_t word = 0; word < words_; ++word) {
        count += std::popcount(free_throughout(start, duration, word));
    }
    return count;
}

Time GanttChart::earliest_start(NodeCount resources, Time duration) const {
    for (Time start = 0; start + duration <= window_; ++start) {
        if (count_free(start, duration) >= resources) return start;
    }
    return kNone;
}

void GanttChart::reserve(Time start, NodeCount resources, Time duration, float colour,
                         std::vector<NodeRange>& ranges) {
    const std::size_t first_own = ranges.size();
    for (std::size_t word = 0; word < words_ && resources > 0; ++word) {
        const std::uint64_t usable = free_throughout(start, duration, word);
        const NodeCount taken = std::min<NodeCount>(resources, std::popcount(usable));
        const std::uint64_t bits = lowest_bits(usable, taken);
        for (Time row = start; row < start + duration; ++row) free_[row * words_ + word] &= ~bits;
        append_ranges(bits, static_cast<NodeIndex>(word * kNodeBits), first_own, ranges);
        resources -= taken;
    }
    paint(start, duration, colour, std::span(ranges).subspan(first_own));
}

void GanttChart::paint(Time start, Time duration, float colour,
                       std::span<const NodeRange> ranges) {
    for (Time row = start; row < start + duration; ++row) {
        float* cells = &cells_[row * resources_];
        for (const NodeRange range : ranges) {
            std::fill(cells + range.first, cells + range.last + 1, colour);
        }
    }
}

void GanttChart::advance() {
    // Nothing lies beyond the window, so the row that comes into sight is free.
    std::copy(free_.begin() + words_, free_.end(), free_.begin());
    std::copy(free_row_.begin(), free_row_.end(), free_.end() - words_);
    std::copy(cells_.begin() + resources_, cells_.end(), cells_.begin());
    std::fill(cells_.end() - resources_, cells_.end(), 0.0F);
}

std::span<const float> GanttChart::row(Time row) const {
    return std::span(cells_).subspan(row * resources_, resources_);
}

}  // namespace schedlab
