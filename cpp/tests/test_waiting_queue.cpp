// The queue of waiting jobs: its order, its gaps, and the search for a job to backfill.
#include <cassert>
#include <vector>

#include "core/waiting_queue.h"

using namespace schedlab;

namespace {

WaitingJob job(JobIndex number, NodeCount nodes, Time estimate) {
    return {number, nodes, estimate, estimate, 0, 0, -1, number};
}

// 200 jobs with 1 to 5 nodes, by key: three blocks and more.
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

}  // namespace

int main() {
    jobs_stand_by_key_then_by_arrival();
    a_job_is_found_until_it_has_left();
    a_job_that_comes_back_is_found_beside_the_slot_it_left();
    the_search_passes_over_what_is_too_wide_or_too_long();
    new_keys_give_a_new_order_and_old_ones_change_nothing();
    a_copy_goes_its_own_way();
}
