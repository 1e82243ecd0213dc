"""Experiments on co-allocation: solvers on drawn problems, measured beside the optimum."""
