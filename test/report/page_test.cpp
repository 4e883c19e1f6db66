#include "plimsoll/report/page.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::report {
namespace {

const Bundle plain{.script = "run()", .script_digest = "abc=", .style = "p{}", .style_digest = "def="};

TEST(JsonForHtml, LeavesNothingThatEndsAScriptAndTheValueAlone) {
    const nlohmann::json value{{"</script><!--", "<SCRIPT> ]]> \xE2\x80\xA8 \xE2\x80\xA9 \xE2\x80\x94"}};
    const std::string text = json_for_html(value.dump());
    EXPECT_EQ(text.find('<'), std::string::npos);
    EXPECT_EQ(text.find('>'), std::string::npos);
    EXPECT_EQ(text.find("\xE2\x80\xA8"), std::string::npos);
    EXPECT_EQ(text.find("\xE2\x80\xA9"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(text), value);
}

TEST(JsonForHtml, LeavesOutBlanksBetweenPartsAlone) {
    EXPECT_EQ(json_for_html("{\"a b\": [1, \"c\\\" : \\\\\", 2]}\n"), "{\"a b\":[1,\"c\\\" : \\\\\",2]}");
}

TEST(JsonForHtml, TakesTextThatEndsWithinACharacter) { EXPECT_EQ(json_for_html("\"\xE2\x80"), "\"\xE2\x80"); }

TEST(TextForHtml, QuotesWhatHtmlGivesAMeaning) {
    EXPECT_EQ(text_for_html("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
}

TEST(Base64Floats, AreLittleEndianSinglePrecision) {
    // 1.0f is 00 00 80 3F, -2.0f is 00 00 00 C0; base64 of these by RFC 4648.
    EXPECT_EQ(base64_floats(std::array{1.0F}), "AACAPw==");
    EXPECT_EQ(base64_floats(std::array{1.0F, -2.0F}), "AACAPwAAAMA=");
    EXPECT_EQ(base64_floats(std::array{1.0F, -2.0F, 1.0F}), "AACAPwAAAMAAAIA/");
    EXPECT_EQ(base64_floats({}), "");
}

TEST(Page, HoldsDataProgramAndStyleAndAllowsNoOtherOnes) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "report.html";
    Page page(path, plain, "a <b> report");
    EXPECT_FALSE(std::filesystem::exists(path));
    page.add_json("report", R"({"name": "</script>"})");
    page.add_floats("v-0", std::array{1.0F});
    const std::size_t bytes = page.finish();
    const std::string text = read_file(path);
    EXPECT_EQ(bytes, text.size());
    for (const std::string_view piece :
         {"<title>a &lt;b&gt; report</title>", "<style>p{}</style>", "<script>run()</script>",
          R"(<script type="application/json" id="report">{"name":"\u003c/script\u003e"}</script>)",
          R"(<script type="text/plain" id="v-0">AACAPw==</script>)",
          "default-src 'none'; script-src 'sha256-abc='; style-src 'sha256-def='"}) {
        EXPECT_NE(text.find(piece), std::string::npos) << piece;
    }
}

TEST(Page, ThatIsRenewedSaysItsVersionAndMayAskItsServerAlone) {
    const test::TemporaryFolder folder;
    Page(folder / "alone.html", plain, "").finish();
    Page(folder / "renewed.html", plain, "", "3<").finish();
    const std::string alone = read_file(folder / "alone.html");
    const std::string renewed = read_file(folder / "renewed.html");
    EXPECT_EQ(alone.find("plimsoll-version"), std::string::npos);
    EXPECT_EQ(alone.find("connect-src"), std::string::npos);
    EXPECT_NE(renewed.find("<meta name=\"plimsoll-version\" content=\"3&lt;\">"), std::string::npos);
    EXPECT_NE(renewed.find("; connect-src 'self'; "), std::string::npos);
}

TEST(Page, LeavesNoFileBehindThatIsNotFinished) {
    const test::TemporaryFolder folder;
    { const Page page(folder / "report.html", plain, ""); }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Page, RefusesIdsThatAreMarkup) {
    const test::TemporaryFolder folder;
    Page page(folder / "report.html", plain, "");
    EXPECT_THROW(page.add_json("\"><script>", "{}"), Error);
}

}  // namespace
}  // namespace plimsoll::report
