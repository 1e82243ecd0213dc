#include "slurm/fair_share.h"

#include <algorithm>
#include <cmath>

namespace schedlab::slurm {
namespace {

constexpr double kLn2 = 0.693;  // as Slurm writes it

}  // namespace

FairShare::FairShare(const Site& site, Second start)
    : site_(site), last_pass_(start), shares_(site.associations.size()) {
    const auto half_life = static_cast<double>(site.settings.decay_half_life_s);
    decay_ = site.settings.decay_half_life_s ? 1 - kLn2 / half_life : 1.0;
    if (shares_.empty()) return;
    link();
    set_norm_shares();
    begin_with_usage(start);
}

void FairShare::begin_with_usage(Second start) {
    bool any = false;
    for (std::size_t at = 0; at < shares_.size(); ++at) {
        const AssociationRow& own = site_.associations[at];
        any |= own.usage != 0;
        if (own.is_user) add(static_cast<std::int32_t>(at), own.usage);
    }
    if (!any) return;
    begin_pass(start);
    end_pass(start);
}

void FairShare::add(std::int32_t association, double used) {
    for (std::int32_t at = association; at != kNobody; at = shares_[at].parent) {
        shares_[at].usage += used;
    }
}

void FairShare::link() {
    for (std::size_t at = 0; at < shares_.size(); ++at) {
        const auto own = static_cast<std::int32_t>(at);
        Share& share = shares_[at];
        share.parent = row(own).parent;
        if (share.parent == kNobody) root_ = own;
        users_ += row(own).is_user;
    }
    for (std::size_t at = 0; at < shares_.size(); ++at) {
        const auto own = static_cast<std::int32_t>(at);
        std::int32_t above = shares_[at].parent;
        while (above != kNobody && row(above).shares_of_parent) above = shares_[above].parent;
        shares_[at].fair_parent = above;
        const std::int32_t rival = row(own).is_user ? shares_[at].parent : above;
        if (rival != kNobody && (row(own).is_user || !row(own).shares_of_parent)) {
            shares_[rival].children.push_back(own);
        }
    }
}

void FairShare::set_norm_shares() {
    shares_[root_].norm_shares = site_.settings.is_fair_tree ? 0.0 : 1.0;
    std::vector<std::int32_t> waiting{root_};
    for (std::size_t at = 0; at < waiting.size(); ++at) {
        const Share& above = shares_[waiting[at]];
        const double total = shares_below(above);
        for (const std::int32_t child : above.children) {
            const double own = total != 0 ? row(child).shares / total : 0.0;
            shares_[child].norm_shares =
                site_.settings.is_fair_tree ? own : own * above.norm_shares;
            waiting.push_back(child);
        }
    }
}

double FairShare::shares_below(const Share& above) const {
    double total = 0;
    for (const std::int32_t child : above.children) total += row(child).shares;
    return total;
}

double FairShare::factor(std::int32_t association) {
    if (association == kNobody) return 0;
    if (shares_[association].is_due) classic(association);
    return shares_[association].factor;
}

void FairShare::charge(std::int32_t association, double billing, Second start, Second end) {
    const Second seconds = end - std::max(start, last_pass_);
    if (association == kNobody || seconds <= 0) return;
    const auto length = static_cast<double>(seconds);
    add(association, billing * length * std::pow(decay_, length));
}

void FairShare::begin_pass(Second now) {
    const double forgotten = std::pow(decay_, static_cast<double>(now - last_pass_));
    for (Share& share : shares_) share.usage *= forgotten;
    if (!shares_.empty() && !site_.settings.is_fair_tree) classic_accounts();
}

void FairShare::end_pass(Second now) {
    last_pass_ = now;
    if (!shares_.empty() && site_.settings.is_fair_tree) fair_tree();
}

void FairShare::fair_tree() {
    for (std::size_t at = 0; at < shares_.size(); ++at) {
        Share& share = shares_[at];
        const AssociationRow& own = site_.associations[at];
        const double among = share.fair_parent == kNobody ? 0.0 : shares_[share.fair_parent].usage;
        share.effective_usage = among != 0 ? share.usage / among : 0.0;
        if (own.shares_of_parent) {
            share.level = std::numeric_limits<double>::infinity();  // such users of an account tie
        } else if (own.shares == 0) {
            share.level = 0;
        } else if (share.effective_usage == 0) {
            share.level = std::numeric_limits<double>::infinity();
        } else {
            share.level = share.norm_shares / share.effective_usage;
        }
    }
    next_rank_ = shared_rank_ = users_;
    rank(shares_[root_].children, false);
}

void FairShare::rank(std::vector<std::int32_t> siblings, bool tied) {
    // Users come before accounts with the same value.
    std::stable_sort(siblings.begin(), siblings.end(), [this](std::int32_t a, std::int32_t b) {
        if (shares_[a].level != shares_[b].level) return shares_[a].level > shares_[b].level;
        return row(a).is_user && !row(b).is_user;
    });
    double before = 0;
    for (std::size_t at = 0; at < siblings.size();) {
        Share& own = shares_[siblings[at]];
        const bool ties = at == 0 ? tied : own.level == before;
        if (row(siblings[at]).is_user) {
            if (!ties) shared_rank_ = next_rank_;
            own.factor = static_cast<double>(shared_rank_) / static_cast<double>(users_);
            --next_rank_;
            ++at;
        } else {
            // The children of accounts that tie compete as if they had one account.
            std::vector<std::int32_t> children;
            std::size_t end = at;
            for (; end < siblings.size() && shares_[siblings[end]].level == own.level; ++end) {
                const auto& more = shares_[siblings[end]].children;
                children.insert(children.end(), more.begin(), more.end());
            }
            rank(std::move(children), ties);
            at = end;
        }
        before = own.level;
    }
}

void FairShare::classic_accounts() {
    shares_[root_].effective_usage = 1.0;
    std::vector<std::int32_t> waiting{root_};
    for (std::size_t at = 0; at < waiting.size(); ++at) {
        for (const std::int32_t child : shares_[waiting[at]].children) {
            shares_[child].is_due = row(child).is_user;
            if (row(child).is_user) continue;
            classic(child);
            waiting.push_back(child);
        }
    }
}

void FairShare::classic(std::int32_t association) {
    Share& share = shares_[association];
    const std::int32_t parent = share.fair_parent == kNobody ? root_ : share.fair_parent;
    const Share& above = shares_[parent];
    share.is_due = false;
    const double all = shares_[root_].usage;
    const double norm_usage = all != 0 ? share.usage / all : 0.0;
    share.effective_usage = norm_usage;
    if (row(association).shares_of_parent) {
        share.effective_usage = above.effective_usage;
    } else if (parent != root_) {
        const double total = shares_below(above);
        const double rest = above.effective_usage - norm_usage;
        share.effective_usage +=
            total != 0 ? rest * row(association).shares / total : -norm_usage;
    }
    share.factor = 0;
    if (share.norm_shares > 0) {
        const auto dampening = static_cast<double>(site_.settings.dampening);
        share.factor = std::pow(2.0, -(share.effective_usage / share.norm_shares) / dampening);
    }
}

}  // namespace schedlab::slurm
