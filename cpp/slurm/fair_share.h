#pragma once

#include <vector>

#include "slurm/site.h"

namespace schedlab::slurm {

// The use of each user, how fast it is forgotten, and the factor that it gives the user's jobs:
// fair tree and the classic formula.
class FairShare {
  public:
    FairShare(const Site& site, Second start);

    // The factor of a user in an account; 0 without an association. The classic formula computes it
    // only when it is asked for.
    double factor(std::int32_t association);
    // Adds the part of a job's use that no pass has added yet.
    void charge(std::int32_t association, double billing, Second start, Second end);
    // Forgets some of the past use; afterwards the caller charges the running jobs. The classic
    // formula computes the factors of accounts here, before these charges.
    void begin_pass(Second now);
    // Computes the factors of all users of a fair tree.
    void end_pass(Second now);

  private:
    struct Share {
        std::int32_t parent = kNobody;
        std::int32_t fair_parent = kNobody;  // the nearest without Fairshare=parent
        std::vector<std::int32_t> children = {};
        double usage = 0, norm_shares = 0, effective_usage = 0;
        double level = std::numeric_limits<double>::infinity();
        double factor = 1;
        bool is_due = false;
    };

    void link();
    void begin_with_usage(Second start);
    void add(std::int32_t association, double used);
    void set_norm_shares();
    double shares_below(const Share& above) const;
    void fair_tree();
    // Gives users their factors from the best down; those of equal use share one. `tied`: whether
    // the first sibling ties with the user ranked last.
    void rank(std::vector<std::int32_t> siblings, bool tied);
    void classic_accounts();
    void classic(std::int32_t association);
    const AssociationRow& row(std::int32_t share) const { return site_.associations[share]; }

    const Site& site_;
    Second last_pass_;
    double decay_;
    std::int32_t root_ = kNobody;
    std::vector<Share> shares_;
    std::int64_t users_ = 0;
    std::int64_t next_rank_ = 0, shared_rank_ = 0;
};

}  // namespace schedlab::slurm
