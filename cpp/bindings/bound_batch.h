#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <string>
#include <utility>

#include "bindings/arrays.h"
#include "env/env_batch.h"

namespace schedlab {

template <typename T>
using Rows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Values = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Returns the array's values; throws if their number is not `size`.
template <typename A>
auto written(const A& array, std::size_t size, const char* name) {
    if (array.size() != size) {
        throw nb::value_error((std::string(name) + " has " + std::to_string(array.size()) +
                               " values; must have " + std::to_string(size))
                                  .c_str());
    }
    return std::span(array.data(), size);
}

// A batch of environments that writes into the arrays of Python.
template <typename Env>
class BoundBatch {
  public:
    BoundBatch(const typename Env::Options& options, std::size_t size, std::size_t threads)
        : batch_(options, size, threads) {}

    const EnvBatch<Env>& get() const { return batch_; }
    const Env& env(std::size_t index) const { return batch_.env(index); }

    template <typename Episode>
    void reset(std::size_t index, Episode&& episode, const Rows<float>& observation,
               const Rows<std::uint8_t>& mask) {
        BatchOutput output;
        output.observation = rows(observation);
        output.mask = masks(mask);
        batch_.reset(index, std::forward<Episode>(episode), output);
    }

    void step(const Column<std::int64_t>& actions, const Rows<float>& observation,
              const Values<double>& reward, const Values<std::uint8_t>& terminated,
              const Values<std::uint8_t>& truncated, const Rows<std::uint8_t>& mask) {
        const std::size_t n = batch_.size();
        const BatchOutput output{rows(observation), written(reward, n, "reward"),
                                 written(terminated, n, "terminated"),
                                 written(truncated, n, "truncated"), masks(mask)};
        const auto chosen = written(actions, n, "actions");
        const nb::gil_scoped_release unlocked;
        batch_.step(chosen, output);
    }

  private:
    std::span<float> rows(const Rows<float>& observation) const {
        return written(observation, batch_.size() * batch_.observation_size(), "observation");
    }
    std::span<std::uint8_t> masks(const Rows<std::uint8_t>& mask) const {
        return written(mask, batch_.size() * batch_.actions(), "mask");
    }

    EnvBatch<Env> batch_;
};

// Binds what all batches have in common; each kind binds its own `reset`.
template <typename Env>
nb::class_<BoundBatch<Env>> bind_batch(nb::module_& m, const char* name) {
    using namespace nb::literals;
    using Batch = BoundBatch<Env>;
    return nb::class_<Batch>(
               m, name,
               "Environments stepped together; what they write lies in the caller's arrays.")
        .def(nb::init<const typename Env::Options&, std::size_t, std::size_t>(), "options"_a,
             "size"_a, "threads"_a = 1)
        .def_prop_ro("size", [](const Batch& b) { return b.get().size(); }, "environments")
        .def_prop_ro("observation_size", [](const Batch& b) { return b.get().observation_size(); },
                     "numbers that each agent sees")
        .def_prop_ro("actions", [](const Batch& b) { return b.get().actions(); },
                     "actions that each agent has")
        .def("step", &Batch::step, "actions"_a, "observation"_a, "reward"_a, "terminated"_a,
             "truncated"_a, "mask"_a, "One step of every environment, without the GIL.")
        .def_prop_ro(
            "state_names",
            [](const Batch&) {
                nb::list names;
                for (const char* name : Env::kState) names.append(name);
                return nb::tuple(names);
            },
            nb::sig("def state_names(self) -> tuple[str, ...]"),
            "what `states` tells of each environment")
        .def(
            "states",
            [](const Batch& b, const Rows<std::int64_t>& states) {
                const std::size_t width = Env::kState.size();
                const auto into = written(states, b.get().size() * width, "states");
                for (std::size_t i = 0; i < b.get().size(); ++i) {
                    std::ranges::copy(b.env(i).state(), into.begin() + i * width);
                }
            },
            "states"_a, "Writes where each environment is, by `state_names`.")
        .def("steps", [](const Batch& b, std::size_t i) { return b.env(i).steps(); }, "index"_a,
             "steps since the last reset")
        .def("started", [](const Batch& b, std::size_t i) { return b.env(i).started(); },
             "index"_a, "jobs whose start is decided");
}

}  // namespace schedlab
