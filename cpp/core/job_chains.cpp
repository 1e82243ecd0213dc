#include "core/job_chains.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace schedlab {
namespace {

// For a heap with the least on top.
constexpr auto kLaterHead = [](const auto& a, const auto& b) {
    return std::tie(a.rank, a.arrival) > std::tie(b.rank, b.arrival);
};

}  // namespace

QueueRank JobChains::insert(const WaitingJob& job, SplitKey key) {
    const auto place = static_cast<std::size_t>(job.job);
    if (place >= places_.size()) places_.resize(place + 1);
    places_[place] = {++tickets_, kHidden};
    const std::size_t chain = chain_for(-job.tier, key, job.arrival);
    Chain& own = chains_[chain];
    own.links.push_back(
        {key.own, job.arrival, job.job, job.nodes, job.estimate, job.demand, tickets_});
    const Link& link = own.links.back();
    if (own.next + 1 == own.links.size()) {
        heads_.push_back({rank(own, link), link.arrival, chain, link.ticket});
        std::push_heap(heads_.begin(), heads_.end(), kLaterHead);
    }
    return rank(own, link);
}

// Return a chain whose last job stays before this newcomer, however the group's keys change.
std::size_t JobChains::chain_for(std::int32_t minus_tier, SplitKey key, std::int64_t arrival) {
    const auto group = static_cast<std::size_t>(key.group);
    if (group >= of_group_.size()) of_group_.resize(group + 1);
    for (const std::size_t known : of_group_[group]) {
        const Chain& chain = chains_[known];
        if (chain.minus_tier != minus_tier) continue;
        if (chain.links.empty()) return known;
        const Link& last = chain.links.back();
        if (last.own <= key.own && last.arrival < arrival) return known;
    }
    of_group_[group].push_back(chains_.size());
    chains_.push_back({minus_tier, key.group, {}});
    return chains_.size() - 1;
}

bool JobChains::set_offsets(std::span<const double> offsets) {
    const bool same = std::equal(offsets_.begin(), offsets_.end(), offsets.begin());
    offsets_.assign(offsets.begin(), offsets.end());
    return !same;
}

void JobChains::remove(JobIndex job) {
    assert(waits(job));
    places_[job] = {};
}

bool JobChains::waits(JobIndex job) const {
    const auto place = static_cast<std::size_t>(job);
    return place < places_.size() && places_[place].ticket != kNoTicket;
}

// Skips the jobs at the beginning of a chain that have left.
void JobChains::skip_gone(Chain& chain) {
    while (chain.first < chain.links.size() && !is_live(chain.links[chain.first])) ++chain.first;
    chain.next = std::max(chain.next, chain.first);
}

JobChains::Ranked JobChains::oldest() {
    const Chain* found = nullptr;
    for (Chain& chain : chains_) {
        skip_gone(chain);
        if (chain.first == chain.links.size()) continue;
        const auto first = [](const Chain& each) { return each.links[each.first].arrival; };
        if (!found || first(chain) < first(*found)) found = &chain;
    }
    assert(found);
    const Link& link = found->links[found->first];
    return {rank(*found, link), link};
}

void JobChains::restart() {
    heads_.clear();
    for (std::size_t i = 0; i < chains_.size(); ++i) {
        Chain& chain = chains_[i];
        hide(chain);
        Head head;
        if (next_of(i, head)) {
            heads_.push_back(head);
        } else {
            chain.links.clear();
            chain.first = chain.next = 0;
        }
    }
    std::make_heap(heads_.begin(), heads_.end(), kLaterHead);
}

// Puts the shown jobs that still wait back in front of the others.
void JobChains::hide(Chain& chain) {
    std::size_t to = chain.next;
    for (std::size_t from = chain.next; from-- > chain.first;) {
        const Link link = chain.links[from];
        if (!is_live(link)) continue;
        places_[link.job].position = kHidden;
        chain.links[--to] = link;
    }
    chain.first = chain.next = to;
    if (chain.first > 64 && chain.first > chain.links.size() / 2) {
        chain.links.erase(chain.links.begin(), chain.links.begin() + chain.first);
        chain.first = chain.next = 0;
    }
}

bool JobChains::next_of(std::size_t index, Head& head) {
    Chain& chain = chains_[index];
    while (chain.next < chain.links.size() && !is_live(chain.links[chain.next])) ++chain.next;
    if (chain.next == chain.links.size()) return false;
    const Link& link = chain.links[chain.next];
    head = {rank(chain, link), link.arrival, index, link.ticket};
    return true;
}

bool JobChains::show_next(Position position, Ranked& shown) {
    while (!heads_.empty()) {
        const Head head = heads_.front();
        Chain& chain = chains_[head.chain];
        bool found = false;
        if (chain.next < chain.links.size()) {
            const Link& link = chain.links[chain.next];
            found = link.ticket == head.ticket && is_live(link);
            if (found) {
                shown = {head.rank, link};
                places_[link.job].position = position;
                ++chain.next;
            }
        }
        replace_first();
        if (found) return true;
    }
    return false;
}

// Replaces the first head by the next job of its chain, and moves that to its place in the heap.
void JobChains::replace_first() {
    const std::size_t index = heads_.front().chain;
    Head next;
    if (!next_of(index, next)) {
        std::pop_heap(heads_.begin(), heads_.end(), kLaterHead);
        heads_.pop_back();
        return;
    }
    std::size_t at = 0;
    for (std::size_t child = 1; child < heads_.size(); child = 2 * at + 1) {
        if (child + 1 < heads_.size() && kLaterHead(heads_[child], heads_[child + 1])) ++child;
        if (!kLaterHead(next, heads_[child])) break;
        heads_[at] = heads_[child];
        at = child;
    }
    heads_[at] = next;
}

}  // namespace schedlab
