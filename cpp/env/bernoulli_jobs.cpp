#include "env/bernoulli_jobs.h"

#include <cmath>

namespace schedlab {
namespace {

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): quick to seed, the same on every platform.
class SplitMix64 {
  public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    // Uniform from 0 to below 1.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    std::int64_t from(WholeRange range) {
        const auto count = static_cast<double>(range.high - range.low + 1);
        return range.low + static_cast<std::int64_t>(uniform() * count);
    }

    std::int64_t from(const TwoRanges& ranges) {
        return uniform() < ranges.share ? from(ranges.first) : from(ranges.second);
    }

  private:
    std::uint64_t next() {
        std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
        return mixed ^ (mixed >> 31);
    }

    std::uint64_t state_;
};

}  // namespace

std::vector<GanttJob> draw_jobs(const BernoulliLaw& law, std::uint64_t seed) {
    SplitMix64 random(seed);
    const double certain = std::floor(law.arrivals_per_unit);
    const double chance = law.arrivals_per_unit - certain;
    std::vector<GanttJob> jobs;
    while (jobs.empty()) {
        for (Time unit = 0; unit < law.units; ++unit) {
            int arrivals = static_cast<int>(certain) + (random.uniform() < chance);
            for (; arrivals > 0; --arrivals) {
                const Time run = random.from(law.run);
                const auto resources = static_cast<NodeCount>(random.from(law.resources));
                jobs.push_back({unit, resources, run});
            }
        }
    }
    return jobs;
}

}  // namespace schedlab
