#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "core/event_queue.h"
#include "core/types.h"

namespace schedlab {

// What another job must have done before a job is eligible.
enum class ConditionKind : std::int8_t {
    after = 0,       // has started
    afterok = 1,     // has ended well
    afternotok = 2,  // has ended badly
    afterany = 3,    // has ended
    singleton = 4,   // namesakes submitted before have ended
};

struct Condition {
    JobIndex job;
    JobIndex on;  // kNoJob for singleton
    ConditionKind kind;
    Time delay;
};

// What jobs wait for besides their submission; one value for each job where not said otherwise.
struct EligibilityRules {
    std::vector<Condition> conditions;  // in any order
    std::vector<Time> begin;
    std::vector<std::int32_t> array;        // a limited array; -1 for none
    std::vector<std::int32_t> array_limit;  // by array
    std::vector<std::int32_t> namesakes;    // a group of jobs; -1 for none
    std::vector<std::uint8_t> ends_badly;   // whatever it does here
};

// Which jobs are not eligible yet, and why.
//
// A job is ready once its conditions are fulfilled; a task of a limited array must then be let in.
class Eligibility {
  public:
    Eligibility(EligibilityRules rules, std::span<const Time> submit);

    // Return what these jobs wait for, which then have their places here as numbers. Nobody else is
    // there any more: whoever waits for one who is to come waits for ever. Nobody will end badly.
    Eligibility kept(std::span<const JobIndex> jobs) const;

    // Nobody is known to end badly any more.
    void expect_good_ends();
    // Jobs from this one on do not come.
    void forget_from(JobIndex first);

    // Whether the job is not simply eligible when it is submitted.
    bool gates(JobIndex job) const { return job < jobs() && gated_[job] != 0; }
    // Pushes the jobs that wait for no other, at the times when they are ready.
    void begin(EventHeap& ready);
    // Whether a job that is ready may be eligible; if not it waits for others of its array.
    bool let_in(JobIndex job);

    // These push the jobs that are ready now. A job that can never be is added to `never`.
    void started(JobIndex job, Time time, EventHeap& ready);
    void ended(JobIndex job, Time time, bool well, EventHeap& ready, std::vector<JobIndex>& never);

  private:
    Eligibility() = default;

    struct Links;  // who waits for whom: the same for all copies

    struct Array {
        std::int32_t room;
        std::set<JobIndex> waiting;
    };
    struct Namesakes {
        std::size_t ended = 0;  // how many of the first have
        Time last_end = 0;
    };
    enum class Place : std::uint8_t { outside, waiting, inside };  // of a task

    JobIndex jobs() const { return static_cast<JobIndex>(gated_.size()); }
    void fulfil(JobIndex job, Time time, EventHeap& ready);
    void leave_array(JobIndex job, Time time, EventHeap& ready);
    void leave_namesakes(JobIndex job, EventHeap& ready);

    std::shared_ptr<const Links> links_;
    std::vector<std::uint8_t> gated_;
    std::vector<Time> gone_;  // when it ended for good; kNone if it has not
    std::vector<std::uint8_t> has_started_;
    std::vector<std::int32_t> missing_;  // conditions
    std::vector<Time> ready_;            // when, by the conditions that are fulfilled
    std::vector<Place> place_;
    std::vector<Array> arrays_;
    std::vector<Namesakes> namesakes_;
};

}  // namespace schedlab
