#include "core/waiting_queue.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace schedlab {
namespace {

constexpr Time kLongest = std::numeric_limits<std::int32_t>::max();

template <typename T>
void insert_at(std::vector<T>& values, std::size_t place, T value) {
    values.insert(values.begin() + place, value);
}

template <typename T>
void pick(std::vector<T>& values, const std::vector<std::size_t>& which) {
    std::vector<T> picked;
    picked.reserve(which.size());
    for (const std::size_t i : which) picked.push_back(values[i]);
    values.swap(picked);
}

}  // namespace

void WaitingQueue::insert(const WaitingJob& job, double key) {
    // The newcomer has the latest arrival, so it stands behind all equal keys.
    const auto place = std::upper_bound(key_.begin() + first_, key_.end(), key);
    const std::size_t i = place - key_.begin();
    insert_at(job_, i, job.job);
    insert_at(nodes_, i, job.nodes);
    insert_at(request_, i, static_cast<std::int32_t>(std::min(job.request, kLongest)));
    insert_at(key_, i, key);
    insert_at(arrival_, i, job.arrival);
    ++live_;
}

void WaitingQueue::remove(Position position) {
    assert(waits(position));
    nodes_[position] = kGone;
    --live_;
    if (position == first_) skip_gone();
}

void WaitingQueue::skip_gone() {
    while (first_ < job_.size() && !waits(first_)) ++first_;
}

void WaitingQueue::tidy() {
    if (job_.size() > 2 * live_ + 32) compact();
}

void WaitingQueue::compact() {
    std::size_t kept = 0;
    for (std::size_t i = first_; i < job_.size(); ++i) {
        if (!waits(i)) continue;
        job_[kept] = job_[i];
        nodes_[kept] = nodes_[i];
        request_[kept] = request_[i];
        key_[kept] = key_[i];
        arrival_[kept] = arrival_[i];
        ++kept;
    }
    job_.resize(kept);
    nodes_.resize(kept);
    request_.resize(kept);
    key_.resize(kept);
    arrival_.resize(kept);
    first_ = 0;
}

void WaitingQueue::reorder(std::span<const double> keys) {
    compact();
    assert(keys.size() == live_);
    std::copy(keys.begin(), keys.end(), key_.begin());
    std::vector<std::size_t> order(live_);
    std::iota(order.begin(), order.end(), 0);
    const auto before = [this](std::size_t a, std::size_t b) {
        return key_[a] != key_[b] ? key_[a] < key_[b] : arrival_[a] < arrival_[b];
    };
    if (std::is_sorted(order.begin(), order.end(), before)) return;
    std::sort(order.begin(), order.end(), before);
    pick(job_, order);
    pick(nodes_, order);
    pick(request_, order);
    pick(key_, order);
    pick(arrival_, order);
}

WaitingQueue::Position WaitingQueue::next(Position position) const {
    do {
        ++position;
    } while (position < job_.size() && !waits(position));
    return position;
}

WaitingQueue::Position WaitingQueue::end_of_first(std::size_t depth) const {
    if (depth >= live_) return end();
    Position position = first_;
    for (std::size_t seen = 0; seen < depth; ++seen) position = next(position);
    return position;
}

WaitingQueue::Position WaitingQueue::find(JobIndex job) const {
    for (Position position = job_.size(); position > first_; --position) {
        if (job_[position - 1] == job && waits(position - 1)) return position - 1;
    }
    return end();
}

WaitingQueue::Position WaitingQueue::find_backfill(Position from, Position until, NodeCount nodes,
                                                   Time request, NodeCount extra) const {
    const auto longest = static_cast<std::int32_t>(std::min(request, kLongest));
    const auto allowed = [&](Position i) {
        return (nodes_[i] <= nodes) & ((request_[i] <= longest) | (nodes_[i] <= extra));
    };
    // Whole blocks are tested without a branch, which compilers turn into vector instructions.
    constexpr Position kStride = 32;
    for (; from + kStride <= until; from += kStride) {
        unsigned any = 0;
        for (Position i = from; i < from + kStride; ++i) any |= allowed(i);
        if (any) break;
    }
    while (from < until && !allowed(from)) ++from;
    return from;
}

}  // namespace schedlab
