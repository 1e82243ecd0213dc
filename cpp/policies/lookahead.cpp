#include "policies/lookahead.h"

#include <algorithm>
#include <utility>

#include "core/view.h"
#include "policies/conservative.h"
#include "policies/lookahead_known.h"
#include "policies/orders.h"
#include "policies/past_arrivals.h"

namespace schedlab {
namespace {

constexpr Time kRest = 9;  // after a late job went first, none does for this many times as long

}  // namespace

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

Lookahead::Lookahead(std::vector<Candidate> candidates, Settings settings)
    : candidates_(std::move(candidates)), settings_(settings), weights_(settings.seed) {
    memory_ = std::make_shared<RunMemory>();
    past_ = std::make_shared<PastArrivals>();
    build();
}

void Lookahead::build() {
    ahead_ = std::make_shared<JobsAhead>();
    orders_.assign(candidates_.size() + 1, nullptr);
    policies_.assign(candidates_.size() + 1, nullptr);
    for (std::size_t i = 0; i < candidates_.size(); ++i) put(i);
    orders_.back() = make_order("fcfs");
    policies_.back() = std::make_shared<Conservative>(orders_.back(), kUnlimited);
    order_ = std::make_shared<CurrentOrder>(orders_[0], memory_, past_);
    deciding_ = policies_[0]->clone();
}

void Lookahead::put(std::size_t candidate) {
    const Candidate& own = candidates_[candidate];
    std::shared_ptr<const Order> head = own.head;
    if (const auto* predicted = dynamic_cast<const PredictedOrder*>(head.get())) {
        head = std::make_shared<PredictedOrder>(predicted->weights(), memory_);
    }
    orders_[candidate] = std::make_shared<GuardedOrder>(std::move(head), ahead_);
    policies_[candidate] =
        std::make_shared<Easy>(orders_[candidate], kUnlimited, own.backfill, own.max_priority_gap);
}

void Lookahead::use_weights(const WeightSearch::Weights& weights) {
    candidates_.back().head =
        std::make_shared<PredictedOrder>(PredictedOrder::Weights{weights[0], 0, weights[1]});
    put(candidates_.size() - 1);
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
    chosen_ = base_ = 0;
    record_.clear();
    is_guarding_ = false;
    next_ = next_guard_ = next_review_ = guarded_s_ = 0;
    last_waiting_ = 0;
    decisions_ = rollouts_ = moves_ = 0;
    switches_.clear();
    base_changes_.clear();
    weights_ = WeightSearch(settings_.seed);
    if (settings_.evolve > 0) use_weights(weights_.mean());
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
    const std::size_t base = base_;
    Known known(*view.simulator(), *memory_);
    const Decision made = best(known);
    if (made.base != base) base_changes_.push_back({view.now(), made.base});
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

// Puts the oldest job first once it has waited too long. When it has started, no late job goes
// first for nine times as long: late jobs, however many, go first a tenth of the time.
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

// Whether a job may wait too long if the candidate decides this pass and conservative backfilling
// decides all that follow. The promises of the latter hold for any run times.
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
    const Time most = settings_.guard / 2;  // jobs still to come need room, too
    for (std::size_t i = 0; i < present.jobs().size(); ++i) {
        if (!present.is_waiting(i) || done->start_times()[i] == kNone) continue;
        if (done->start_times()[i] - present.eligible(i) > most) return true;
    }
    return false;
}

}  // namespace schedlab
