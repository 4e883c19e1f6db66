#include "plimsoll/campaign/channel.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {
namespace {

/// Carries bytes from one end to the other, `step` at a time.
void carry(Channel& from, Channel& to, std::size_t step = 1'000'000) {
    std::string bytes = std::exchange(from.outgoing(), {});
    for (std::size_t i = 0; i < bytes.size(); i += step) to.receive(std::string_view(bytes).substr(i, step));
}

struct Pair {
    Secret secret = make_secret();
    Channel client{Channel::Role::client, secret};
    Channel server{Channel::Role::server, secret};

    void greet(std::size_t step = 1'000'000) {
        for (int i = 0; i < 3; ++i) {
            carry(client, server, step);
            carry(server, client, step);
        }
    }
};

std::string hint_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.hint();
    }
    return "nothing was thrown";
}

TEST(Channel, CarriesMessagesBothWaysInOrder) {
    Pair pair;
    pair.client.send("early");
    pair.greet();
    ASSERT_TRUE(pair.client.is_open() && pair.server.is_open());
    pair.client.send(std::string(100'000, 'x'));
    pair.server.send("");
    carry(pair.client, pair.server);
    carry(pair.server, pair.client);
    std::string message;
    ASSERT_TRUE(pair.server.next(message));
    EXPECT_EQ(message, "early");
    ASSERT_TRUE(pair.server.next(message));
    EXPECT_EQ(message.size(), 100'000U);
    EXPECT_FALSE(pair.server.next(message));
    ASSERT_TRUE(pair.client.next(message));
    EXPECT_EQ(message, "");
}

TEST(Channel, DoesNotCareHowTheBytesAreCut) {
    Pair pair;
    pair.client.send("one");
    pair.client.send("two");
    pair.greet(1);
    std::string message;
    ASSERT_TRUE(pair.server.next(message));
    EXPECT_EQ(message, "one");
    ASSERT_TRUE(pair.server.next(message));
    EXPECT_EQ(message, "two");
}

TEST(Channel, RefusesAnotherSecretOnBothSides) {
    const Secret right = make_secret();
    Channel client(Channel::Role::client, make_secret());
    Channel server(Channel::Role::server, right);
    carry(client, server);
    EXPECT_NE(hint_of([&] { carry(server, client); }).find("same campaign folder"), std::string::npos);
    // A client that does not look at the server's proof has none of its own.
    EXPECT_THROW(server.receive(std::string(32, 'p')), Error);
    EXPECT_FALSE(server.is_open());
}

TEST(Channel, RefusesAnotherVersionWithAdvice) {
    Channel client(Channel::Role::client, make_secret());
    Channel server(Channel::Role::server, make_secret());
    std::string opening = client.outgoing();
    opening[9] = 2;
    EXPECT_NE(hint_of([&] { server.receive(opening); }).find("one version"), std::string::npos);
}

TEST(Channel, RefusesWhatIsNoPlimsollAtTheFirstByte) {
    Channel server(Channel::Role::server, make_secret());
    EXPECT_THROW(server.receive("G"), Error);
}

TEST(Channel, RefusesEveryChangedByte) {
    for (std::size_t place = 0; place < 30; ++place) {
        Pair pair;
        pair.greet();
        pair.client.send("0123456789");
        std::string bytes = std::exchange(pair.client.outgoing(), {});
        ASSERT_GT(bytes.size(), 30U);
        bytes[place] = static_cast<char>(bytes[place] ^ 1);
        std::string message;
        bool taken = false;
        try {
            pair.server.receive(bytes);
            taken = pair.server.next(message);
        } catch (const Error&) {
        }
        EXPECT_FALSE(taken) << "byte " << place;
    }
}

TEST(Channel, RefusesARepeatedAndAMissingMessage) {
    for (const bool repeat : {true, false}) {
        Pair pair;
        pair.greet();
        pair.client.send("first");
        const std::string first = std::exchange(pair.client.outgoing(), {});
        pair.client.send("second");
        const std::string second = std::exchange(pair.client.outgoing(), {});
        std::string message;
        if (repeat) {
            pair.server.receive(first);
            ASSERT_TRUE(pair.server.next(message));
        }
        pair.server.receive(repeat ? first : second);
        EXPECT_THROW((void)pair.server.next(message), Error);
    }
}

TEST(Channel, DoesNotShowWhatItCarries) {
    Pair pair;
    pair.greet();
    pair.client.send("PASSWORD=tulip");
    EXPECT_EQ(pair.client.outgoing().find("tulip"), std::string::npos);
}

TEST(Channel, RefusesAnAnnouncedFlood) {
    Pair pair;
    pair.greet();
    pair.server.receive(std::string("\xff\xff\xff\xff", 4));
    std::string message;
    EXPECT_THROW((void)pair.server.next(message), Error);
}

}  // namespace
}  // namespace plimsoll::campaign
