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

Outlook::Outlook(const Selector& selector, const ShapeRow& shape, const RoomsToCome& rooms) {
    const bool wants_all = selector.wants_all_of_one(shape);
    selector.capable(shape).for_each([&](NodeIndex node) {
        bool is_new = true;
        rooms.for_each(node, [&](std::size_t ends, const Room& room) {
            const std::int32_t cpus = selector.most_of(shape, node, room);
            if (cpus == 0) return false;
            const NodeAfter own{static_cast<std::uint32_t>(ends), node};
            if (wants_all && std::exchange(is_new, false)) offering_.push_back(own);
            const bool is_useful = !wants_all || cpus >= shape.cpus();
            if (is_useful) useful_.push_back(own);
            return is_useful;
        });
    });
    std::sort(useful_.begin(), useful_.end());
    std::sort(offering_.begin(), offering_.end());
}

std::optional<std::size_t> Outlook::ends_for(NodeCount needed, const Nodes& allowed) const {
    for (const auto& [ends, node] : useful_) {
        if (allowed.has(node) && --needed == 0) return ends;
    }
    return {};
}

void Outlook::keep_offering(Nodes& nodes, std::size_t ends) const {
    bits_.assign(nodes.words(), 0);
    for (const auto& [own, node] : offering_.empty() ? useful_ : offering_) {
        if (own > ends) break;
        bits_[static_cast<std::size_t>(node) / kNodeBits] |= 1ULL << node % kNodeBits;
    }
    nodes.keep_words([&](std::size_t index) { return bits_[index]; });
}

void Prospects::begin(const Outlook& outlook) {
    useful_ = &outlook.useful();
    next_ = 0;
    std::fill(bits_.begin(), bits_.end(), 0);
}

NodeCount Prospects::count(const RoomsToCome& rooms, const BackfillPlan::Window& window,
                           std::optional<Second> until) {
    const std::size_t most = until ? rooms.ends_by(*until) : rooms.ends().size();
    for (; next_ < useful_->size() && (*useful_)[next_].ends <= most; ++next_) {
        const auto node = static_cast<std::size_t>((*useful_)[next_].node);
        bits_[node / kNodeBits] |= 1ULL << node % kNodeBits;
    }
    NodeCount found = 0;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
        found += std::popcount(bits_[i] & window.word(i));
    }
    return found;
}

}  // namespace schedlab::slurm
