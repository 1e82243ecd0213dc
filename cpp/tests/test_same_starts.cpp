// Starts must be the same on every kind of processor: one digest of a whole simulation for each
// order and policy. If a digest changes on one machine only, a logarithm or a vector instruction
// rounds differently there.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/mix.h"
#include "core/simulator.h"
#include "policies/conservative.h"
#include "policies/easy.h"
#include "policies/no_backfill.h"
#include "policies/orders.h"

using namespace schedlab;

namespace {

constexpr NodeCount kNodes = 64;
constexpr int kJobs = 700;

// More work than the machine can do, so that hundreds of jobs wait and every order has much to
// sort.
JobTable overload() {
    JobTable table;
    Time submit = 0;
    for (int i = 0; i < kJobs; ++i) {
        const std::uint64_t draw = mix(static_cast<std::uint64_t>(i));
        submit += static_cast<Time>(draw % 120);
        const auto nodes = static_cast<NodeCount>(1 + (draw >> 8) % 24);
        const auto run = static_cast<Time>(1 + (draw >> 16) % 900);
        const auto request = run + static_cast<Time>((draw >> 32) % 2'000);
        table.add({i + 1, submit, nodes, request, run, static_cast<std::int64_t>((draw >> 48) % 9)});
    }
    return table;
}

std::uint64_t digest_of_starts(Policy& policy) {
    const auto simulator = std::make_shared<Simulator>(overload(), Options{.nodes = kNodes});
    simulator->use(policy);
    while (simulator->run(policy, 1'000)) {
    }
    std::uint64_t digest = 0;
    for (const Time start : simulator->start_times())
        digest = mix(digest ^ static_cast<std::uint64_t>(start));
    return digest;
}

Easy easy(const std::string& order) {
    return {make_order(order), kUnlimited, nullptr, std::numeric_limits<double>::infinity()};
}

struct Expected {
    std::string_view order;
    std::uint64_t none, easy, conservative;

    bool operator==(const Expected&) const = default;
};

constexpr Expected kExpected[] = {
    {"fcfs", 0xc2a5118e1f5d5cc7, 0xc55fadd329e0d82a, 0x0575c430cbd440ee},
    {"lcfs", 0x00e4c105cf62141c, 0xa625823c4e4e1908, 0xbafaae41e16dab2c},
    {"sjf", 0x17f3b5925e00d4f3, 0x7a09d2d3eecd209b, 0xfedeb8e8e79aa575},
    {"ljf", 0xe98951c22671592c, 0x55167e166605c5fe, 0x212fa2db2d2549fe},
    {"saf", 0x8b0d4c5f594c183b, 0x39e06024b26bb38f, 0x099856b08819d453},
    {"laf", 0xf3a73748bbb1381b, 0x3cd176353f4bcce6, 0xad40c2ee0271beeb},
    {"snf", 0xb9c0a6d2240f30a4, 0xb9c0a6d2240f30a4, 0x5b7e9121153080de},
    {"lnf", 0xc54b17005d65b637, 0x54ddc37d00ebbc16, 0x4d0795fbc2139a07},
    {"wfp3", 0xd213e6e3a34bd074, 0x3217961a31a5210e, 0x279745019c9e93ab},
    {"unicef", 0x1e52f1a97cc8f3ce, 0x4dfaf548ad505391, 0x83830b2c81f58e42},
    {"f1", 0x84bb3646a8d00a43, 0x6b7ee619cb92238d, 0xcd9b0fefeec1b54a},
    {"f2", 0xd30c1714739c050c, 0x5ce256f6e289f645, 0xdc2bb8c83340f92b},
    {"f3", 0x0cb87eda8db06077, 0x200658d09e4d0bdd, 0x7cbdc6adb70b7169},
    {"f4", 0xfcab5fe99540f2a5, 0x2699ad5871710b33, 0x868e4d449e7088f1},
};

}  // namespace

int main() {
    bool same = true;
    for (const auto& name : order_names()) {
        NoBackfill none(make_order(name), kUnlimited);
        Easy reaching = easy(name);
        Conservative planning(make_order(name), kUnlimited);
        const Expected seen{name, digest_of_starts(none), digest_of_starts(reaching),
                            digest_of_starts(planning)};
        const auto* const expected = std::find_if(std::begin(kExpected), std::end(kExpected),
                                                  [&](const Expected& row) { return name == row.order; });
        if (expected != std::end(kExpected) && *expected == seen) continue;
        same = false;
        std::puts("differs from the row in this file:");
        std::printf("    {\"%s\", 0x%016llx, 0x%016llx, 0x%016llx},\n", name.c_str(),
                    static_cast<unsigned long long>(seen.none),
                    static_cast<unsigned long long>(seen.easy),
                    static_cast<unsigned long long>(seen.conservative));
    }
    return same ? 0 : 1;
}
