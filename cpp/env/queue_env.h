#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/simulator.h"
#include "core/view.h"
#include "env/makespan_bound.h"
#include "env/options.h"
#include "env/step.h"
#include "policies/easy_guard.h"

namespace schedlab {

// An episode: an agent schedules one workload, job by job.
//
// Action i picks the i-th waiting job in order of arrival; action `visible` ends the decisions at
// this time. Time goes on to the next event: a submission, a completion or, when the agent picks
// (Mode::pick) or ends its decisions against the mask, and there are free nodes and waiting jobs,
// the end of an interval.
class QueueEnv {
  public:
    using Options = EnvOptions;

    explicit QueueEnv(const EnvOptions& options) : options_(options) {}

    // Begins another episode; the first decision is due afterwards.
    void reset(std::shared_ptr<Simulator> simulator);
    Step step(std::int64_t action);

    // The same by hand, where other code advances the simulator: attach to it before its first
    // pass; at each pass enter, decide as long as there is something to decide, and leave.
    void attach(std::shared_ptr<Simulator> simulator);
    bool enter();                       // whether there is something to decide
    bool decide(std::int64_t action);  // whether there is more to decide at this time
    void leave();

    static std::size_t observation_size(const EnvOptions& options);
    static std::size_t actions(const EnvOptions& options) { return options.visible + 1; }
    void observe(std::span<float> observation) const;
    // Which actions make sense now: 1 or 0.
    void mask(std::span<std::uint8_t> legal) const;

    const EnvOptions& options() const { return options_; }
    const std::shared_ptr<Simulator>& simulator() const { return sim_; }
    std::int64_t steps() const { return steps_; }
    std::int64_t started() const { return started_; }

    // The state of the episode, by the names below.
    static constexpr std::array kState = {"time_s",  "waiting", "running",
                                          "free_nodes", "started", "steps"};
    std::array<std::int64_t, kState.size()> state() const;

    // Of the jobs started so far.
    double utilisation() const;
    double mean_wait() const;
    double mean_bounded_slowdown() const;

  private:
    using Position = WaitingQueue::Position;

    Position visible_position(std::int64_t action) const;
    bool legal(Position position) const;
    bool anything_to_decide() const;

    bool pick(Position position);
    bool choose(Position position);
    void fill_in();
    void start(Position position);
    void go_on();
    void occupy(JobIndex job);
    void take_in_changes();
    void pay_slowdowns();
    double bounded_slowdown(JobIndex job, Time start) const;
    double terminal_reward() const;

    void observe_nodes(std::span<float> observation) const;
    void observe_jobs(std::span<float> observation) const;
    void cut(std::span<float> numbers) const;
    void observe_features(std::span<float> observation) const;

    EnvOptions options_;
    std::shared_ptr<Simulator> sim_;
    std::optional<View> view_;
    EasyGuard guard_;
    std::optional<MakespanBound> bound_;
    Time first_bound_ = 0;
    double slowdowns_of_started_ = 0;
    double slowdowns_paid_ = 0;

    std::int64_t steps_ = 0;
    std::int64_t started_ = 0;
    int failures_ = 0;
    bool refuses_ = false;  // the agent names no head, although a job could start
    Time interval_ = 0;
    double reward_ = 0;
    // By node: when the running job leaves it by its request, and by its estimate; 0 if none runs.
    std::vector<double> request_end_, estimate_end_;
};

}  // namespace schedlab
