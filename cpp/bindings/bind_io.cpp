#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "io/number_scanner.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace schedlab {

void bind_io(nb::module_& m) {
    m.def(
        "scan_numbers",
        [](nb::bytes text, std::size_t columns, char comment, std::size_t max_bad) {
            ScannedNumbers scanned;
            {
                nb::gil_scoped_release unlocked;
                scanned = scan_numbers({text.c_str(), text.size()}, columns, comment, max_bad);
            }
            std::vector<std::pair<std::int64_t, std::string>> bad;
            for (auto& line : scanned.bad) bad.emplace_back(line.line, std::move(line.reason));
            const std::size_t rows = scanned.rows;
            return std::make_tuple(to_numpy_2d(std::move(scanned.values), columns, rows),
                                   to_numpy(std::move(scanned.lines)), std::move(bad),
                                   scanned.bad_total);
        },
        "text"_a, "columns"_a, "comment"_a, "max_bad"_a = 20,
        "Reads lines of whitespace-separated numbers: (values by column, line number of each row, "
        "the first bad lines with the reason, number of bad lines).");
}

}  // namespace schedlab
