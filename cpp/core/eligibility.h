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
    singleton = 4,   // namesakes submitted earlier have ended
};

struct Condition {
    JobIndex job;
    JobIndex on;  // kNoJob for singleton
    ConditionKind kind;
    Time delay;
};

// What jobs wait for besides their submission; one value per job unless a comment says otherwise.
struct EligibilityRules {
    std::vector<Condition> conditions;  // in any order
    std::vector<Time> begin;
    std::vector<std::int32_t> array;        // a limited array; -1 for none
    std::vector<std::int32_t> array_limit;  // by array
    std::vector<std::int32_t> namesakes;    // a group of jobs; -1 for none
    std::vector<std::uint8_t> ends_badly;   // 1: counts as a bad end, however it ends here
};

// Which jobs are not eligible yet, and why.
//
// A job is ready once its conditions are fulfilled; a task of a limited array must then be let in.
class Eligibility {
  public:
    Eligibility(EligibilityRules rules, std::span<const Time> submit);

    // Return the eligibility of these jobs alone, numbered by their places in `jobs`. A job that
    // waits for a job outside of `jobs` waits for ever. `ends_badly` is 0 for all.
    Eligibility kept(std::span<const JobIndex> jobs) const;

    // Sets `ends_badly` to 0 for all jobs.
    void expect_good_ends();
    // Jobs from `first` on never come: none of them becomes ready.
    void forget_from(JobIndex first);

    // Whether the job has to wait for more than its submission.
    bool gates(JobIndex job) const { return job < jobs() && gated_[job] != 0; }
    // Pushes the jobs that wait for no other, at the times when they are ready.
    void begin(EventHeap& ready);
    // Lets in a job that is ready; false if it must wait for other tasks of its array.
    bool let_in(JobIndex job);

    // Both push the jobs that become ready. A job that can never become ready is added to `never`.
    void started(JobIndex job, Time time, EventHeap& ready);
    void ended(JobIndex job, Time time, bool well, EventHeap& ready, std::vector<JobIndex>& never);

  private:
    Eligibility() = default;

    struct Links;  // which job waits for which: the same for all copies

    struct Array {
        std::int32_t room;
        std::set<JobIndex> waiting;
    };
    struct Namesakes {
        std::size_t ended = 0;  // the number of first members that have ended
        Time last_end = 0;
    };
    enum class Place : std::uint8_t { outside, waiting, inside };  // of a task in its array

    JobIndex jobs() const { return static_cast<JobIndex>(gated_.size()); }
    void fulfil(JobIndex job, Time time, EventHeap& ready);
    void leave_array(JobIndex job, Time time, EventHeap& ready);
    void leave_namesakes(JobIndex job, EventHeap& ready);

    std::shared_ptr<const Links> links_;
    std::vector<std::uint8_t> gated_;
    std::vector<Time> gone_;  // when it ended for good; kNone if it has not
    std::vector<std::uint8_t> has_started_;
    std::vector<std::int32_t> missing_;  // conditions not fulfilled yet
    std::vector<Time> ready_;            // when, by the conditions that are fulfilled
    std::vector<Place> place_;
    std::vector<Array> arrays_;
    std::vector<Namesakes> namesakes_;
};

}  // namespace schedlab
