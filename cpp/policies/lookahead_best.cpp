// How a decision is made: futures are drawn, candidates tried in them, and the best is found.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/mix.h"
#include "core/rounding.h"
#include "core/view.h"
#include "policies/lookahead_known.h"
#include "policies/past_arrivals.h"

namespace schedlab {
namespace {

constexpr std::size_t kFirstForks = 10;  // the most forks in which all candidates are tried
constexpr std::size_t kBestTried = 3;   // this number of the best are tried in all forks
constexpr std::size_t kLeastForks = 2;
constexpr std::size_t kFewForks = 4;  // if fewer are affordable, the record chooses candidates
constexpr std::size_t kLeastByRecord = 3, kMostByRecord = 6;  // of them, with the base
constexpr std::size_t kRounds = 3;  // each may put one job first
constexpr Time kArrivals = 2 * 3600;

double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

}  // namespace

Lookahead::Effort Lookahead::effort(std::size_t affordable) const {
    const std::size_t all = candidates_.size(), most = settings_.forks;
    const std::size_t some = affordable / (2 * all);
    if (!record_.empty() && some < kFewForks) {
        const std::size_t tried =
            std::min(all, std::clamp(affordable / kFewForks, kLeastByRecord, kMostByRecord));
        const std::size_t forks = std::clamp(affordable / tried, std::min(kFewForks, most), most);
        return {tried, forks, forks};
    }
    const std::size_t first = std::clamp<std::size_t>(some, 1, kFirstForks);
    const std::size_t more =
        affordable > first * all ? (affordable - first * all) / (1 + kBestTried) : 0;
    const std::size_t forks = std::clamp(first + more, std::min(kLeastForks, most), most);
    return {all, std::min(first, forks), forks};
}

Lookahead::Decision Lookahead::best(Known& known) {
    if (settings_.evolve > 0) evolve(known);
    if (settings_.review) review(known);
    const std::size_t waiting = known.waiting;
    const Time length = arrivals_length();
    const Time yesterday = known.present.now() - PastArrivals::kDay;
    const std::size_t come =
        past_->between(yesterday, yesterday + length, PastArrivals::kDay).size();
    const std::size_t affordable =
        static_cast<std::size_t>(settings_.budget) / std::max<std::size_t>(waiting + come, 1);
    const auto [to_try, first, forks] = effort(affordable);
    std::vector<Future> futures = draw(known, forks);
    add_arrivals(known, length, futures);
    std::vector<Tried> tried;
    for (std::size_t i = 0; i < candidates_.size(); ++i) tried.push_back({i});
    std::vector<Tried*> best{&tried[base_]};
    for (Tried& each : tried) {
        if (each.candidate != base_) best.push_back(&each);
    }
    if (to_try < best.size()) {
        std::stable_sort(best.begin() + 1, best.end(), [&](const Tried* one, const Tried* other) {
            return record_[one->candidate] < record_[other->candidate];
        });
        best.resize(to_try);
    }
    try_out(known, std::span(futures).first(first), best);
    std::stable_sort(best.begin() + 1, best.end(), [](const Tried* one, const Tried* other) {
        return one->total() < other->total();
    });
    best.resize(std::min(best.size(), 1 + kBestTried));
    if (first < forks) try_out(known, std::span(futures).subspan(first), best);

    Decision made;
    made.chosen = made.base = base_;
    made.waiting = waiting;
    double most = 0;
    for (const Tried* each : best) {
        const auto gain = each->gain_over(tried[base_], settings_.fairness);
        if (!gain || !(gain->at_least(settings_.doubt) > most)) continue;
        most = gain->at_least(settings_.doubt);
        made.chosen = each->candidate;
        made.gain = gain->mean / static_cast<double>(waiting);
        made.error = gain->error / static_cast<double>(waiting);
    }
    if (settings_.search > 0) {
        search(known, std::span(futures).first(first), tried[made.chosen], made);
    }
    for (Tried& each : tried) made.sums.push_back(std::move(each.sum));
    return made;
}

void Lookahead::search(const Known& known, std::span<const Future> futures, Tried best,
                       Decision& made) {
    for (std::size_t round = 0; round < kRounds; ++round) {
        const auto imagined = known.present.imagine(futures[0]);
        const auto policy = rehearsed(known, best.candidate, best.moved)->clone();
        imagined->use(*policy);
        const WaitingQueue& queue = View(*imagined).queue();
        std::vector<Tried> tried;
        for (auto at = queue.first(); at < queue.end(); at = queue.next(at)) {
            if (at == queue.first()) continue;
            if (tried.size() == settings_.search) break;
            tried.push_back({best.candidate, best.moved});
            std::erase(tried.back().moved, queue.arrival(at));
            tried.back().moved.insert(tried.back().moved.begin(), queue.arrival(at));
        }
        std::vector<Tried*> all;
        for (Tried& each : tried) all.push_back(&each);
        try_out(known, futures, all);
        const Tried* better = nullptr;
        double most = 0;
        for (const Tried& each : tried) {
            const auto gain = each.gain_over(best, settings_.fairness);
            if (!gain || !(gain->at_least(settings_.doubt) > most)) continue;
            most = gain->at_least(settings_.doubt);
            better = &each;
        }
        if (!better) break;
        best = *better;
    }
    made.moved = std::move(best.moved);
}

std::vector<Future> Lookahead::draw(const Known& known, std::size_t count) const {
    const Present& present = known.present;
    std::vector<std::vector<Time>> runs(count, std::vector<Time>(present.jobs().size()));
    std::vector<std::size_t> stratum(count);
    const std::uint64_t own = bits_of_decision();
    for (std::size_t i = 0; i < present.jobs().size(); ++i) {
        const SubmittedJob job = present.job(i);
        // The run time is drawn once from each of `count` equal parts of the job's distribution.
        std::uint64_t bits = mix(own ^ static_cast<std::uint64_t>(job.job));
        std::iota(stratum.begin(), stratum.end(), 0);
        for (std::size_t k = count; k > 1; --k) {
            std::swap(stratum[k - 1], stratum[(bits = mix(bits)) % k]);
        }
        for (std::size_t k = 0; k < count; ++k) {
            const double level = (static_cast<double>(stratum[k]) + uniform(bits = mix(bits))) /
                                 static_cast<double>(count);
            const Time run = known.kind[i]->told.at(level, job.request, present.elapsed(i));
            runs[k][i] = std::max(run, present.least_run(i));
        }
    }
    std::vector<Future> futures;
    for (auto& run : runs) {
        futures.push_back({std::make_shared<const std::vector<Time>>(std::move(run)), {}});
    }
    return futures;
}

std::uint64_t Lookahead::bits_of_decision() const {
    return mix(mix(settings_.seed) ^ static_cast<std::uint64_t>(decisions_));
}

// Where run times are known, all forks would be the same without arrivals.
Time Lookahead::arrivals_length() const {
    if (settings_.arrivals != kNever) return settings_.arrivals;
    return memory_->is_exact() ? kArrivals : 0;
}

void Lookahead::add_arrivals(Known& known, Time length, std::vector<Future>& futures) const {
    const Time now = known.present.now();
    const Time days = past_->days(now);
    if (length == 0 || days == 0) return;
    const auto first = static_cast<Time>(bits_of_decision() % static_cast<std::uint64_t>(days));
    for (std::size_t k = 0; k < futures.size(); ++k) {
        const Time ago = PastArrivals::kDay * (1 + (first + static_cast<Time>(k)) % days);
        futures[k].arrivals = past_->between(now - ago, now - ago + length, ago);
        for (const Arrival& each : futures[k].arrivals) {
            known.kinds->ask(known.present.past_job(each.like));
        }
        known.present.expect(futures[k].arrivals);
    }
}

std::shared_ptr<const Policy> Lookahead::rehearsed(
    const Known& known, std::size_t candidate, const std::vector<std::int64_t>& moved) const {
    const Candidate& own = candidates_[candidate];
    std::shared_ptr<const Order> head = own.head;
    if (const auto* predicted = dynamic_cast<const PredictedOrder*>(head.get())) {
        head = std::make_shared<KnownOrder>(predicted->weights(), known.runs, known.kinds);
    }
    const auto ahead = std::make_shared<JobsAhead>(JobsAhead{ahead_->late, moved});
    return std::make_shared<Easy>(std::make_shared<GuardedOrder>(std::move(head), ahead, true),
                                  kUnlimited, own.backfill, own.max_priority_gap);
}

void Lookahead::try_out(const Known& known, std::span<const Future> futures,
                        std::span<Tried* const> plans) {
    const Present& present = known.present;
    const Time now = present.now();
    const Time end = settings_.horizon == kNever ? kNever : now + settings_.horizon;
    const auto base = rehearsed(known, base_);
    std::vector<Stages> all_stages;
    for (Tried* plan : plans) {
        Stages stages;
        if (plan->candidate != base_ || !plan->moved.empty()) {
            stages.push_back({rehearsed(known, plan->candidate, plan->moved),
                              std::min(end, now + settings_.period)});
        }
        stages.push_back({base, end});
        all_stages.push_back(std::move(stages));
    }
    const std::size_t before = plans.empty() ? 0 : plans[0]->sum.size();
    for (Tried* plan : plans) {
        plan->sum.resize(before + futures.size());
        plan->worst.resize(before + futures.size());
    }
    run_rollouts(present, futures, all_stages, settings_.threads, [&](std::size_t future,
                                                                 std::size_t plan,
                                                                 const Simulator& done) {
        double sum = 0, worst = 0;
        // A job's start does not depend on its own run time. So its slowdown is the expectation
        // over all its run times, not that of the drawn one only.
        const auto count = [&](std::size_t place, Time since, const ToldRun& run) {
            const Time started = done.start_times()[place];
            const auto wait = static_cast<double>((started == kNone ? done.now() : started) - since);
            const bool slows = settings_.metric == LookaheadMetric::bounded_slowdown;
            const double score = slows ? wait * run.slowness : wait;
            sum = settings_.metric == LookaheadMetric::longest_wait ? std::max(sum, score)
                                                                    : sum + score;
            return score;
        };
        const auto& arrivals = futures[future].arrivals;
        for (std::size_t i = 0; i < arrivals.size(); ++i) {
            const SubmittedJob job = present.past_job(arrivals[i].like);
            count(present.jobs().size() + i, arrivals[i].submit,
                  known.kinds->run(job.user, job.request, job.nodes));
        }
        std::map<std::int64_t, std::pair<double, double>> users;
        for (std::size_t i = 0; i < present.jobs().size(); ++i) {
            if (!present.is_waiting(i)) continue;
            const double score = count(i, present.eligible(i), (*known.runs)[i]);
            if (std::isinf(settings_.fairness)) continue;
            auto& [of_user, jobs] = users[present.job(i).user];
            of_user += score;
            jobs += 1;
        }
        for (const auto& [user, mean] : users) worst = std::max(worst, mean.first / mean.second);
        plans[plan]->sum[before + future] = rounded_sum(sum);
        plans[plan]->worst[before + future] = worst;
    });
    rollouts_ += static_cast<std::int64_t>(futures.size() * plans.size());
}

}  // namespace schedlab
