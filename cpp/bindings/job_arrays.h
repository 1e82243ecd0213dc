#pragma once

#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "bindings/arrays.h"
#include "core/eligibility.h"
#include "core/machine.h"

namespace schedlab {

// How Python describes jobs.

template <typename To, typename From>
std::vector<To> copied(const Column<From>& column) {
    return {column.data(), column.data() + column.size()};
}

template <typename T>
std::vector<T> copied_if(const std::optional<Column<T>>& column) {
    return column ? copied<T>(*column) : std::vector<T>{};
}

using PlainPart = std::tuple<std::int32_t, NodeCount, std::int32_t>;  // set, count, share

inline std::vector<Part> parts_of(const std::vector<PlainPart>& plain) {
    std::vector<Part> parts;
    for (const auto& [set, count, share] : plain) parts.push_back({set, count, share});
    return parts;
}

// What jobs need of a machine that is not one pool: the machine, whether plans need only count its
// nodes, the demands that differ, the guests that ask for each, and which of them each job has.
using Demands = std::tuple<std::shared_ptr<Machine>, bool, std::vector<std::vector<PlainPart>>,
                           std::vector<std::int32_t>, Column<std::int32_t>>;

// By job: tier, checkpoint interval, whether it runs again, what is done when it is preempted.
using Attempting = std::tuple<Column<std::int32_t>, Column<Time>, Column<std::uint8_t>,
                              Column<std::int8_t>>;

// The conditions (job, on, kind, delay), then as in EligibilityRules.
using Rules = std::tuple<Column<JobIndex>, Column<JobIndex>, Column<std::int8_t>, Column<Time>,
                         Column<Time>, Column<std::int32_t>, Column<std::int32_t>,
                         Column<std::int32_t>, Column<std::uint8_t>>;

inline EligibilityRules rules_of(const Rules& given) {
    const auto& [job, on, kind, delay, begin, array, array_limit, namesakes, ends_badly] = given;
    EligibilityRules rules{{},
                           copied<Time>(begin),
                           copied<std::int32_t>(array),
                           copied<std::int32_t>(array_limit),
                           copied<std::int32_t>(namesakes),
                           copied<std::uint8_t>(ends_badly)};
    for (std::size_t i = 0; i < job.size(); ++i) {
        rules.conditions.push_back(
            {job(i), on(i), static_cast<ConditionKind>(kind(i)), delay(i)});
    }
    return rules;
}

}  // namespace schedlab
