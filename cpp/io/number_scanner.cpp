#include "io/number_scanner.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace schedlab {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

const char* skip_blanks(const char* at, const char* end) {
    while (at != end && is_blank(*at)) ++at;
    return at;
}

// Parses plain integers, nearly all fields of a trace, without the cost of a general parser.
const char* parse_integer(const char* at, const char* end, double& value) {
    const bool negative = at != end && *at == '-';
    const char* digit = at + negative;
    std::int64_t whole = 0;
    const char* const first = digit;
    while (digit != end && *digit >= '0' && *digit <= '9' && digit - first < 15) {
        whole = whole * 10 + (*digit++ - '0');
    }
    const bool ends = digit == end || is_blank(*digit);
    if (digit == first || !ends) return nullptr;
    value = static_cast<double>(negative ? -whole : whole);
    return digit;
}

const char* parse_number(const char* at, const char* end, double& value) {
    if (const char* next = parse_integer(at, end, value)) return next;
    const char* from = (at != end && *at == '+') ? at + 1 : at;
    const auto [next, error] = std::from_chars(from, end, value);
    const bool whole_word = next == end || is_blank(*next);
    return error == std::errc() && whole_word && std::isfinite(value) ? next : nullptr;
}

// The word for a message: at most 40 bytes; bytes that do not print appear as \xNN.
std::string word_at(const char* at, const char* end) {
    constexpr char kHex[] = "0123456789abcdef";
    const char* stop = std::find_if(at, end, is_blank);
    if (stop - at > 40) stop = at + 40;
    std::string word;
    for (; at != stop; ++at) {
        const auto byte = static_cast<unsigned char>(*at);
        if (byte >= 0x20 && byte < 0x7f) {
            word += *at;
        } else {
            word += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
        }
    }
    return word;
}

// Fills `row`; returns why the line is bad, or an empty string.
std::string parse_line(const char* at, const char* end, std::vector<double>& row) {
    for (std::size_t column = 0; column < row.size(); ++column) {
        at = skip_blanks(at, end);
        if (at == end) {
            return std::to_string(column) + " fields; must have " + std::to_string(row.size());
        }
        const char* next = parse_number(at, end, row[column]);
        if (!next) {
            return "field " + std::to_string(column + 1) + " is \"" + word_at(at, end) +
                   "\"; must be a number";
        }
        at = next;
    }
    if (skip_blanks(at, end) != end) {
        return "more than " + std::to_string(row.size()) + " fields";
    }
    return {};
}

}  // namespace

ScannedNumbers scan_numbers(std::string_view text, std::size_t columns, char comment,
                            std::size_t max_bad) {
    ScannedNumbers result;
    const auto lines_at_most =
        static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    std::vector<double> by_row;
    by_row.reserve(lines_at_most * columns);
    result.lines.reserve(lines_at_most);
    std::vector<double> row(columns);

    const char* at = text.data();
    const char* const text_end = at + text.size();
    for (std::int64_t line = 1; at != text_end; ++line) {
        const char* const line_end = std::find(at, text_end, '\n');
        const char* const first = skip_blanks(at, line_end);
        if (first != line_end && *first != comment) {
            std::string reason = parse_line(first, line_end, row);
            if (reason.empty()) {
                by_row.insert(by_row.end(), row.begin(), row.end());
                result.lines.push_back(line);
            } else if (++result.bad_total <= static_cast<std::int64_t>(max_bad)) {
                result.bad.push_back({line, std::move(reason)});
            }
        }
        at = line_end == text_end ? text_end : line_end + 1;
    }

    result.rows = result.lines.size();
    result.values.resize(result.rows * columns);
    for (std::size_t column = 0; column < columns; ++column) {
        double* out = result.values.data() + column * result.rows;
        for (std::size_t r = 0; r < result.rows; ++r) out[r] = by_row[r * columns + column];
    }
    return result;
}

}  // namespace schedlab
