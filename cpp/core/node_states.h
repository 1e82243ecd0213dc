#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/machine.h"

namespace schedlab {

// The nodes that a job holds, part by part; ranges of two parts are never joined.
using Placement = std::vector<NodeRange>;

// Calls visit(node, part) for every node of the placement.
template <typename Visit>
void for_each_node(std::span<const NodeRange> nodes, std::span<const Part> parts, Visit visit) {
    auto part = parts.begin();
    NodeCount left = part->count;
    for (const NodeRange range : nodes) {
        for (NodeIndex node = range.first; node <= range.last; ++node) {
            if (left == 0) left = (++part)->count;
            visit(node, *part);
            --left;
        }
    }
}

// What is free on each node now, and what runs there.
//
// Amounts are stored by resource, then by node. For every 64 nodes the largest free amount is
// known, so that a search skips nodes that are too full.
class NodeStates {
  public:
    // A job that holds a share of a node.
    struct Run {
        Time release;  // when it is expected to leave
        JobIndex job;
        std::int32_t share;
        GpuMask gpus = 0;  // the GPUs that it has, where each GPU is a resource
    };

    explicit NodeStates(std::shared_ptr<const Machine> machine);

    const Machine& machine() const { return *machine_; }
    // Replaces the machine by one with the same nodes and more sets and shares.
    void set_machine(std::shared_ptr<const Machine> machine) { machine_ = std::move(machine); }

    Amount free(std::size_t resource, NodeIndex node) const {
        return free_[column(resource) + static_cast<std::size_t>(node)];
    }
    // All amounts of the node, by resource.
    void copy_free(NodeIndex node, std::vector<Amount>& amounts) const;
    bool fits(NodeIndex node, const Share& share) const;
    bool idle(NodeIndex node) const { return runs_[node].empty(); }
    // In order of release.
    std::span<const Run> runs(NodeIndex node) const { return runs_[node]; }
    // By node: how often what runs there has changed.
    const std::vector<std::int64_t>& changes() const { return changes_; }

    // Whether a node of the range has room for one of the parts that may use it.
    bool any_fits(NodeRange nodes, std::span<const Part> parts) const;
    // Whether enough nodes have room for all parts, not counting those to avoid.
    bool has_room(std::span<const Part> parts, const NodeSet* avoid = nullptr) const;
    // Appends the lowest-numbered nodes with room, none of `avoid`; false if there are too few.
    bool choose(std::span<const Part> parts, Placement& nodes,
                const NodeSet* avoid = nullptr) const;
    // The nodes of this word that can hold the part.
    std::uint64_t fitting(std::size_t word, const Part& part) const;
    std::size_t words() const { return words_for(machine_->nodes()); }

    // `gpus`: the GPUs that the job takes of each node; empty where GPUs are only counted.
    void hold(std::span<const NodeRange> nodes, std::span<const Part> parts, JobIndex job,
              Time release, std::span<const GpuMask> gpus = {});
    void leave(std::span<const NodeRange> nodes, std::span<const Part> parts, JobIndex job);

    // Gives each job a new number: its place among `jobs`, which rise.
    void renumber(std::span<const JobIndex> jobs);

    // Closes the idle node to all jobs until that time, or opens it again.
    void close(NodeIndex node, Time until);
    void open(NodeIndex node);
    // Changes the node's capacity of the first resource.
    void add_capacity(NodeIndex node, Amount more);

    // The time of the release that gives the node room for the share: kNone if it has room now,
    // kNever if it never will.
    Time release_for(NodeIndex node, const Share& share) const;
    // When all parts will have room at the same time, if every job leaves as expected.
    Time room_at(std::span<const Part> parts, Time now, Time soonest) const;

  private:
    // Columns are padded to whole words with nodes whose free amounts are negative.
    std::size_t column(std::size_t resource) const { return resource * words() * kNodeBits; }
    void change(NodeIndex node, const Share& share, GpuMask gpus, int sign);
    Time release_for_gpus(NodeIndex node, const Share& share) const;
    Amount most_free(std::size_t resource, std::size_t word) const;
    NodeCount count_fitting(const Part& part, const NodeSet* avoid) const;
    void add_run(NodeIndex node, Run run);

    std::shared_ptr<const Machine> machine_;
    std::vector<Amount> free_;
    std::vector<std::vector<Run>> runs_;
    std::vector<std::int64_t> changes_;
    // By resource, then by word; kUnknown: must be computed again.
    static constexpr Amount kUnknown = std::numeric_limits<Amount>::min();
    mutable std::vector<Amount> most_free_;
    mutable std::vector<Time> times_;
};

}  // namespace schedlab
