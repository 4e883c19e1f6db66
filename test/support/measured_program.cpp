#include "test/support/measured_program.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace plimsoll::test {

Ended run(const std::string& command) { return run_for_output("{ " + command + "\n} 2>&1"); }

Ended run_for_output(const std::string& command) {
    Ended ended;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
        ended.output.append(buffer.data(), count);
    ended.status = WEXITSTATUS(pclose(pipe));
    return ended;
}

Values values_of(const std::string& file) {
    Values values;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        const auto json = nlohmann::json::parse(line);
        for (const auto& repetition : json.at("value"))
            values[{json.at("region"), json.at("metric")}].push_back(repetition.get<std::vector<double>>());
    }
    return values;
}

double sum_of(const Values& values, const std::string& path, const std::string& metric) {
    const auto found = values.find({path, metric});
    if (found == values.end()) return 0;
    double sum = 0;
    for (const auto& repetition : found->second)
        for (const double value : repetition) sum += value;
    return sum;
}

}  // namespace plimsoll::test
