// Variables, watches, options, errors.
#include "common.hpp"

#include <set>

TEST(State, AValueIsSharedAndDeleted) {
    auto hub = open();
    Hub other(hub.namespaceName(), here());
    auto mine = hub.var("lamp"), theirs = other.var("lamp");
    EXPECT_EQ(mine.name(), "lamp");
    EXPECT_EQ(mine.value(), std::nullopt);
    EXPECT_EQ(mine.get("7"), "7");
    mine.set("{\"b\":1,\"a\":2}");
    EXPECT_EQ(mine.value(), "{\"a\":2,\"b\":1}");
    Box<std::pair<std::optional<std::string>, posthouse::Meta>> seen;
    auto watch = theirs.watch([&](auto value, posthouse::Meta meta) { seen.put({std::move(value), std::move(meta)}); });
    for (;;) {
        const auto [value, meta] = seen.take();
        EXPECT_TRUE(meta.initialized);
        if (!value) continue;
        EXPECT_EQ(value, "{\"a\":2,\"b\":1}");
        EXPECT_EQ(meta.exists, true);
        EXPECT_EQ(meta.version->counter, mine.meta().version->counter);
        EXPECT_EQ(meta.version->writer, mine.meta().version->writer);
        break;
    }
    mine.erase();
    while (seen.take().first) {
    }
    EXPECT_EQ(theirs.meta().exists, false);
    theirs.set("false");
    EXPECT_EQ(theirs.get("7"), "false");
}

TEST(State, AWatchThatWasStoppedIsSilent) {
    auto hub = open();
    auto lamp = hub.var("lamp");
    std::atomic<bool> stopped = false;
    std::atomic<int> calls = 0, late = 0;
    auto watch = lamp.watchValue([&](const auto &) {
        ++calls;
        if (stopped) ++late;
    });
    std::thread writer([&] {
        for (int number = 0; number < 2000; ++number) lamp.set(std::to_string(number));
    });
    EXPECT_TRUE(eventually([&] { return calls > 0; }));
    watch.stop();
    stopped = true;
    writer.join();
    hub.flush();
    EXPECT_EQ(late, 0);
}

TEST(State, BadValuesAreRefused) {
    auto hub = open();
    auto lamp = hub.var("lamp");
    for (const char *bad : {"", "nope", "9007199254740993", "1e999", "[1,]", "\"\\ud800\"", "\"\xed\xa0\x80\""}) {
        EXPECT_EQ(refusal([&] { lamp.set(bad); }), ErrorCode::InvalidValue) << bad;
        EXPECT_EQ(refusal([&] { lamp.pub(bad); }), ErrorCode::InvalidMessage) << bad;
    }
    try {
        lamp.set("\"" + std::string(70000, 'x') + "\"");
        FAIL() << "it is too large";
    } catch (const posthouse::Error &error) {
        EXPECT_EQ(error.name(), "VALUE_TOO_LARGE");
        EXPECT_EQ(error.limit(), posthouse::limits::VALUE_BYTES);
        EXPECT_GE(error.actual().value_or(0), 65536);
    }
}

TEST(Options, AreCheckedByTheLibraryInTheWordsOfTheLanguage) {
    const auto text = [](HubOptions options) -> std::string {
        try {
            Hub hub("x", options);
        } catch (const posthouse::Error &error) {
            EXPECT_EQ(error.code(), ErrorCode::InvalidOptions);
            return error.what();
        }
        return {};
    };
    EXPECT_TRUE(has(text({.peerTimeout = 0ms}), "peerTimeout is 0 ms; allowed is 1 to"));
    EXPECT_TRUE(has(text({.selection = {.improvementRatio = 1.5}}), "selection.improvementRatio is 1.5"));
    EXPECT_TRUE(has(text({.messaging = {.requests = 0}}), "messaging.requests is 0"));
    EXPECT_EQ(refusal([] { Hub hub("bad\nname"); }), ErrorCode::InvalidName);
    auto hub = open();
    EXPECT_EQ(refusal([&] { hub.flush(-1ms); }), ErrorCode::InvalidOptions);
    EXPECT_EQ(refusal([&] { hub.var("x").req("1", {.timeout = 0ms}).get(); }), ErrorCode::InvalidOptions);
    EXPECT_EQ(refusal([&] { auto s = hub.var("x").sub([] {}, {.pendingMessages = 0}); }), ErrorCode::InvalidOptions);
}

TEST(Options, SecretsStaySecret) {
    try {
        Hub hub("x", {.servers = {{"nats://u:S3CR3T@[bad"}}});
        FAIL() << "the address is broken";
    } catch (const posthouse::Error &error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidServer);
        EXPECT_FALSE(has(error.what(), "S3CR3T"));
    }
}

TEST(Options, ACredentialMayBeAFunction) {
    Box<std::string> asked;
    Hub hub("x", {.servers = {{"nats://127.0.0.1:1"}},
                  .token = posthouse::Credential([&] {
                      asked.put("token");
                      return std::string("T0K3N");
                  }),
                  .timeout = 300ms});
    // It is asked when an attempt is made; where nobody listens that may be never.
    EXPECT_TRUE(refusal([&] { hub.connected(); }).has_value());
    EXPECT_FALSE(has(hub.status(), "T0K3N"));
}

TEST(Headers, KeepOrderAndAnyCase) {
    posthouse::Headers headers{{"X-Tag", {"a", "b"}}};
    headers.append("x-tag", "c");
    EXPECT_EQ(headers.get("X-TAG"), "a");
    EXPECT_EQ(headers.getAll("x-Tag"), (std::vector<std::string>{"a", "b", "c"}));
    headers.set("x-tag", " d ");
    EXPECT_EQ(headers.entries(), (std::vector<std::pair<std::string, std::string>>{{"x-tag", "d"}}));
    const posthouse::Headers copy = headers;
    headers.append("other", "1");
    EXPECT_EQ(copy.size(), 1U);
    EXPECT_EQ(headers.get("none"), std::nullopt);
    for (const char *bad : {"a\r\nb", "a\x7f", "\xc3\xa4"}) {
        EXPECT_EQ(refusal([&] { headers.set("x", bad); }), ErrorCode::InvalidHeaders) << bad;
    }
    EXPECT_EQ(refusal([&] { headers.set("a b", "1"); }), ErrorCode::InvalidHeaders);
    EXPECT_EQ(refusal([&] { headers.set("x", std::string_view("a\0b", 3)); }), ErrorCode::InvalidHeaders);
}

TEST(Codes, AreThoseOfTheLibrary) {
    EXPECT_EQ(codeName(ErrorCode::NoResponders), "NO_RESPONDERS");
    EXPECT_EQ(codeName(ErrorCode::Internal), "INTERNAL");
    std::set<std::string_view> names;
    int code = 1;
    for (; codeName(static_cast<ErrorCode>(code)).data() != nullptr; ++code) {
        names.insert(codeName(static_cast<ErrorCode>(code)));
    }
    EXPECT_GT(code, static_cast<int>(ErrorCode::Internal));
    EXPECT_EQ(names.size(), static_cast<std::size_t>(code - 1)) << "each has a name of its own";
}
