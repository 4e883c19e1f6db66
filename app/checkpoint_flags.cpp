// The options of `plimsoll checkpoint` and its verbs.
#include "app/flags.hpp"

namespace plimsoll::app {

namespace {

constexpr int most_saves = 1'000'000;

constexpr const char* checkpoint_remarks =
    "FOLDER is what a program gives its checkpoint::Session; see docs/guide/checkpoints.md.\n";

}  // namespace

void Flags::add_checkpoint() {
    CLI::App& group =
        add_command("checkpoint", "Look at the checkpoints of a program, verify and prune them",
                    {.examples = {"plimsoll checkpoint ls saves", "plimsoll checkpoint verify saves --deep"},
                     .remarks = checkpoint_remarks});
    group.require_subcommand(0, 1);
    if (!needs_options(group)) return;
    CheckpointRequest& request = request_.checkpoint;
    const auto add = [&](const char* name, const char* summary, HelpText text) -> CLI::App* {
        CLI::App* const command = group.add_subcommand(name, summary);
        command->set_help_flag("-h,--help", "Print this page")->group(shared_group);
        texts_[command] = std::move(text);
        if (!needs_options(*command)) return nullptr;
        command->add_option("FOLDER", request.folder, "Folder of checkpoints")->required();
        return command;
    };
    const auto flag = [](CLI::App& command, const char* name, bool& value, const char* help) {
        command.add_flag(name, value, help)->disable_flag_override();
    };
    const char* const which = "Its step, or the name of its folder (default the newest)";

    if (CLI::App* const command =
            add("ls", "List saves, the newest first",
                {.examples = {"plimsoll checkpoint ls saves", "plimsoll checkpoint ls saves --quiet"},
                 .remarks = {}}))
        add_shared(*command);
    if (CLI::App* const command =
            add("show", "Show which arrays a save holds, and in which files",
                {.examples = {"plimsoll checkpoint show saves", "plimsoll checkpoint show saves 4200 --json"},
                 .remarks = {}})) {
        command->add_option("SAVE", request.save, which);
        add_shared(*command);
    }
    if (CLI::App* const command = add(
            "verify", "Check that saves can be restored",
            {.examples = {"plimsoll checkpoint verify saves", "plimsoll checkpoint verify saves --deep"},
             .remarks =
                 "Exit status: 0 all saves are whole, 1 some are damaged and one is whole, 4 none is\n"})) {
        flag(*command, "--deep", request.deep, "Read every byte of every array, and check it");
        add_shared(*command);
    }
    if (CLI::App* const command = add("prune", "Remove old saves, but those that are pinned",
                                      {.examples = {"plimsoll checkpoint prune saves --keep 3",
                                                    "plimsoll checkpoint prune saves --dry-run"},
                                       .remarks = "Damaged saves are not counted, and not removed.\n"})) {
        OptionBinder bind(*command, table_, own_group);
        bind("keep", request.keep, "Newest saves that stay", Between{1, most_saves});
        flag(*command, "--dry-run", request.dry_run, "Print what would be removed, and remove nothing");
        add_shared(*command);
    }
    if (CLI::App* const command =
            add("pin", "Keep a save from being removed",
                {.examples = {"plimsoll checkpoint pin saves 4200 --tag 'before the merger'",
                              "plimsoll checkpoint pin saves 4200 --remove"},
                 .remarks = {}})) {
        command->add_option("SAVE", request.save, which);
        command->add_option("--tag", request.tag, "Why it is kept (default nothing)")
            ->type_name("TEXT")
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        flag(*command, "--remove", request.removes_pin, "Let it be removed again");
        add_shared(*command);
    }
    if (CLI::App* const command =
            add("export", "Write the arrays of a save to one safetensors file",
                {.examples = {"plimsoll checkpoint export saves -o state.safetensors",
                              "plimsoll checkpoint export saves 4200 -o state.safetensors"},
                 .remarks = "Each array is written whole, whatever ranks held its pieces; of "
                            "one that ranks have\n"
                            "each their own of, that of rank 3 is named NAME@3.\n"})) {
        command->add_option("SAVE", request.save, which);
        command->add_option("-o,--output", request.output, "File to write (default none)")
            ->type_name("FILE")
            ->required()
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        add_shared(*command);
    }
    if (CLI::App* const command =
            add("diff", "Compare two saves, array by array and bit by bit",
                {.examples = {"plimsoll checkpoint diff saves 4100 4200",
                              "plimsoll checkpoint diff saves v00004200 v00004200.2"},
                 .remarks = "Exit status: 0 all arrays are the same, 1 some are not\n"})) {
        command->add_option("BEFORE", request.save, "Step of a save, or the name of its folder")->required();
        command->add_option("AFTER", request.other, which);
        add_shared(*command);
    }
}

}  // namespace plimsoll::app
