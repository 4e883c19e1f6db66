#include "plimsoll/plan/amount.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::plan {
namespace {

TEST(Amount, IsReadWithItsUnit) {
    struct Case {
        const char* text;
        CostKind kind;
        double value;
        const char* currency;
    };
    for (const Case& c :
         {Case{"5000EUR", CostKind::money, 5000.0, "EUR"}, Case{"5000 EUR", CostKind::money, 5000.0, "EUR"},
          Case{"12.5usd", CostKind::money, 12.5, "USD"}, Case{"3€", CostKind::money, 3.0, "EUR"},
          Case{"1e3EUR", CostKind::money, 1000.0, "EUR"}, Case{"0EUR", CostKind::money, 0.0, "EUR"},
          Case{"20000core-h", CostKind::core_hours, 20000.0, ""},
          Case{"300 node-h", CostKind::node_hours, 300.0, ""},
          Case{"40GPU-h", CostKind::device_hours, 40.0, ""}, Case{"50kWh", CostKind::energy, 50.0, ""},
          Case{"3.6MJ", CostKind::energy, 1.0, ""}, Case{"2MWh", CostKind::energy, 2000.0, ""}}) {
        SCOPED_TRACE(c.text);
        const Amount amount = parse_amount("--budget", c.text);
        EXPECT_EQ(c.kind, amount.kind);
        EXPECT_DOUBLE_EQ(c.value, amount.value);
        EXPECT_EQ(c.currency, amount.currency);
    }
}

TEST(Amount, IsRefusedWithoutAUnitOrANumber) {
    for (const char* const text :
         {"5000", "EUR", "", "-5EUR", "5 EU", "5EURO", "nanEUR", "infEUR", "5 EUR/h", "1,5EUR"}) {
        SCOPED_TRACE(text);
        try {
            static_cast<void>(parse_amount("--budget", text));
            FAIL() << "was taken";
        } catch (const Error& error) {
            EXPECT_EQ(ErrorKind::usage, error.kind());
            EXPECT_EQ("--budget: '" + std::string(text) + "' is no amount", error.what());
        }
    }
}

TEST(Price, IsReadWithWhatItIsFor) {
    const Price price = parse_price("price", "2.40 EUR / node-h");
    EXPECT_EQ(2.4, price.value);
    EXPECT_EQ("EUR", price.currency);
    EXPECT_EQ(CostKind::node_hours, price.per);
    EXPECT_EQ(CostKind::device_hours, parse_price("price", "1.8$/GPU-h").per);
    EXPECT_DOUBLE_EQ(0.25, parse_price("price", "250EUR/MWh").value) << "for each kWh";
    for (const char* const text : {"2.40EUR", "2.40/node-h", "EUR/node-h", "2.40EUR/h", "1core-h/node-h"}) {
        SCOPED_TRACE(text);
        EXPECT_THROW(static_cast<void>(parse_price("price", text)), Error);
    }
}

TEST(Amount, IsWrittenAsPeopleWriteIt) {
    EXPECT_EQ("12.50 EUR", amount_text({.kind = CostKind::money, .value = 12.5, .currency = "EUR"}));
    EXPECT_EQ("0.042 EUR", amount_text({.kind = CostKind::money, .value = 0.042, .currency = "EUR"}));
    EXPECT_EQ("1235 EUR", amount_text({.kind = CostKind::money, .value = 1234.6, .currency = "EUR"}));
    EXPECT_EQ("385.2 node-h", amount_text({.kind = CostKind::node_hours, .value = 385.21, .currency = {}}));
}

}  // namespace
}  // namespace plimsoll::plan
