#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/machine.h"
#include "core/node_states.h"

namespace schedlab {

// What a part asks for, and what the nodes have free that it may take.
struct Asked {
    JobIndex job;
    NodeCount count;
    std::function<Amount(std::size_t resource, NodeIndex node)> free;
};

// Which nodes a job takes where more have room than it needs. Null stands for the lowest-numbered.
class NodeChoice {
  public:
    virtual ~NodeChoice() = default;
    // Puts the nodes, given by rising number, in the order in which they are taken.
    virtual void rank(const Asked& asked, std::vector<NodeIndex>& nodes) const = 0;
};

// The node with the least free first, or the one with the most: the sum over kinds of resources of
// what is free, each divided by the most that a node has.
class FitChoice : public NodeChoice {
  public:
    struct Kind {
        std::vector<std::size_t> resources;  // whose amounts are added
        Amount most;
    };
    FitChoice(std::vector<Kind> kinds, bool least) : kinds_(std::move(kinds)), least_(least) {}
    void rank(const Asked& asked, std::vector<NodeIndex>& nodes) const override;

  private:
    std::vector<Kind> kinds_;
    bool least_;
};

// The node of the lowest weight first.
class WeightChoice : public NodeChoice {
  public:
    explicit WeightChoice(std::vector<std::int64_t> weights) : weights_(std::move(weights)) {}
    void rank(const Asked& asked, std::vector<NodeIndex>& nodes) const override;

  private:
    std::vector<std::int64_t> weights_;  // by node
};

// As few leaf switches as possible.
class SwitchChoice : public NodeChoice {
  public:
    explicit SwitchChoice(std::vector<std::int64_t> switches) : switches_(std::move(switches)) {}
    void rank(const Asked& asked, std::vector<NodeIndex>& nodes) const override;

  private:
    std::vector<std::int64_t> switches_;  // by node
};

// Any node: by a hash of the seed, the job and the node.
class RandomChoice : public NodeChoice {
  public:
    explicit RandomChoice(std::uint64_t seed) : seed_(seed) {}
    void rank(const Asked& asked, std::vector<NodeIndex>& nodes) const override;

  private:
    std::uint64_t seed_;
};

// Appends the first nodes of the ranking; false if there are too few. `nodes` come by rising number.
bool take_first(const NodeChoice& choice, const Asked& asked, std::vector<NodeIndex> nodes,
                Placement& placement);

// The nodes that have room for the part now, by rising number.
std::vector<NodeIndex> nodes_with_room(const NodeStates& states, const Part& part);

// What is asked for by a part that starts now.
Asked asked_now(const NodeStates& states, const Part& part, JobIndex job);

// Appends the nodes that the choice gives a job that starts now; false if there are too few.
bool choose_now(const NodeChoice& choice, const NodeStates& states, std::span<const Part> parts,
                JobIndex job, Placement& placement);

}  // namespace schedlab
