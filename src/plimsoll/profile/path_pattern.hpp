#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::profile {

/// What the path of a file says of its run.
struct PathFacts {
    std::vector<std::pair<std::string, double>> parameters;  ///< in the order of the path
    std::optional<std::int64_t> rank;
    std::string run;  ///< the path without its rank, where there is one
};

/// A pattern such as `runs/p{p}/n{n}/rep{repetition}`: text, and names in braces that stand for numbers.
///
/// It fits a path where it fits anywhere in it but within a word; of several places, that nearest to the file
/// counts. `{rank}` is the number of a process; `{repetition}` and `{}` fit any number, and are no
/// parameters.
class PathPattern {
  public:
    /// Throws a usage error where braces do not match, a name occurs twice, or there is none.
    explicit PathPattern(std::string_view text);

    /// Nothing where it does not fit.
    [[nodiscard]] std::optional<PathFacts> match(std::string_view path) const;

    [[nodiscard]] const std::string& text() const { return text_; }
    /// Whether it stands for more than repetitions and processes.
    [[nodiscard]] bool names_parameters() const;

  private:
    struct Piece {
        std::string text;  ///< before the number
        std::string name;
    };
    [[nodiscard]] std::optional<PathFacts> match_at(std::string_view path, std::size_t begin) const;

    std::string text_;
    std::vector<Piece> pieces_;
    std::string tail_;
};

/// What names such as `app.p4.n1000.r2.mpi0`, `app_p4_n1000` or `app-p4-n1000` say, of a file without its
/// ending or of a folder: behind the program, each part is letters and a number. A folder may be named for
/// one alone: `n1000` or `n=1000`. `r`, `rep`, `run` and `trial` number repetitions, `job` and `pid` are no
/// parameters, `mpi` and `rank` number processes.
[[nodiscard]] PathFacts facts_of_name(std::string_view path);

/// The number of "rank-3", "rank_3" or "rank3" in a file's name, else what `facts_of_name` says, as of
/// "app.p4.mpi3".
[[nodiscard]] std::optional<std::int64_t> rank_of_name(std::string_view path);

}  // namespace plimsoll::profile
