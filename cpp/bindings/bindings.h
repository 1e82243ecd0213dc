#pragma once

#include <nanobind/nanobind.h>

namespace schedlab {

void bind_coalloc(nanobind::module_& m);
void bind_env(nanobind::module_& m);
void bind_futures(nanobind::module_& m);
void bind_gantt(nanobind::module_& m);
void bind_slurm(nanobind::module_& m);
void bind_io(nanobind::module_& m);
void bind_live(nanobind::module_& m);
void bind_machine(nanobind::module_& m);
void bind_policies(nanobind::module_& m);
void bind_predictors(nanobind::module_& m);
void bind_simulator(nanobind::module_& m);

}  // namespace schedlab
