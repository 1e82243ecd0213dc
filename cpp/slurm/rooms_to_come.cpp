#include "slurm/rooms_to_come.h"

#include <algorithm>
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
        return std::pair(a.limit, a.job->row->id) < std::pair(b.limit, b.job->row->id);
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
    for (std::size_t at = 0; at < ends_.size(); ++at) {
        for (const NodeShare& share : ends_[at].job->shares) {
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

Outlook::Outlook(const Selector& selector, const ShapeRow& shape, const RoomsToCome& rooms) {
    selector.capable(shape).for_each([&](NodeIndex node) {
        rooms.for_each(node, [&](std::size_t ends, const Room& room) {
            const bool is_useful = selector.is_useful(shape, node, room);
            if (is_useful) useful_.push_back({ends, node});
            return is_useful;
        });
    });
    std::stable_sort(useful_.begin(), useful_.end(),
                     [](const Useful& a, const Useful& b) { return a.ends < b.ends; });
}

NodeCount Outlook::count(const Nodes& allowed, std::size_t ends) const {
    NodeCount found = 0;
    for (const Useful& each : useful_) {
        if (each.ends > ends) break;
        found += allowed.has(each.node);
    }
    return found;
}

}  // namespace schedlab::slurm
