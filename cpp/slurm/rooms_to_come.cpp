#include "slurm/rooms_to_come.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace schedlab::slurm {

void RoomsToCome::set(const Site& site, const Rooms& now, std::span<TwinJob* const> running,
                      Second time) {
    ends_.clear();
    first_.assign(now.size() + 1, 0);
    for (const TwinJob* job : running) {
        const Second late = std::max(job->limit_end + site.settings.kill_wait_s, time + 1);
        ends_.push_back({job->limit_end, job->limit_end <= time ? late : job->limit_end, job});
        for (const NodeShare& share : job->shares) ++first_[share.node + 1];
    }
    std::stable_sort(ends_.begin(), ends_.end(), [](const End& a, const End& b) {
        return a.limit != b.limit ? a.limit < b.limit : a.job->row->id < b.job->row->id;
    });
    last_.resize(now.size());
    for (std::size_t node = 0; node < now.size(); ++node) first_[node + 1] += first_[node] + 1;
    steps_.resize(first_.back());
    for (std::size_t node = 0; node < now.size(); ++node) {
        last_[node] = first_[node];
        steps_[last_[node]] = {0, now[node]};
    }
    words_ = words_for(site.node_count());
    bits_.assign(ends_.size() * words_, 0);
    only_.resize(ends_.size());
    for (std::size_t at = 0; at < ends_.size(); ++at) {
        const std::vector<NodeShare>& shares = ends_[at].job->shares;
        only_[at] = shares.size() == 1 ? shares[0].node : kNobody;
        for (const NodeShare& share : shares) {
            const auto node = static_cast<std::size_t>(share.node);
            bits_[at * words_ + node / kNodeBits] |= 1ULL << node % kNodeBits;
            Room room = steps_[last_[node]].room;
            room.give(share);
            steps_[++last_[node]] = {at + 1, room};
        }
    }
}

const Room& RoomsToCome::after(std::size_t ends, NodeIndex node) const {
    std::size_t at = first_[node];
    while (at + 1 < first_[node + 1] && steps_[at + 1].ends <= ends) ++at;
    return steps_[at].room;
}

std::size_t RoomsToCome::ends_by(Second time) const {
    const auto next = std::upper_bound(ends_.begin(), ends_.end(), time,
                                       [](Second t, const End& end) { return t < end.limit; });
    return static_cast<std::size_t>(next - ends_.begin());
}

std::size_t RoomsToCome::next_freeing(std::size_t from, const Nodes& nodes) const {
    while (from < ends_.size() && !frees(from, nodes)) ++from;
    return from;
}

std::size_t RoomsToCome::last_freeing(const Nodes& nodes) const {
    std::size_t last = ends_.size() - 1;
    while (!frees(last, nodes)) --last;
    return last;
}

std::size_t RoomsToCome::end_of(const TwinJob& job) const {
    const auto own = std::find_if(ends_.begin(), ends_.end(),
                                  [&](const End& each) { return each.job == &job; });
    return static_cast<std::size_t>(own - ends_.begin());
}

void NodesToCome::add(std::size_t ends, NodeIndex node) {
    nodes_.push_back(NodeAfter{ends} << 32 | static_cast<NodeAfter>(node));
}

void NodesToCome::forget(std::size_t end, const Nodes& nodes) {
    is_set_ = false;
    const auto is_one = [&](NodeAfter each) { return nodes.has(node_of(each)); };
    const auto middle = nodes_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    sorted_ -= static_cast<std::size_t>(std::count_if(nodes_.begin(), middle, is_one));
    std::erase_if(nodes_, is_one);
    // Nodes that were in order stay in order.
    for (NodeAfter& each : nodes_) each += NodeAfter{ends_of(each) > end} << 32;
}

void NodesToCome::set() {
    if (is_set_) return;
    is_set_ = true;
    const auto middle = nodes_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    std::sort(middle, nodes_.end());
    std::inplace_merge(nodes_.begin(), middle, nodes_.end());
    sorted_ = nodes_.size();
    bits_.assign((nodes_.size() + 1) * words_, 0);
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
        std::uint64_t* next = &bits_[(at + 1) * words_];
        std::copy_n(&bits_[at * words_], words_, next);
        const auto node = static_cast<std::size_t>(node_of(nodes_[at]));
        next[node / kNodeBits] |= 1ULL << node % kNodeBits;
    }
}

const std::uint64_t* NodesToCome::after(std::size_t ends) const {
    const auto next = std::lower_bound(nodes_.begin(), nodes_.end(), NodeAfter{ends + 1} << 32);
    return &bits_[static_cast<std::size_t>(next - nodes_.begin()) * words_];
}

std::optional<std::size_t> NodesToCome::ends_for(NodeCount needed, const Nodes& allowed) const {
    const auto is_enough = [&](std::size_t place) {
        NodeCount found = 0;
        for (std::size_t i = 0; i < words_; ++i) {
            found += std::popcount(bits_[place * words_ + i] & allowed.word(i));
        }
        return found >= needed;
    };
    if (!is_enough(nodes_.size())) return {};
    std::size_t least = 0, most = nodes_.size();  // the answer lies between them
    while (least + 1 < most) {
        const std::size_t middle = (least + most) / 2;
        (is_enough(middle) ? most : least) = middle;
    }
    return ends_of(nodes_[most - 1]);
}

Outlook::Outlook(const Selector& selector, const ShapeRow& shape, const RoomsToCome& rooms)
    : shape_(shape),
      wants_all_of_one_(selector.wants_all_of_one(shape)),
      useful_(selector.node_count()),
      offering_(selector.node_count()) {
    const Nodes& capable = selector.capable(shape);
    capable.for_each([&](NodeIndex node) { look_at(selector, rooms, node); });
}

void Outlook::started(const Selector& selector, const RoomsToCome& rooms, std::size_t end,
                      const Nodes& nodes) {
    useful_.forget(end, nodes);
    offering_.forget(end, nodes);
    const Nodes& capable = selector.capable(shape_);
    nodes.for_each([&](NodeIndex node) {
        if (capable.has(node)) look_at(selector, rooms, node);
    });
}

void Outlook::set() {
    useful_.set();
    offering_.set();
}

void Outlook::look_at(const Selector& selector, const RoomsToCome& rooms, NodeIndex node) {
    bool is_new = true;
    rooms.for_each(node, [&](std::size_t ends, const Room& room) {
        const std::int32_t cpus = selector.most_of(shape_, node, room);
        if (cpus == 0) return false;
        if (wants_all_of_one_ && std::exchange(is_new, false)) offering_.add(ends, node);
        const bool is_useful = selector.is_enough(shape_, cpus);
        if (is_useful) useful_.add(ends, node);
        return is_useful;
    });
}

NodeCount Outlook::count(const BackfillPlan::Window& window, std::size_t ends) const {
    const std::uint64_t* bits = useful_.after(ends);
    NodeCount found = 0;
    for (std::size_t i = 0; i < window.words(); ++i) found += std::popcount(bits[i] & window.word(i));
    return found;
}

void Outlook::keep_offering(Nodes& nodes, std::size_t ends) const {
    const std::uint64_t* bits = (wants_all_of_one_ ? offering_ : useful_).after(ends);
    nodes.keep_words([&](std::size_t index) { return bits[index]; });
}

}  // namespace schedlab::slurm
