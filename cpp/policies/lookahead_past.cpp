// What the last days teach: candidates are judged by replays of the jobs that have ended.

#include <algorithm>
#include <utility>

#include "core/view.h"
#include "policies/lookahead_known.h"
#include "policies/past_arrivals.h"

namespace schedlab {
namespace {

constexpr std::size_t kEvolvedOn = 500;  // jobs, at most
constexpr std::size_t kReviewed = 5000;  // jobs, at most
constexpr Time kBetweenReviews = 86'400;
constexpr double kKept = 0.95;       // of a record, from one review to the next
constexpr double kConvincing = 0.9;  // a record below this part of the first one's makes a base

}  // namespace

struct Lookahead::Past {
    std::vector<Arrival> jobs;
    std::shared_ptr<std::vector<ToldRun>> told = std::make_shared<std::vector<ToldRun>>();
};

Lookahead::Past Lookahead::past_of(Known& known, std::size_t most) const {
    const Time now = known.present.now();
    Past past{past_->between(now - PastArrivals::kDays * PastArrivals::kDay, now, 0)};
    std::vector<Arrival>& jobs = past.jobs;
    const std::size_t more = jobs.size() - std::min(jobs.size(), most);
    jobs.erase(jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(more));
    for (const Arrival& each : jobs) {
        past.told->push_back(known.kinds->ask(known.present.past_job(each.like)).run);
    }
    return past;
}

double Lookahead::replay(const Known& known, const Past& past, const Candidate& candidate) const {
    std::shared_ptr<Order> head = candidate.head;
    if (const auto* predicted = dynamic_cast<const PredictedOrder*>(head.get())) {
        head = std::make_shared<KnownOrder>(predicted->weights(), past.told, known.kinds);
    }
    const auto easy = std::make_shared<Easy>(std::move(head), kUnlimited, candidate.backfill,
                                             candidate.max_priority_gap);
    const auto done = known.present.replay(past.jobs);
    run_stages(*done, {{easy, kNever}});
    double sum = 0;
    for (std::size_t i = 0; i < past.jobs.size(); ++i) {
        const auto wait = static_cast<double>(done->start_times()[i] - past.jobs[i].submit);
        const auto ran = static_cast<double>(std::max<Time>(past.jobs[i].run, 10));
        const bool slows = settings_.metric == LookaheadMetric::bounded_slowdown;
        const double score = slows ? wait / ran : wait;
        sum = settings_.metric == LookaheadMetric::longest_wait ? std::max(sum, score)
                                                                : sum + score;
    }
    return rounded_sum(sum);
}

void Lookahead::evolve(Known& known) {
    const Past past = past_of(known, kEvolvedOn);
    const std::vector<WeightSearch::Weights> tried = weights_.ask(settings_.evolve);
    std::vector<double> scores;
    for (const auto& [nodes, request] : tried) {
        const PredictedOrder::Weights weights{nodes, 0, request};
        const auto order = std::make_shared<PredictedOrder>(weights);
        scores.push_back(replay(known, past, {"", order, nullptr}));
    }
    weights_.tell(tried, scores);
    use_weights(weights_.mean());
}

void Lookahead::review(Known& known) {
    if (memory_->is_exact()) {  // the forks know how long jobs run: the past says less
        base_ = 0;
        record_.clear();
        return;
    }
    if (known.present.now() < next_review_) return;
    next_review_ = known.present.now() + kBetweenReviews;
    const Past past = past_of(known, kReviewed);
    record_.resize(candidates_.size());
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        record_[i] = rounded_sum(kKept * record_[i] + replay(known, past, candidates_[i]));
    }
    const auto best = std::min_element(record_.begin(), record_.end());
    base_ = *best < kConvincing * record_[0] ? static_cast<std::size_t>(best - record_.begin()) : 0;
}

}  // namespace schedlab
