#include "slurm/backfill_plan.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace schedlab::slurm {
namespace {

// Calls body(words, free), where a small number of words is known at compile time, and `free` has
// room for that many.
template <typename Body>
decltype(auto) with_words(std::size_t words, std::vector<std::uint64_t>& free, Body body) {
    const auto call = [&](auto known) {
        std::array<std::uint64_t, known> own;
        return body(known, own);
    };
    switch (words) {
        case 1: return call(std::integral_constant<std::size_t, 1>{});
        case 2: return call(std::integral_constant<std::size_t, 2>{});
        case 3: return call(std::integral_constant<std::size_t, 3>{});
        case 4: return call(std::integral_constant<std::size_t, 4>{});
        default: return body(words, free);
    }
}

}  // namespace

BackfillPlan::BackfillPlan(Second begin, Second end, NodeCount nodes)
    : words_(words_for(nodes)), records_{{begin, end}}, bits_(words_) {
    const Nodes all = Nodes::all(nodes);
    for (std::size_t i = 0; i < words_; ++i) bits_[i] = all.word(i);
}

// The first record that ends after this time.
std::size_t BackfillPlan::record_at(Second time) const {
    const auto at = std::upper_bound(records_.begin(), records_.end(), time,
                                     [](Second t, const Record& record) { return t < record.end; });
    return static_cast<std::size_t>(at - records_.begin());
}

bool BackfillPlan::collides(Second begin, Second end, const Nodes& nodes) const {
    for (std::size_t at = record_at(begin); at < records_.size() && records_[at].begin < end;
         ++at) {
        for (std::size_t i = 0; i < words_; ++i) {
            if (nodes.word(i) & ~words_of(at)[i]) return true;
        }
    }
    return false;
}

void BackfillPlan::split(Second time) {
    const std::size_t at = record_at(time);
    if (at == records_.size() || records_[at].begin >= time) return;
    const auto place = static_cast<std::ptrdiff_t>(at);
    const Record before{records_[at].begin, time, true};
    records_[at].begin = time;
    records_.insert(records_.begin() + place, before);
    ++equal_;
    bits_.insert(bits_.begin() + place * static_cast<std::ptrdiff_t>(words_), words_, 0);
    std::copy_n(words_of(at + 1), words_, bits_.begin() + place * static_cast<std::ptrdiff_t>(words_));
}

void BackfillPlan::reserve(Second begin, Second end, const Nodes& nodes) {
    split(begin);
    split(end);
    const std::size_t first = record_at(begin);
    std::size_t at = first;
    for (; at < records_.size() && records_[at].begin < end; ++at) {
        for (std::size_t i = 0; i < words_; ++i) bits_[at * words_ + i] &= ~nodes.word(i);
    }
    for (std::size_t each = first > 0 ? first - 1 : 0; each < at; ++each) compare(each);
    merge();
}

void BackfillPlan::compare(std::size_t record) {
    Record& own = records_[record];
    equal_ -= own.is_as_next;
    own.is_as_next = record + 1 < records_.size() &&
                     std::equal(words_of(record), words_of(record) + words_, words_of(record + 1));
    equal_ += own.is_as_next;
}

void BackfillPlan::merge() {
    if (equal_ == 0) return;
    const auto own = std::find_if(records_.begin(), records_.end(),
                                  [](const Record& each) { return each.is_as_next; });
    const auto next = own + 1;
    own->end = next->end;
    own->is_as_next = next->is_as_next;
    --equal_;
    const auto bits = bits_.begin() + (next - records_.begin()) * static_cast<std::ptrdiff_t>(words_);
    bits_.erase(bits, bits + static_cast<std::ptrdiff_t>(words_));
    records_.erase(next);
}

BackfillPlan::Window::Window(const BackfillPlan& plan)
    : plan_(plan), second_half_(plan.words_), free_(plan.words_) {}

void BackfillPlan::Window::begin(Second length) {
    length_ = length;
    first_ = end_ = middle_ = 0;
    std::fill(second_half_.begin(), second_half_.end(), ~0ULL);
}

void BackfillPlan::Window::move_to(Second from) {
    const auto& records = plan_.records_;
    while (first_ < records.size() && records[first_].end <= from) ++first_;
    if (first_ > end_) {  // the window has left all records that it knew
        end_ = middle_ = first_;
        std::fill(second_half_.begin(), second_half_.end(), ~0ULL);
    }
    if (end_ < records.size() && records[end_].begin <= from + length_) take_in(from + length_);
    if (first_ > middle_) turn_over();
    from_ = from;
}

std::optional<Second> BackfillPlan::Window::later(const Nodes& allowed) {
    const auto& records = plan_.records_;
    const Second last = from_ + length_;
    return with_words(plan_.words_, free_, [&](auto words, auto& free) -> std::optional<Second> {
        for (std::size_t i = 0; i < words; ++i) free[i] = allowed.word(i);
        const std::uint64_t* own = plan_.words_of(first_);
        for (std::size_t at = first_; at + 1 < records.size(); ++at) {
            const std::uint64_t* next = own + words;
            std::uint64_t news = 0;
            for (std::size_t i = 0; i < words; ++i) {
                free[i] &= own[i];
                news |= allowed.word(i) & next[i] & ~free[i];
            }
            if (news) return records[at].end;
            if (records[at].begin > last) break;
            own = next;
        }
        return {};
    });
}

void BackfillPlan::Window::take_in(Second last) {
    const auto& records = plan_.records_;
    with_words(plan_.words_, free_, [&](auto words, auto& free) {
        for (std::size_t i = 0; i < words; ++i) free[i] = second_half_[i];
        for (; end_ < records.size() && records[end_].begin <= last; ++end_) {
            const std::uint64_t* own = plan_.words_of(end_);
            for (std::size_t i = 0; i < words; ++i) free[i] &= own[i];
        }
        for (std::size_t i = 0; i < words; ++i) second_half_[i] = free[i];
    });
}

void BackfillPlan::Window::turn_over() {
    middle_ = end_;
    first_half_.resize((end_ - first_) * plan_.words_);
    // From the end backwards, so that records can leave at the front.
    with_words(plan_.words_, free_, [&](auto words, auto& free) {
        for (std::size_t i = 0; i < words; ++i) free[i] = ~0ULL;
        std::uint64_t* made = first_half_.data();
        for (std::size_t at = end_; at > first_; --at, made += words) {
            const std::uint64_t* own = plan_.words_of(at - 1);
            for (std::size_t i = 0; i < words; ++i) made[i] = free[i] &= own[i];
        }
    });
    std::fill(second_half_.begin(), second_half_.end(), ~0ULL);
}

}  // namespace schedlab::slurm
