#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/calendar.h"
#include "core/node_choice.h"
#include "core/node_states.h"
#include "core/room_bounds.h"

namespace schedlab {

class View;
struct Closing;

// A plan that names nodes: what is free on each node from now to the end of time. A job keeps the
// same nodes from its start to its end.
class NodePlan {
  public:
    // When a job is planned to start, and on which nodes.
    struct Slot {
        Time start = kNone;
        Placement nodes;
        std::vector<GpuMask> gpus = {};  // of each node; empty where GPUs are only counted
        std::int64_t gains_seen = -1;    // the number of gains at the last search for it
    };

    explicit NodePlan(Hold hold = Hold::shares) : hold_(hold) {}

    // Makes the plan of the running jobs alone.
    void rebuild(const View& view);
    // Copies a plan that was rebuilt, or copied from this one, in the same pass.
    void reset_to(const NodePlan& other);
    // Forgets what lies before now.
    void advance(const View& view);

    // Keeps the slot for the job, or gives it back. Where reservations hold whole nodes it must be
    // given back in the same pass.
    void reserve(const View& view, JobIndex job, const Slot& slot);
    void release(const View& view, JobIndex job, const Slot& slot);
    // Frees the nodes of a job that has ended earlier than expected.
    void ended_early(const View& view, JobIndex job);

    // Return the first slot from `from` on that the plan leaves for the job, on the first nodes;
    // its start is kNever if there is none up to `limit`.
    Slot earliest(const View& view, JobIndex job, Time from, Time limit = kNever) const;
    Slot reserve_earliest(const View& view, JobIndex job);
    // Moves the slot of the job to an earlier start if there is one; false if not.
    bool move_earlier(const View& view, JobIndex job, Slot& slot);
    // Whether the job can start now; if so, `slot` says where.
    bool fits_now(const View& view, JobIndex job, Slot& slot) const;
    // For how long the same nodes have room for the job from now on; kNever if for ever.
    Time free_for(const View& view, JobIndex job) const;
    // The nodes that have room for this part of the job from that time on.
    NodeSet usable_from(const View& view, JobIndex job, const Part& part, Time start) const;
    // What stays free on the node from `start` on for `duration`, by resource.
    std::vector<Amount> least_free(NodeIndex node, Time start, Time duration) const;
    // Takes out a node that was closed since the last pass, for an announced outage.
    void close(const View& view, const Closing& closing);

  protected:
    // Free amounts of one node: step i is [time[i], time[i + 1]), the last one is endless.
    struct Steps {
        std::vector<Time> time;
        std::vector<Amount> free;  // by step, then by resource
    };

    // Makes the plan of one node from its running jobs alone.
    void rebuild(const View& view, NodeIndex node);
    // What is planned: how much of each node, for how long, and which intervals bar the job.
    struct Wish {
        const Share& share;
        Time duration;
        const Calendar& calendar;
        std::int32_t guest;
        RoomBounds::Rows bounds;
    };
    Wish wish(const View& view, JobIndex job, const Part& part) const;

    // How often nodes have gained room because something was given back.
    std::int64_t gains() const { return gains_before_ + static_cast<std::int64_t>(gains_.size()); }
    void note_gains(std::span<const NodeRange> nodes, Time begin, Time end);
    // A start and the lowest node that gives it.
    struct Chance {
        Time start = kNever;
        NodeIndex node = 0;
    };
    // The first start up to `limit` on a node of the set that uses room gained since `since` (a
    // value of gains); kNever if there is none.
    Chance earliest_on_gains(const NodeSet& set, const Wish& wish, std::int64_t since,
                             Time limit) const;
    // Whether one of the nodes has gained room since `since`.
    bool gained(std::span<const NodeRange> nodes, std::int64_t since) const;
    // The starts from `first` to `last`; none by default.
    struct Starts {
        Time first = kNever;
        Time last = kNone;
        void add(Time from, Time to) {
            first = std::min(first, from);
            last = std::max(last, to);
        }
    };
    // Any start before the slot's is among these: it uses room gained since the last search for it.
    Starts new_starts(const View& view, JobIndex job, const Slot& slot) const;
    // Adds starts on the slot's own nodes: the job may begin earlier and run on into the slot.
    void add_starts_on_own(const View& view, JobIndex job, const Slot& slot, Starts& found) const;
    // The first time from which the node has room up to `end`; `end` if it has none.
    Time room_since(NodeIndex node, const Share& share, Time end) const;
    // The first slot for the job with one of these starts; its start is kNever if there is none.
    Slot find_earlier(const View& view, JobIndex job, const Slot& slot, const Starts& starts) const;

    void change(NodeIndex node, Time start, Time end, const Share& share, GpuMask gpus, int sign);
    void change(const View& view, JobIndex job, std::span<const NodeRange> nodes,
                std::span<const GpuMask> gpus, Time start, Time end, int sign);
    // Takes the slot out of what is free, or puts it back.
    void hold(const View& view, JobIndex job, const Slot& slot, int sign);
    void set_bounds(NodeIndex node) { bounds_.update(node, nodes_[node].time, nodes_[node].free); }
    std::size_t split(Steps& steps, Time time) const;
    void drop_past(Steps& steps) const;
    // The first time from `from` on at which the node has room and is open to the job; later than
    // `limit` if there is none up to then.
    Time earliest_on(NodeIndex node, const Wish& wish, Time from, Time limit) const {
        // Most nodes are skipped here.
        return wish.bounds.exclude(node, limit) ? kNever : look_at(node, wish, from, limit);
    }
    Time look_at(NodeIndex node, const Wish& wish, Time from, Time limit) const;
    Time first_room_on(NodeIndex node, const Wish& wish, Time from, Time limit) const;
    // The same for a share with GPUs: the job needs the same GPUs all the time.
    Time first_room_on_gpus(NodeIndex node, const Share& share, Time from, Time duration,
                            Time limit) const;
    Time room_until_on_gpus(NodeIndex node, const Share& share) const;
    // Lowers each amount to what is free of its resource at the step.
    void keep_least(const Steps& steps, std::size_t step, std::vector<Amount>& amounts) const;
    // The step that contains this time.
    std::size_t step_at(const Steps& steps, Time time) const;
    // Chooses the GPUs of the slot, where each GPU is a resource.
    void name_gpus(const View& view, JobIndex job, Slot& slot) const;
    // Until when the node has room from now on; now if it has none.
    Time room_until(NodeIndex node, const Wish& wish) const;
    bool fits(NodeIndex node, const Amount* free, const Share& share) const;
    // The same for a share with GPUs, where each is a resource.
    bool fits_on_gpus(NodeIndex node, const Amount* free, const Share& share) const;
    // The first time from `from` on at which enough nodes have room for the part; kNever if there
    // is none up to `limit`.
    Time earliest_for(const Part& part, const Wish& wish, Time from, Time limit) const;
    // Each node of the set has a first time from `from` on at which it has room. Return the
    // count-th of these times; kNever if it is later than `limit`.
    Time nth_earliest(const NodeSet& set, NodeCount count, const Wish& wish, Time from,
                      Time limit) const;
    void choose(const Part& part, const Wish& wish, Time start, Placement& nodes) const;
    // The nodes that have room from `start` on.
    std::vector<NodeIndex> nodes_with_room(const Part& part, const Wish& wish, Time start) const;
    // Appends the first of them in the order of `place`; false if there are too few.
    bool choose_by(const NodeChoice& place, JobIndex job, const Part& part, const Wish& wish,
                   Time start, Placement& nodes) const;

    Hold hold_;
    std::shared_ptr<const Machine> machine_;
    Time now_ = 0;
    std::vector<Steps> nodes_;
    RoomBounds bounds_;
    // Of each node: the state that it was built from, and whether it was changed since.
    std::vector<std::int64_t> built_from_;
    std::vector<std::uint8_t> changed_;
    bool overdue_ = false;  // whether a job was overdue when the plan was built
    // A node has gained room during [begin, end).
    struct Gain {
        NodeIndex node;
        Time begin;
        Time end;
    };
    // The latest gains; earlier ones are forgotten.
    static constexpr std::size_t kGainsKept = 1 << 16;
    std::vector<Gain> gains_;
    std::int64_t gains_before_ = 0;
    std::vector<std::int64_t> last_gain_;  // by node; 0 if there was none
    // A share fits on a node throughout [begin, end). The part of it that was gained begins at
    // `gained`.
    struct Opening {
        Time begin;
        Time end;
        Time gained;
        std::int64_t gain;  // which gain it was
    };
    // What the gains from `since` up to `until` opened to a share on nodes of a set. Some of it may
    // be taken: jobs may have been reserved there since. All waiting jobs with this share use it.
    struct Openings {
        std::int32_t set = kNone;
        std::int32_t share = kNone;
        std::int64_t since = 0;
        std::int64_t until = 0;
        std::vector<Opening> all;
    };
    // The openings of all gains from `seen` on, and maybe of some before.
    Openings& openings(const Part& part, std::int64_t seen) const;
    void open(Openings& known, std::int64_t since) const;
    void add_openings(Openings& known) const;
    static constexpr std::size_t kOpenings = 1 << 8;  // shares with the same index take turns
    mutable std::vector<Openings> openings_;
    mutable std::vector<Time> times_;
};

}  // namespace schedlab
