#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/machine.h"
#include "core/node_states.h"

namespace schedlab {

// What a part of a job asks for, and what is free on the nodes that it may take.
struct Asked {
    JobIndex job;
    const Machine& machine;
    const Share& share;
    NodeCount count;
    // What is free on the node, by resource; valid until the next call.
    std::function<std::span<const Amount>(NodeIndex node)> free;
};

// A job that needs part of a GPU of a node, and what is free there by resource.
struct AskedPart {
    JobIndex job;
    NodeIndex node;
    const Machine& machine;
    const Share& share;
    std::span<const Amount> free;
};

// Which nodes a job takes where more have room than it needs. Null stands for the lowest-numbered.
class NodeChoice {
  public:
    virtual ~NodeChoice() = default;
    // Puts the nodes, given by rising number, in the order in which they are taken.
    virtual void rank(const Asked& asked, std::vector<NodeIndex>& nodes) const = 0;
    // Which GPU a job takes part of; `able` are those with enough free, by rising number.
    virtual int pick(const AskedPart& asked, std::span<const int> able) const;
    // Return the same choice for renumbered jobs: `jobs` has the old number of each. Null if the
    // choice does not depend on job numbers.
    virtual std::shared_ptr<const NodeChoice> renumbered(std::vector<JobIndex> /*jobs*/) const {
        return nullptr;
    }
};

// The fullest GPU that has enough free.
int fullest(const AskedPart& asked, std::span<const int> able);

// The GPUs of a node that a job takes: whole ones by rising number, part of one as `place` chooses.
GpuMask pick_gpus(const NodeChoice* place, const Machine& machine, const Share& share,
                  JobIndex job, NodeIndex node, std::span<const Amount> free);

// Ranks nodes by what is free, the least or the most first: the sum over kinds of resources of the
// free amount, each divided by the most that a node has.
class FitChoice : public NodeChoice {
  public:
    struct Kind {
        std::vector<std::size_t> resources;  // whose amounts are added
        Amount most;
    };
    FitChoice(std::vector<Kind> kinds, bool least) : kinds_(std::move(kinds)), least_(least) {}
    void rank(const Asked& asked, std::vector<NodeIndex>& nodes) const override;
    // The fullest, or the emptiest.
    int pick(const AskedPart& asked, std::span<const int> able) const override;

  private:
    std::vector<Kind> kinds_;
    bool least_;
};

// Takes the nodes with the lowest weight first.
class WeightChoice : public NodeChoice {
  public:
    explicit WeightChoice(std::vector<std::int64_t> weights) : weights_(std::move(weights)) {}
    void rank(const Asked& asked, std::vector<NodeIndex>& nodes) const override;

  private:
    std::vector<std::int64_t> weights_;  // by node
};

// Takes nodes on as few leaf switches as possible.
class SwitchChoice : public NodeChoice {
  public:
    explicit SwitchChoice(std::vector<std::int64_t> switches) : switches_(std::move(switches)) {}
    void rank(const Asked& asked, std::vector<NodeIndex>& nodes) const override;

  private:
    std::vector<std::int64_t> switches_;  // by node
};

// Takes random nodes, by a hash of the seed, the job and the node.
class RandomChoice : public NodeChoice {
  public:
    explicit RandomChoice(std::uint64_t seed, std::vector<JobIndex> jobs = {})
        : seed_(seed), jobs_(std::move(jobs)) {}
    void rank(const Asked& asked, std::vector<NodeIndex>& nodes) const override;
    int pick(const AskedPart& asked, std::span<const int> able) const override;
    std::shared_ptr<const NodeChoice> renumbered(std::vector<JobIndex> jobs) const override;

  private:
    std::uint64_t of(JobIndex job) const;

    std::uint64_t seed_;
    std::vector<JobIndex> jobs_;  // the number that is hashed for each; other jobs use their own
};

// Appends the first nodes of the ranking; false if there are too few. `nodes` must rise.
bool take_first(const NodeChoice& choice, const Asked& asked, std::vector<NodeIndex> nodes,
                Placement& placement);

// The nodes that have room for the part now, by rising number, none of `avoid`.
std::vector<NodeIndex> nodes_with_room(const NodeStates& states, const Part& part,
                                       const NodeSet* avoid);

// What a part asks for if its job starts now.
Asked asked_now(const NodeStates& states, const Part& part, JobIndex job);

// Appends the nodes that the choice gives a job that starts now; false if there are too few.
bool choose_now(const NodeChoice& choice, const NodeStates& states, std::span<const Part> parts,
                JobIndex job, Placement& placement, const NodeSet* avoid);

}  // namespace schedlab
