#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/campaign/request.hpp"
#include "app/commands/checkpoint.hpp"
#include "app/commands/compare.hpp"
#include "app/commands/convert.hpp"
#include "app/commands/expect.hpp"
#include "app/commands/fit.hpp"
#include "app/commands/measure.hpp"
#include "app/commands/plan_config.hpp"
#include "app/commands/plot.hpp"
#include "app/commands/predict.hpp"
#include "app/commands/rank.hpp"
#include "app/commands/show.hpp"
#include "app/commands/training.hpp"
#include "app/completion.hpp"
#include "app/help.hpp"
#include "app/option_binder.hpp"
#include "app/report/build.hpp"
#include "app/report/serve.hpp"
#include "app/terminal.hpp"
#include "plimsoll/model/formula.hpp"

namespace plimsoll::app {

/// Options that every command has.
struct Shared {
    bool json = false;
    bool quiet = false;
    bool debug = false;
    ColorChoice color = ColorChoice::automatic;
    int threads = 0;
};

/// Everything that one command line fills in.
struct Request {
    Shared shared;
    MeasureRequest measure;
    FitRequest fit;
    std::string fit_output;
    std::optional<model::FormulaStyle> formulas;
    PredictRequest predict;
    RankRequest rank;
    CompareRequest compare;
    ExpectRequest expect;
    TrainingRequest training;
    PlanConfigRequest plan_config;
    PlotRequest plot;
    ReportRequest report;
    ServeOptions serve;
    Inputs show;
    bool show_plot = false;
    ConvertRequest convert;
    CampaignRequest campaign;
    CheckpointRequest checkpoint;
    std::string shell;
};

/// The commands, their options and their help, and what a command line makes of them.
class Flags {
  public:
    /// Whose options are declared: of the command that is called, or of all.
    enum class Declared { own, all };

    explicit Flags(std::span<const char* const> arguments, Declared declared = Declared::own);
    Flags(const Flags&) = delete;  // the options hold references to the request
    Flags& operator=(const Flags&) = delete;

    /// Fills the request. Throws a usage error, or CLI11's calls for help and version.
    void parse(std::span<const char* const> arguments);

    [[nodiscard]] const CLI::App& program() const { return app_; }
    /// The command that was parsed, else the program.
    [[nodiscard]] const CLI::App& selected() const;
    [[nodiscard]] const HelpText& help_of(const CLI::App& app) const { return texts_.at(&app); }
    [[nodiscard]] const Request& request() const { return request_; }

    /// A line for each option that is not left alone, with its value and, where it is one, its variable.
    [[nodiscard]] std::vector<std::string> trace() const;
    /// Long options given on the command line that models in a file leave no use for.
    [[nodiscard]] std::vector<std::string> given_for_search() const;
    /// Throws a usage error where an option is given on the command line that belongs to another search.
    void refuse_options_without_effect(model::Search search) const;
    /// The commands below one, or below the program.
    [[nodiscard]] std::vector<CompletionCommand> completion_commands(const CLI::App& app) const;
    /// Environment variables that stand for the options declared.
    [[nodiscard]] const std::set<std::string>& variables() const { return table_.variables; }

  private:
    CLI::App& add_command(const std::string& name, const std::string& summary, HelpText text);
    [[nodiscard]] bool needs_options(const CLI::App& command) const;
    void add_shared(CLI::App& command);
    void add_inputs(CLI::App& command, Inputs& inputs, const std::string& what);
    void add_reading(CLI::App& command, Inputs& inputs);
    void add_measure();
    void read_options(const std::string& path);
    void add_fit();
    void add_formula(CLI::App& command);
    void add_models(CLI::App& command, ModelsRequest& models, const std::string& what);
    void add_predict();
    void add_rank();
    void add_compare();
    void add_expect();
    void add_training();
    void add_plan();
    void add_plot();
    void add_report();
    void add_show();
    void add_convert();
    void add_formats();
    void add_completion();
    void add_campaign();
    void add_checkpoint();
    void add_verb(CLI::App& campaign, const std::string& name, const std::string& summary, HelpText text,
                  const std::function<void(CLI::App&)>& options);
    void add_submit(CLI::App& command);
    void add_worker(CLI::App& command);

    CLI::App app_;
    Declared declared_;
    OptionTable table_;
    HelpTexts texts_;
    Request request_;
};

}  // namespace plimsoll::app
