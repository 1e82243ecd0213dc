#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/policy.h"
#include "core/rollouts.h"
#include "policies/easy.h"
#include "policies/weight_search.h"
#include "predictors/run_memory.h"

namespace schedlab {

struct JobsAhead;
class PastArrivals;

// What a rollout is judged by; less is better.
enum class LookaheadMetric : std::int8_t { bounded_slowdown, wait, longest_wait };

struct LookaheadSettings {
    Time period = 7200;
    std::size_t forks = 40;
    double doubt = 0.5;       // standard errors by which a candidate must be better than the base
    Time horizon = kNever;    // a rollout ends after this time
    LookaheadMetric metric = LookaheadMetric::bounded_slowdown;
    Time patience = kNever;  // the oldest job goes first when it has waited longer
    // The longest wait of any job, as far as EASY can keep it; kNever: no limit.
    Time guard = kNever;
    // The worst-off user's mean is at most this multiple of that under the base.
    double fairness = std::numeric_limits<double>::infinity();
    bool review = false;     // the base is the candidate with the best record
    std::size_t search = 0;  // how many of the first jobs are tried at the very front
    std::size_t evolve = 0;  // weights of the last candidate to try on the past at each decision
    // How long jobs arrive in the forks, up to a day; kNever: 2 h where run times are known.
    Time arrivals = kNever;
    std::int64_t budget = 16'000;  // approximate number of job starts that a decision tries
    std::uint64_t seed = 0;
    std::size_t threads = 1;
};

// An order of the queue and of backfilling under EASY.
struct LookaheadCandidate {
    std::string name;
    std::shared_ptr<Order> head;
    std::shared_ptr<Order> backfill;  // null: the same
    double max_priority_gap = std::numeric_limits<double>::infinity();
};

// Tries candidates before it decides. From time to time it forks the present with drawn run times.
// In the forks each candidate decides for one period, and one of them, the base, decides after it:
// the first, or the one with the best record. The policy goes on with the candidate that did best.
// It leaves the base only for a gain that is larger than chance explains.
class Lookahead : public Policy {
  public:
    using Settings = LookaheadSettings;
    using Candidate = LookaheadCandidate;

    // A time at which another candidate became the base.
    struct BaseChange {
        Time time;
        std::size_t candidate;
    };

    // A time at which another candidate was chosen.
    struct Switch {
        Time time;
        std::size_t candidate;
        std::size_t waiting;
        double gain;   // the mean over the forks, per waiting job
        double error;  // its standard error
    };

    // The best candidate, and the scores of all that were tried.
    struct Decision {
        std::size_t chosen = 0;
        std::size_t base = 0;
        std::size_t waiting = 0;
        double gain = 0;   // over the base: the mean over the forks, per waiting job
        double error = 0;  // its standard error
        std::vector<std::vector<double>> sums;  // by candidate, then by fork; empty if not tried
        std::vector<std::int64_t> moved;  // jobs that come first, by arrival
    };

    Lookahead(std::vector<Candidate> candidates, Settings settings);
    // Returns the decision in this state, as if it were the first one.
    Decision rehearse(Simulator& simulation) const;

    std::shared_ptr<Policy> clone() const override;
    std::shared_ptr<Order> order() const override;
    void begin(const View& view) override;
    void schedule(View& view) override;

    const std::vector<Candidate>& candidates() const { return candidates_; }
    const std::vector<Switch>& switches() const { return switches_; }
    const std::vector<BaseChange>& base_changes() const { return base_changes_; }
    std::int64_t decisions() const { return decisions_; }
    std::int64_t rollouts() const { return rollouts_; }
    // How often a job was put first because forks gained by it.
    std::int64_t moves() const { return moves_; }
    // The weights of the evolved candidate: nodes and request.
    const WeightSearch::Weights& weights() const { return weights_.mean(); }
    // Seconds for which the guard's plan decided.
    Time guarded() const { return guarded_s_; }

  private:
    class CurrentOrder;
    struct Known;
    struct Past;
    struct Tried;
    // How many candidates a decision tries, in how many forks at first, and the best in all.
    struct Effort {
        std::size_t candidates;
        std::size_t first;
        std::size_t forks;
    };

    void build();
    // Makes order and policy of a candidate.
    void put(std::size_t candidate);
    bool is_due(const View& view) const;
    void decide(View& view);
    Decision best(Known& known);
    // What is tried if this number of rollouts is affordable. With a long queue only the base and
    // the candidates with the best records are, each in several forks.
    Effort effort(std::size_t affordable) const;
    // The jobs of the last days that have ended, the last of them if there are more than `most`.
    Past past_of(Known& known, std::size_t most) const;
    // Returns the score of these jobs under EASY in this order.
    double replay(const Known& known, const Past& past, const Candidate& candidate) const;
    // Replays the past with other weights of the last candidate, and improves them.
    void evolve(Known& known);
    // Once a day, replays the past under each candidate; the best by its record becomes the base.
    void review(Known& known);
    void use_weights(const WeightSearch::Weights& weights);
    std::vector<Future> draw(const Known& known, std::size_t count) const;
    Time arrivals_length() const;
    // Adds arrivals for this length of time to each future: those at this time on one of the last
    // days.
    void add_arrivals(Known& known, Time length, std::vector<Future>& futures) const;
    std::uint64_t bits_of_decision() const;
    // The policy of a rollout: a candidate, and jobs that come first.
    std::shared_ptr<const Policy> rehearsed(const Known& known, std::size_t candidate,
                                            const std::vector<std::int64_t>& moved = {}) const;
    // Runs the plans in these futures and appends the scores to those of earlier futures.
    void try_out(const Known& known, std::span<const Future> futures,
                 std::span<Tried* const> plans);
    // Puts one of the first jobs at the very front, and repeats this while it is a gain.
    void search(const Known& known, std::span<const Future> futures, Tried best, Decision& made);
    void go_on_with(View& view, std::size_t candidate);
    // Lets the guard's plan decide while the longest allowed wait is in danger.
    void keep_guard(View& view);
    bool breaks_guard(const Simulator& simulation);
    // Returns whether the late job that goes first is another one than before, or none.
    bool notice_late(const View& view);

    std::vector<Candidate> candidates_;
    Settings settings_;
    std::shared_ptr<RunMemory> memory_;
    std::shared_ptr<PastArrivals> past_;
    std::shared_ptr<JobsAhead> ahead_;
    WeightSearch weights_;
    std::vector<std::shared_ptr<Order>> orders_;     // guarded, by candidate; the guard's is last
    std::vector<std::shared_ptr<Policy>> policies_;  // the same
    std::shared_ptr<CurrentOrder> order_;
    std::shared_ptr<Policy> deciding_;
    std::size_t chosen_ = 0;
    std::size_t base_ = 0;
    std::vector<double> record_;  // by candidate: the scores of its replays, old ones count less
    Time next_review_ = 0;
    bool is_guarding_ = false;
    Time next_ = 0;
    Time next_guard_ = 0;
    Time guarded_since_ = 0;
    Time guarded_s_ = 0;
    Time late_since_ = 0;  // since when a late job goes first
    Time rest_until_ = 0;  // until then no other does
    std::size_t last_waiting_ = 0;
    std::int64_t decisions_ = 0;
    std::int64_t rollouts_ = 0;
    std::int64_t moves_ = 0;
    std::vector<Switch> switches_;
    std::vector<BaseChange> base_changes_;
};

}  // namespace schedlab
