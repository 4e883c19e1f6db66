#include "plimsoll/report/http.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll::report {
namespace {

const Site site{.host = "127.0.0.1:8080",
                .alias = "localhost:8080",
                .token = "0123abcd",
                .page = std::make_shared<const std::string>("<p>page</p>"),
                .version = {},
                .trouble = {}};

Answer ask(const std::string& line, const std::string& headers) {
    return answer(line + "\r\n" + headers + "\r\n", site);
}

TEST(Http, ShowsThePageToWhoHasTheToken) {
    for (const char* const host : {"127.0.0.1:8080", "localhost:8080", "LocalHost:8080"}) {
        const Answer found = ask("GET /0123abcd/ HTTP/1.1", std::string("Host: ") + host + "\r\n");
        EXPECT_EQ(found.status, 200) << host;
        EXPECT_EQ(found.follows, Follows::page);
        EXPECT_NE(found.head.find("Content-Length: 11\r\n"), std::string::npos);
        EXPECT_NE(found.head.find("Cache-Control: no-store\r\n"), std::string::npos);
        EXPECT_TRUE(found.head.ends_with("\r\n\r\n"));
    }
    const Answer head = ask("HEAD /0123abcd/ HTTP/1.1", "Host: 127.0.0.1:8080\r\n");
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.follows, Follows::body);
    EXPECT_TRUE(head.body.empty());
}

TEST(Http, TakesItsOwnOrigin) {
    EXPECT_EQ(
        ask("GET /0123abcd/ HTTP/1.1", "Host: localhost:8080\r\nOrigin: http://localhost:8080\r\n").status,
        200);
}

TEST(Http, RefusesForeignHostsAndOrigins) {
    for (const char* const host :
         {"evil.example", "127.0.0.1", "127.0.0.1:80", "localhost:8080.evil.example", ""})
        EXPECT_EQ(ask("GET /0123abcd/ HTTP/1.1", std::string("Host: ") + host + "\r\n").status, 403) << host;
    EXPECT_EQ(ask("GET /0123abcd/ HTTP/1.1", "").status, 403) << "no host";
    EXPECT_EQ(ask("GET /0123abcd/ HTTP/1.1", "Host: 127.0.0.1:8080\r\nHost: evil.example\r\n").status, 403);
    for (const char* const origin :
         {"http://evil.example", "null", "https://127.0.0.1:8080", "http://127.0.0.1"}) {
        const std::string headers = std::string("Host: 127.0.0.1:8080\r\nOrigin: ") + origin + "\r\n";
        EXPECT_EQ(ask("GET /0123abcd/ HTTP/1.1", headers).status, 403) << origin;
    }
}

TEST(Http, ShowsNothingWithoutTheToken) {
    for (const char* const path :
         {"/", "/0123abcd", "/0123abce/", "/0123abcd/../", "/../etc/passwd", "/0123abcd/../../etc/passwd",
          "/0123abcd/%2e%2e/", "/0123ABCD/", "*", "http://127.0.0.1:8080/0123abcd/"}) {
        const Answer found = ask(std::string("GET ") + path + " HTTP/1.1", "Host: 127.0.0.1:8080\r\n");
        EXPECT_EQ(found.status, 404) << path;
        EXPECT_EQ(found.follows, Follows::body);
    }
}

TEST(Http, TellsWhoFollowsAPageThatIsRenewed) {
    Site renewed = site;
    renewed.version = "7";
    const auto events = [&](const Site& of, const std::string& method, const std::string& headers) {
        return answer(method + " /0123abcd/events HTTP/1.1\r\n" + headers + "\r\n", of);
    };
    const Answer found = events(renewed, "GET", "Host: localhost:8080\r\n");
    EXPECT_EQ(found.status, 200);
    EXPECT_EQ(found.follows, Follows::events);
    EXPECT_NE(found.head.find("Content-Type: text/event-stream"), std::string::npos);
    EXPECT_EQ(found.head.find("Content-Length"), std::string::npos);
    EXPECT_NE(found.body.find("event: page\ndata: 7\n\n"), std::string::npos);
    EXPECT_EQ(found.body.find("trouble"), std::string::npos);
    EXPECT_EQ(events(renewed, "HEAD", "Host: localhost:8080\r\n").follows, Follows::body);
    // The rules of the page hold for its events.
    EXPECT_EQ(events(site, "GET", "Host: localhost:8080\r\n").status, 404) << "not renewed";
    EXPECT_EQ(events(renewed, "GET", "Host: evil.example\r\n").status, 403);
    EXPECT_EQ(events(renewed, "GET", "Host: localhost:8080\r\nOrigin: http://evil.example\r\n").status, 403);
    EXPECT_EQ(events(renewed, "POST", "Host: localhost:8080\r\n").status, 405);
    EXPECT_EQ(answer("GET /0123abce/events HTTP/1.1\r\nHost: localhost:8080\r\n\r\n", renewed).status, 404);
    renewed.trouble = "\"no such file\"";
    EXPECT_NE(events_of(renewed).find("event: trouble\ndata: \"no such file\"\n\n"), std::string::npos);
}

TEST(Http, OnlyReads) {
    for (const char* const method : {"POST", "PUT", "DELETE", "OPTIONS", "get"})
        EXPECT_EQ(ask(std::string(method) + " /0123abcd/ HTTP/1.1", "Host: 127.0.0.1:8080\r\n").status, 405)
            << method;
    EXPECT_EQ(ask("GET /0123abcd/ HTTP/1.1", "Host: 127.0.0.1:8080\r\nContent-Length: 5\r\n").status, 413);
    EXPECT_EQ(ask("GET /0123abcd/ HTTP/1.1", "Host: 127.0.0.1:8080\r\nTransfer-Encoding: chunked\r\n").status,
              413);
}

TEST(Http, RefusesWhatIsNoRequest) {
    for (const char* const text :
         {"", "\r\n\r\n", "GET\r\n\r\n", "GET / FTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
          "GET / HTTP/1.1\r\n: x\r\n\r\n", "\x16\x03\x01"})
        EXPECT_EQ(answer(text, site).status, 400) << text;
    EXPECT_EQ(too_long().status, 431);
}

}  // namespace
}  // namespace plimsoll::report
