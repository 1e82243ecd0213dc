#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace schedlab {

// A line that does not have exactly `columns` numbers.
struct BadLine {
    std::int64_t line;
    std::string reason;
};

struct ScannedNumbers {
    std::size_t rows = 0;
    std::vector<double> values;       // column after column, each `rows` long
    std::vector<std::int64_t> lines;  // line number of each row, from 1
    std::vector<BadLine> bad;         // at most `max_bad`
    std::int64_t bad_total = 0;
};

// Reads lines of whitespace-separated numbers (SWF and its relatives).
// Blank lines and lines whose first visible character is `comment` are skipped.
ScannedNumbers scan_numbers(std::string_view text, std::size_t columns, char comment,
                            std::size_t max_bad);

}  // namespace schedlab
