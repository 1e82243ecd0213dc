// Whole simulations without Python: EASY by hand, a fork, jobs added and cancelled.
#include <cassert>
#include <limits>
#include <memory>
#include <vector>

#include "core/simulator.h"
#include "policies/conservative.h"
#include "policies/easy.h"
#include "policies/orders.h"

using namespace schedlab;

namespace {

using Starts = std::vector<Time>;

// Four nodes. The second job needs all; the third ends before it starts, the fourth does not.
JobTable head_blocked() {
    JobTable table;
    table.add({1, 0, 3, 10, 10, -1});
    table.add({2, 1, 4, 10, 10, -1});
    table.add({3, 2, 1, 8, 8, -1});
    table.add({4, 3, 1, 20, 20, -1});
    return table;
}

std::shared_ptr<Simulator> on_four_nodes() {
    return std::make_shared<Simulator>(head_blocked(), Options{.nodes = 4});
}

Easy easy() {
    return {make_order("fcfs"), kUnlimited, nullptr, std::numeric_limits<double>::infinity()};
}

void finish(Simulator& simulator, Policy& policy) {
    while (simulator.run(policy, 1000)) {
    }
}

void easy_fills_holes_that_do_not_delay_the_head() {
    const auto simulator = on_four_nodes();
    Easy policy = easy();
    simulator->use(policy);
    finish(*simulator, policy);
    assert((simulator->start_times() == Starts{0, 10, 2, 20}));
    assert(simulator->nodes_of(2).front().first == 3);
}

void a_fork_goes_on_by_itself() {
    const auto simulator = on_four_nodes();
    Conservative policy(make_order("fcfs"), kUnlimited);
    simulator->use(policy);
    simulator->run(policy, 1000, 3);
    assert(simulator->now() == 3 && simulator->waiting() == 2);
    const auto clone = policy.clone();
    const auto fork = simulator->fork(*clone);
    fork->cancel(1);
    fork->add_job({5, 4, 1, 5, 5, -1});
    finish(*fork, *clone);
    assert((fork->start_times() == Starts{0, kNone, 2, 10, 10}));
    assert(fork->states()[1] == JobState::cancelled);
    finish(*simulator, policy);
    assert((simulator->start_times() == Starts{0, 10, 2, 20}));
}

void another_policy_decides_at_once() {
    const auto simulator = on_four_nodes();
    Easy policy = easy();
    simulator->use(policy);
    simulator->run(policy, 1000, 12);
    Easy shortest(make_order("ljf"), kUnlimited, nullptr, 0);
    simulator->use(shortest);
    finish(*simulator, shortest);
    assert((simulator->start_times() == Starts{0, 10, 2, 20}));
}

void a_running_job_can_be_killed() {
    const auto simulator = on_four_nodes();
    Easy policy = easy();
    simulator->use(policy);
    simulator->run(policy, 1000, 5);
    simulator->cancel(0);
    finish(*simulator, policy);
    assert(simulator->states()[0] == JobState::killed && simulator->end_times()[0] == 5);
    assert((simulator->start_times() == Starts{0, 10, 2, 20}));
}

}  // namespace

int main() {
    easy_fills_holes_that_do_not_delay_the_head();
    a_fork_goes_on_by_itself();
    another_policy_decides_at_once();
    a_running_job_can_be_killed();
}
