// What is let in and what is not, in every entry: names (R12), control characters (R38), numbers (R25); and secrets (R39),
// which come out nowhere.
#include "common.hpp"

namespace text = posthouse::text;

namespace {

const std::vector<std::string> controls{"a\r\nPUB x 1\r\nb", "a\nb", "a\tb", std::string("a\0b", 3), "a\x1f", "\x7f"};

/// What each of the calls is refused with.
void refusedBy(const std::vector<std::function<void()>> &calls, ErrorCode code, const std::string &what) {
    for (std::size_t at = 0; at < calls.size(); ++at) EXPECT_EQ(refusal(calls[at]), code) << at << ": " << what;
}

} // namespace

TEST(Entries, NamesInAnyScriptWork) {
    auto hub = open();
    for (const std::string name : {"living room.temperature", "传感器.温度", "🙂", "a/b"}) {
        auto handler =
            hub.var(name).handle([](std::string_view data) { return std::string(data); }, {.queue = "job worker"});
        hub.var(name).set("1");
        EXPECT_EQ(hub.var(name).req("7").get(), "7") << name;
    }
}

TEST(Entries, NamesThatAreNoneAreRefused) {
    auto hub = open();
    std::vector<std::string> names{"", std::string(129, 'x'), "a\xed\xa0\x80"};
    names.insert(names.end(), controls.begin(), controls.end());
    for (const auto &name : names) {
        refusedBy({[&] { (void)hub.var(name); }, [&] { Hub other(name, here()); }}, ErrorCode::InvalidName, name);
    }
    for (const std::string name : {"a..b", "a.", ".a", "*", ">", "a.*"}) {
        auto variable = hub.var(name);
        variable.set("1");
        refusedBy(
            {[&] { variable.pub("1"); }, [&] { variable.req("1").get(); }, [&] { variable.requestMany("1").get(); }},
            ErrorCode::InvalidTopic, name);
    }
}

TEST(Entries, ControlCharactersGoNowhere) {
    auto hub = open();
    auto variable = hub.var("x");
    for (const auto &bad : controls) {
        refusedBy({[&] { auto sub = variable.sub([] {}, {.queue = bad}); },
                   [&] { auto handler = variable.handle([] {}, {.queue = bad}); }},
                  ErrorCode::InvalidTopic, bad);
        refusedBy({[&] {
                       posthouse::Headers headers{{"x", {bad, "b"}}};
                   },
                   [&] {
                       posthouse::Headers headers{{bad, "x"}};
                   },
                   [&] { posthouse::Headers().append("x", bad); }, [&] { posthouse::Headers().set(bad, "x"); }},
                  ErrorCode::InvalidHeaders, bad);
        refusedBy({[&] { Hub other("x", here({.token = bad})); },
                   [&] { Hub other("x", here({.user = bad, .password = "p"})); },
                   [&] { Hub other("x", here({.user = "u", .password = bad})); }},
                  ErrorCode::InvalidOptions, bad);
    }
}

TEST(Entries, IntegersThatWouldChangeAreRefused) {
    auto hub = open();
    auto variable = hub.var("x");
    for (const std::string bad :
         {"9007199254740992", "-9007199254740993", "1e300", "{\"deep\":[9007199254740992.0]}"}) {
        refusedBy({[&] { variable.set(bad); }}, ErrorCode::InvalidValue, bad);
        refusedBy(
            {[&] { variable.pub(bad); }, [&] { variable.req(bad).get(); }, [&] { variable.requestMany(bad).get(); }},
            ErrorCode::InvalidMessage, bad);
    }
    Box<std::optional<ErrorCode>> codes;
    auto handler = variable.handleDeferred([&](auto, const auto &, text::Deferred later) {
        codes.put(refusal([&] { later.complete("9007199254740992"); }));
        later.complete("9007199254740991");
    });
    EXPECT_EQ(variable.req("1").get(), "9007199254740991");
    EXPECT_EQ(codes.take(), ErrorCode::InvalidMessage);
}

TEST(Entries, SecretsAreToldNowhere) {
    const std::string url = std::getenv("POSTHOUSE_TEST_URL");
    const std::vector<HubOptions> ways{here({.token = "S3CR3T"}), here({.user = "u", .password = "S3CR3T"}),
                                       here({.nkey = "S3CR3T"}),
                                       here({.token = posthouse::Credential([] { return std::string("S3CR3T"); })})};
    for (HubOptions options : ways) {
        std::mutex lock;
        std::string lines;
        options.timeout = 200ms;
        options.onLog = [&](auto, std::string_view code, std::string_view line) {
            const std::lock_guard guard(lock);
            lines.append(code).append(line);
        };
        std::string said;
        {
            Hub hub(fresh(), options);
            try {
                hub.connected();
            } catch (const posthouse::Error &error) {
                said = error.what();
            }
            said += hub.status() + hub.instances().list();
        }
        EXPECT_FALSE(has(said + lines, "S3CR3T"));
    }
}
