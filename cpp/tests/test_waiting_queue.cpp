// The queue of waiting jobs: its order, its gaps, and the search for a job to backfill.
#include <algorithm>
#include <cassert>
#include <random>
#include <tuple>
#include <vector>

#include "core/waiting_queue.h"

using namespace schedlab;

namespace {

WaitingJob job(JobIndex number, NodeCount nodes, Time estimate) {
    return {number, nodes, estimate, estimate, 0, 0, -1, number};
}

// 200 jobs with 1 to 5 nodes, by key: more than three blocks.
WaitingQueue many() {
    WaitingQueue queue;
    for (JobIndex i = 0; i < 200; ++i) queue.insert(job(i, 1 + i % 5, 10 + i), (i * 37) % 101);
    return queue;
}

void jobs_stand_by_key_then_by_arrival() {
    const WaitingQueue queue = many();
    assert(queue.size() == 200);
    for (auto at = queue.first(); queue.next(at) < queue.end(); at = queue.next(at)) {
        const auto next = queue.next(at);
        assert(queue.key(at) < queue.key(next) ||
               (queue.key(at) == queue.key(next) && queue.arrival(at) < queue.arrival(next)));
    }
}

void a_job_is_found_until_it_has_left() {
    WaitingQueue queue = many();
    const auto at = queue.find(77);
    assert(queue.job(at) == 77 && queue.find(77, queue.key(at)) == at);
    queue.remove(at);
    assert(queue.find(77) == queue.end() && queue.size() == 199);
    assert(queue.job(queue.oldest()) == 0);
}

void a_job_that_comes_back_is_found_beside_the_slot_it_left() {
    WaitingQueue queue;
    queue.insert(job(0, 1, 10), 0);
    queue.insert(job(1, 1, 10), 1);
    queue.remove(queue.find(0));
    queue.insert(job(0, 1, 10), 2);
    assert(queue.find(0) < queue.end() && queue.key(queue.find(0)) == 2);
}

void the_search_passes_over_what_is_too_wide_or_too_long() {
    const WaitingQueue queue = many();
    const auto found = queue.find_backfill(queue.first(), queue.end(), 3, 12, 1);
    for (auto at = queue.first(); at < found; at = queue.next(at)) {
        const bool narrow = queue.nodes(at) <= 3;
        assert(!(narrow && (queue.nodes(at) <= 1 || queue.job(at) <= 2)));
    }
    assert(queue.nodes(found) <= 1 || queue.job(found) <= 2);
    assert(queue.find_backfill(queue.first(), queue.end(), 0, 1000, 0) == queue.end());
}

void new_keys_give_a_new_order_and_old_ones_change_nothing() {
    WaitingQueue queue = many();
    std::vector<JobIndex> before, after;
    std::vector<double> keys;
    queue.jobs(before);
    for (auto at = queue.first(); at < queue.end(); at = queue.next(at)) {
        keys.push_back(queue.key(at) + 5);
    }
    queue.reorder(keys);
    queue.jobs(after);
    assert(before == after);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = -after[i];
    queue.reorder(keys);
    assert(queue.job(queue.first()) == 199);
}

void a_copy_goes_its_own_way() {
    WaitingQueue queue = many();
    WaitingQueue copy(queue);
    copy.remove(copy.first());
    assert(copy.size() == 199 && queue.size() == 200);
}

// A plain reference for a queue with split keys.
struct Plain {
    struct Own {
        WaitingJob job;
        SplitKey key;
    };
    std::vector<Own> all;
    std::vector<double> offsets = std::vector<double>(5, 1.0);

    std::vector<JobIndex> in_order() const {
        std::vector<std::tuple<std::int32_t, double, std::int64_t, JobIndex>> ranked;
        for (const auto& [job, key] : all) {
            ranked.emplace_back(-job.tier, key.own - offsets[key.group], job.arrival, job.job);
        }
        std::sort(ranked.begin(), ranked.end());
        std::vector<JobIndex> jobs;
        for (const auto& rank : ranked) jobs.push_back(std::get<3>(rank));
        return jobs;
    }
    JobIndex oldest() const {
        return std::min_element(all.begin(), all.end(), [](const Own& a, const Own& b) {
                   return a.job.arrival < b.job.arrival;
               })->job.job;
    }
    void remove(JobIndex job) {
        std::erase_if(all, [job](const Own& own) { return own.job.job == job; });
    }
};

// Compares the first jobs, then the oldest; with `oldest_first`, the oldest also before them.
void compare(const WaitingQueue& queue, const Plain& plain, std::size_t depth, bool oldest_first) {
    const auto expected = plain.in_order();
    assert(queue.size() == expected.size());
    if (expected.empty()) return;
    if (oldest_first) assert(queue.job(queue.oldest()) == plain.oldest());
    std::size_t seen = 0;
    for (auto at = queue.first(); at < queue.end() && seen < depth; at = queue.next(at)) {
        assert(queue.waits(at) && queue.job(at) == expected[seen++]);
    }
    assert(seen == std::min(depth, expected.size()));
    assert(queue.job(queue.oldest()) == plain.oldest());
}

void split_keys_give_the_order_of_plain_ones_however_far_one_looks() {
    std::mt19937 random(1);
    const auto draw = [&random](int below) { return static_cast<int>(random() % below); };
    for (int round = 0; round < 30; ++round) {
        WaitingQueue queue;
        queue.clear(true);
        Plain plain;
        std::vector<Plain::Own> left;
        std::int64_t arrivals = 0;
        for (int step = 0; step < 400; ++step) {
            // Once in a while many jobs come, so that chains keep them until few are left.
            for (int i = step % 150 == 100 ? 300 : draw(4); i > 0; --i) {
                // Mostly in the order of arrival, as times are; some come back with an old one.
                WaitingJob next = job(static_cast<JobIndex>(arrivals), 1 + draw(5), 10);
                next.tier = draw(20) == 0;
                SplitKey key{0.1 * static_cast<double>(step) - 0.3 * (draw(10) == 0), draw(5)};
                next.arrival = arrivals++;
                if (!left.empty() && draw(10) == 0) {
                    next = left.back().job;
                    key = left.back().key;
                    left.pop_back();
                }
                queue.set_offsets(plain.offsets);
                queue.insert(next, key);
                plain.all.push_back({next, key});
            }
            if (draw(3) == 0) {
                plain.offsets[draw(5)] = 0.25 * draw(8);
                queue.set_offsets(plain.offsets);
            }
            queue.tidy();
            compare(queue, plain, draw(4) ? 10 : 1000, draw(2));
            for (int i = step % 150 == 120 ? 280 : draw(5); i > 0 && !queue.empty(); --i) {
                const auto order = plain.in_order();
                const JobIndex some = order[draw(static_cast<int>(order.size()))];
                const auto at = draw(3) == 0   ? queue.oldest()
                                : draw(2) == 0 ? queue.first()
                                               : queue.find(some);
                const JobIndex leaving = queue.job(at);
                for (const auto& own : plain.all) {
                    if (own.job.job == leaving) left.push_back(own);
                }
                queue.remove(at);
                plain.remove(leaving);
                assert(queue.find(leaving) == queue.end());
                compare(queue, plain, 5, draw(2));
            }
            if (step % 100 == 50) {
                const WaitingQueue copy(queue);
                compare(copy, plain, 1000, true);
            }
        }
    }
}

}  // namespace

int main() {
    split_keys_give_the_order_of_plain_ones_however_far_one_looks();
    jobs_stand_by_key_then_by_arrival();
    a_job_is_found_until_it_has_left();
    a_job_that_comes_back_is_found_beside_the_slot_it_left();
    the_search_passes_over_what_is_too_wide_or_too_long();
    new_keys_give_a_new_order_and_old_ones_change_nothing();
    a_copy_goes_its_own_way();
}
