#pragma once

#include <map>
#include <mutex>
#include <unordered_map>

#include "core/node_choice.h"

namespace schedlab {

// The node on which the job leaves the fewest GPUs that other jobs cannot use (FGD): Weng et al.,
// "Beware of Fragmentation", USENIX ATC 2023.
class FragChoice : public NodeChoice {
  public:
    // A kind of job: its set of nodes, its share of each, and the number of such jobs.
    struct Kind {
        std::int32_t set;
        std::int32_t share;
        std::int64_t jobs;
    };
    FragChoice(std::shared_ptr<const Machine> machine, std::vector<Kind> kinds);

    void rank(const Asked& asked, std::vector<NodeIndex>& nodes) const override;
    int pick(const AskedPart& asked, std::span<const int> able) const override;

  private:
    struct Hash {
        std::size_t operator()(const std::vector<Amount>& amounts) const;
    };

    // Sum over all jobs of the free GPU amounts that the job cannot use, on a node with `free`.
    std::int64_t fragments(NodeIndex node, std::span<const Amount> free) const;
    std::int64_t count_fragments(NodeIndex node, std::span<const Amount> free) const;
    // How much the fragments shrink if the job takes these GPUs: a sigmoid in steps from 0 to 100.
    int score(const AskedPart& asked, GpuMask gpus) const;

    std::shared_ptr<const Machine> machine_;
    std::vector<Kind> kinds_;
    std::int64_t jobs_ = 0;
    std::vector<Amount> class_of_;  // by node: nodes of one class are in the same sets
    // The key is what is free, followed by the node's class. Forks on other threads use it, too.
    mutable std::mutex mutex_;
    mutable std::unordered_map<std::vector<Amount>, std::int64_t, Hash> known_;
};

}  // namespace schedlab
