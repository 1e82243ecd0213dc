#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

namespace schedlab {

namespace nb = nanobind;

template <typename T>
using Numpy = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <typename T>
using Numpy2d = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;
template <typename T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
nb::capsule owner_of(std::vector<T>* values) {
    return nb::capsule(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
}

// A NumPy array that takes over the vector's memory.
template <typename T>
Numpy<T> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    return Numpy<T>(kept->data(), {kept->size()}, owner_of(kept));
}

template <typename T>
Numpy2d<T> to_numpy_2d(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
    auto* kept = new std::vector<T>(std::move(values));
    return Numpy2d<T>(kept->data(), {rows, columns}, owner_of(kept));
}

template <typename T>
std::span<const T> as_span(const Column<T>& column) {
    return {column.data(), column.size()};
}

}  // namespace schedlab
