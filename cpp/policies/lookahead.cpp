#include "policies/lookahead.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/mix.h"
#include "core/view.h"
#include "policies/conservative.h"
#include "policies/lookahead_orders.h"
#include "policies/orders.h"

namespace schedlab {
namespace {

constexpr std::size_t kFirstForks = 10; // all candidates are tried in so many at most
constexpr std::size_t kBestTried = 3;   // these are tried in all
constexpr std::size_t kLeastForks = 2;
constexpr std::size_t kRounds = 3;  // so many jobs are put first at most
constexpr Time kRest = 9;
constexpr Time kArrivals = 2 * 3600;
constexpr Time kDay = 86'400;
constexpr Time kDays = 7;

double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

}  // namespace

// The jobs of the last days that have ended, by rising submission.
class Lookahead::PastArrivals {
  public:
    void clear() { jobs_.clear(); }
    void note(const SubmittedJob& job, Time ran) {
        const auto later = std::upper_bound(
            jobs_.begin(), jobs_.end(), std::pair(job.submit, job.job),
            [](const auto& one, const Past& other) {
                return one < std::pair(other.submit, other.job);
            });
        jobs_.insert(later, {job.submit, job.job, ran});
        while (jobs_.front().submit < jobs_.back().submit - (kDays + 1) * kDay) jobs_.pop_front();
    }
    // How many whole days they cover, up to kDays.
    Time days(Time now) const {
        return jobs_.empty() ? 0 : std::min(kDays, (now - jobs_.front().submit) / kDay);
    }
    // Those that were submitted after `begin` and up to `end`, so much later.
    std::vector<Arrival> between(Time begin, Time end, Time later) const {
        const auto upto = [](Time time, const Past& job) { return time < job.submit; };
        const auto first = std::upper_bound(jobs_.begin(), jobs_.end(), begin, upto);
        const auto last = std::upper_bound(first, jobs_.end(), end, upto);
        std::vector<Arrival> found;
        for (auto job = first; job != last; ++job) {
            found.push_back({job->job, job->submit + later, job->ran});
        }
        return found;
    }

  private:
    struct Past {
        Time submit;
        JobIndex job;
        Time ran;
    };
    std::deque<Past> jobs_;
};

// The order of the candidate that decides; learns for all of them.
class Lookahead::CurrentOrder : public Order {
  public:
    CurrentOrder(std::shared_ptr<const Order> base, std::shared_ptr<RunMemory> memory,
                 std::shared_ptr<PastArrivals> past)
        : base_(std::move(base)),
          order_(base_),
          memory_(std::move(memory)),
          past_(std::move(past)) {}

    bool is(const std::shared_ptr<Order>& order) const { return order_ == order; }
    void set(std::shared_ptr<const Order> order) { order_ = std::move(order); }

    KeysChange keys_change() const override { return order_->keys_change(); }
    void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
              std::span<double> keys) const override {
        order_->keys(jobs, machine, keys);
    }
    bool learns() const override { return true; }
    void begin() override {
        memory_->clear();
        past_->clear();
        order_ = base_;
    }
    void job_ended(const SubmittedJob& job, Time ran) override {
        memory_->note(job, ran);
        past_->note(job, ran);
    }

  private:
    std::shared_ptr<const Order> base_;
    std::shared_ptr<const Order> order_;
    std::shared_ptr<RunMemory> memory_;
    std::shared_ptr<PastArrivals> past_;
};

// What can be known at a decision: the state, and how long its jobs may run.
struct Lookahead::Known {
    Known(const Simulator& simulation, const RunMemory& memory)
        : present(simulation), kinds(std::make_shared<ToldKinds>(memory)) {
        for (std::size_t i = 0; i < present.jobs().size(); ++i) {
            kind.push_back(&kinds->ask(present.job(i)));
            runs->push_back(kind.back()->run);
            waiting += present.is_waiting(i);
        }
    }

    Present present;
    std::shared_ptr<ToldKinds> kinds;
    std::vector<const ToldKinds::Kind*> kind;  // by unfinished job
    std::shared_ptr<std::vector<ToldRun>> runs = std::make_shared<std::vector<ToldRun>>();
    std::size_t waiting = 0;
};

// A candidate with jobs that come first, and what came of it fork by fork: the sum over the waiting
// jobs, and the mean of the worst-off user.
struct Lookahead::Tried {
    std::size_t candidate;
    std::vector<std::int64_t> moved{};
    std::vector<double> sum{};
    std::vector<double> worst{};

    double total() const { return std::accumulate(sum.begin(), sum.end(), 0.0); }

    struct Gain {
        double mean;
        double error;  // of the mean
    };
    // Over another one, in the forks of both; nothing if that is not fair enough.
    std::optional<Gain> gain_over(const Tried& other, double fairness) const {
        const std::size_t forks = std::min(sum.size(), other.sum.size());
        double gain = 0, square = 0, fair = 0, fair_other = 0;
        for (std::size_t k = 0; k < forks; ++k) {
            gain += other.sum[k] - sum[k];
            square += (other.sum[k] - sum[k]) * (other.sum[k] - sum[k]);
            fair += worst[k];
            fair_other += other.worst[k];
        }
        if (fair > fairness * fair_other) return std::nullopt;
        const auto n = static_cast<double>(forks);
        gain /= n;
        const double spread = forks > 1 ? std::max(0.0, square / n - gain * gain) / (n - 1) : 0;
        return Gain{gain, std::sqrt(spread)};
    }
};

Lookahead::Lookahead(std::vector<Candidate> candidates, Settings settings)
    : candidates_(std::move(candidates)), settings_(settings) {
    memory_ = std::make_shared<RunMemory>();
    past_ = std::make_shared<PastArrivals>();
    build();
}

void Lookahead::build() {
    ahead_ = std::make_shared<JobsAhead>();
    orders_.clear();
    policies_.clear();
    const auto add = [this](std::shared_ptr<const Order> head, std::shared_ptr<Order> backfill,
                            double reach) {
        if (const auto* predicted = dynamic_cast<const PredictedOrder*>(head.get())) {
            head = std::make_shared<PredictedOrder>(predicted->weights(), memory_);
        }
        orders_.push_back(std::make_shared<GuardedOrder>(std::move(head), ahead_));
        policies_.push_back(
            std::make_shared<Easy>(orders_.back(), kUnlimited, std::move(backfill), reach));
    };
    for (const Candidate& each : candidates_) add(each.head, each.backfill, each.reach);
    orders_.push_back(make_order("fcfs"));
    policies_.push_back(std::make_shared<Conservative>(orders_.back(), kUnlimited));
    order_ = std::make_shared<CurrentOrder>(orders_[0], memory_, past_);
    deciding_ = policies_[0]->clone();
}

std::shared_ptr<Policy> Lookahead::clone() const {
    auto copy = std::make_shared<Lookahead>(*this);
    copy->memory_ = std::make_shared<RunMemory>(*memory_);
    copy->past_ = std::make_shared<PastArrivals>(*past_);
    copy->build();
    *copy->ahead_ = *ahead_;
    copy->order_->set(copy->orders_[is_guarding_ ? candidates_.size() : chosen_]);
    copy->deciding_ = deciding_->clone();
    return copy;
}

std::shared_ptr<Order> Lookahead::order() const { return order_; }

void Lookahead::begin(const View& view) {
    *ahead_ = {};
    late_since_ = rest_until_ = 0;
    chosen_ = 0;
    is_guarding_ = false;
    next_ = next_guard_ = guarded_s_ = 0;
    last_waiting_ = 0;
    decisions_ = rollouts_ = moves_ = 0;
    switches_.clear();
    deciding_ = policies_[0]->clone();
    deciding_->begin(view);
}

void Lookahead::schedule(View& view) {
    const bool is_late = notice_late(view);
    if (is_due(view)) {
        decide(view);
    } else if (is_late && !is_guarding_) {
        view.begin_again();
        deciding_->begin(view);
    }
    if (settings_.guard != kNever) keep_guard(view);
    deciding_->schedule(view);
}

bool Lookahead::is_due(const View& view) const {
    const std::size_t waiting = view.queue().size();
    return waiting > 1 && (view.now() >= next_ || waiting > 2 * last_waiting_ + 5);
}

void Lookahead::decide(View& view) {
    next_ = view.now() + settings_.period;
    last_waiting_ = view.queue().size();
    Known known(*view.simulator(), *memory_);
    const Decision made = best(known);
    if (made.chosen != chosen_) {
        switches_.push_back({view.now(), made.chosen, made.waiting, made.gain, made.error});
    }
    ahead_->moved = made.moved;
    moves_ += static_cast<std::int64_t>(made.moved.size());
    go_on_with(view, made.chosen);
    ++decisions_;
}

Lookahead::Decision Lookahead::rehearse(Simulator& simulation) const {
    Lookahead copy(candidates_, settings_);
    copy.order_->begin();
    View(simulation).teach(*copy.order_);
    Known known(simulation, *copy.memory_);
    if (known.waiting > 0) copy.notice_late(View(simulation));
    return copy.best(known);
}

// Puts the oldest job first once it has waited too long. When it has started, others have nine times
// as long in peace: late jobs, however many, have their way a tenth of the time.
bool Lookahead::notice_late(const View& view) {
    const WaitingQueue& queue = view.queue();
    const auto oldest = queue.oldest();
    const std::int64_t before = ahead_->late;
    if (before != kNone && before != queue.arrival(oldest)) {
        ahead_->late = kNone;
        rest_until_ = view.now() + kRest * (view.now() - late_since_);
    }
    const bool late = view.now() - view.eligible(queue.job(oldest)) > settings_.patience;
    if (ahead_->late == kNone && late && view.now() >= rest_until_) {
        ahead_->late = queue.arrival(oldest);
        late_since_ = view.now();
    }
    return ahead_->late != before;
}

void Lookahead::go_on_with(View& view, std::size_t candidate) {
    chosen_ = candidate;
    if (is_guarding_ && order_->is(orders_.back())) return;  // its promises are kept
    order_->set(orders_[is_guarding_ ? candidates_.size() : candidate]);
    view.begin_again();
    deciding_ = policies_[is_guarding_ ? candidates_.size() : candidate]->clone();
    deciding_->begin(view);
}

Lookahead::Decision Lookahead::best(Known& known) {
    const std::size_t waiting = known.waiting;
    const std::size_t all = candidates_.size();
    const Time length = arrivals_length();
    const Time yesterday = known.present.now() - kDay;
    const std::size_t jobs = waiting + past_->between(yesterday, yesterday + length, kDay).size();
    const std::size_t affordable =
        static_cast<std::size_t>(settings_.budget) / std::max<std::size_t>(jobs, 1);
    const std::size_t some = std::clamp<std::size_t>(affordable / (2 * all), 1, kFirstForks);
    const std::size_t more =
        affordable > some * all ? (affordable - some * all) / (1 + kBestTried) : 0;
    const std::size_t forks =
        std::clamp(some + more, std::min(kLeastForks, settings_.forks), settings_.forks);
    const std::size_t first = std::min(forks, some);
    std::vector<Future> futures = draw(known, forks);
    add_arrivals(known, length, futures);
    std::vector<Tried> tried;
    for (std::size_t candidate = 0; candidate < all; ++candidate) tried.push_back({candidate});
    std::vector<Tried*> best;
    for (Tried& each : tried) best.push_back(&each);
    try_out(known, std::span(futures).first(first), best);
    std::stable_sort(best.begin() + 1, best.end(), [](const Tried* one, const Tried* other) {
        return one->total() < other->total();
    });
    best.resize(std::min(all, 1 + kBestTried));
    if (first < forks) try_out(known, std::span(futures).subspan(first), best);

    Decision made;
    made.waiting = waiting;
    double most = 0;
    for (const Tried* each : best) {
        const auto gain = each->gain_over(tried[0], settings_.fairness);
        if (!gain || !(gain->mean - settings_.doubt * gain->error > most)) continue;
        most = gain->mean - settings_.doubt * gain->error;
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
            if (!gain || !(gain->mean - settings_.doubt * gain->error > most)) continue;
            most = gain->mean - settings_.doubt * gain->error;
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
        // Each job is drawn once from each of `count` equal parts of its distribution.
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

// Where run times are known, all forks would be one without jobs that come.
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
        const Time ago = kDay * (1 + (first + static_cast<Time>(k)) % days);
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
                                  kUnlimited, own.backfill, own.reach);
}

void Lookahead::try_out(const Known& known, std::span<const Future> futures,
                        std::span<Tried* const> plans) {
    const Present& present = known.present;
    const Time now = present.now();
    const Time end = settings_.horizon == kNever ? kNever : now + settings_.horizon;
    const auto base = rehearsed(known, 0);
    std::vector<Stages> all_stages;
    for (Tried* plan : plans) {
        Stages stages;
        if (plan->candidate > 0 || !plan->moved.empty()) {
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
        // When a job starts does not depend on how long it will run: its slowdown is expected over
        // all its run times, not only the drawn one.
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
        plans[plan]->sum[before + future] = sum;
        plans[plan]->worst[before + future] = worst;
    });
    rollouts_ += static_cast<std::int64_t>(futures.size() * plans.size());
}

// Lets the plan of first come, first served decide as long as the candidate would break the guard.
void Lookahead::keep_guard(View& view) {
    const WaitingQueue& queue = view.queue();
    const Time oldest = view.now() - view.eligible(queue.job(queue.oldest()));
    if (!is_guarding_ && oldest < settings_.guard / 4 && view.now() < next_guard_) return;
    next_guard_ = view.now() + settings_.guard / 100;
    const bool needed = breaks_guard(*view.simulator());
    if (needed == is_guarding_) return;
    is_guarding_ = needed;
    if (needed) {
        guarded_since_ = view.now();
    } else {
        guarded_s_ += view.now() - guarded_since_;
    }
    go_on_with(view, chosen_);
}

// Whether somebody may wait too long if the candidate decides this pass and conservative backfilling
// all that follow. Its promises hold whatever run times come.
bool Lookahead::breaks_guard(const Simulator& simulation) {
    const Present present(simulation);
    std::vector<Time> runs(present.jobs().size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i] = std::max(present.job(i).request, present.least_run(i));
    }
    const auto done =
        present.imagine({std::make_shared<const std::vector<Time>>(std::move(runs)), {}});
    const Known known(simulation, *memory_);
    run_stages(*done,
               {{rehearsed(known, chosen_, ahead_->moved), present.now()}, {policies_.back(), kNever}});
    ++rollouts_;
    const Time most = settings_.guard / 2;  // jobs that come need room, too
    for (std::size_t i = 0; i < present.jobs().size(); ++i) {
        if (!present.is_waiting(i) || done->start_times()[i] == kNone) continue;
        if (done->start_times()[i] - present.eligible(i) > most) return true;
    }
    return false;
}

}  // namespace schedlab
