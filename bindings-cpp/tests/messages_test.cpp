// Events, requests, handlers, contexts, deferred answers.
#include "common.hpp"

#include <thread>

namespace text = posthouse::text;

TEST(Messages, EventsReachSubscribersWithTheirContext) {
    auto hub = open();
    Box<std::pair<std::string, std::string>> seen;
    std::optional<text::Context> kept;
    auto subscription = hub.var("a.*").sub([&](std::string_view data, const text::Context &context) {
        if (!kept) kept = context;
        seen.put({std::string(data), context.topic() + context.headers().get("X-Tag").value_or("-")});
    });
    hub.var("a.b").pub("[1, 2]", {{"x-tag", {"one", "two"}}});
    hub.var("a.c").pub();
    EXPECT_EQ(seen.take(), std::pair(std::string("[1,2]"), std::string("a.bone")));
    EXPECT_EQ(seen.take(), std::pair(std::string("null"), std::string("a.c-")));
    // Kept contexts can be read but not used for sending.
    EXPECT_EQ(kept->headers().getAll("x-tag"), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(refusal([&] { kept->reply("1"); }), ErrorCode::Closed);
}

TEST(Messages, ARequestIsAnsweredByWhatTheHandlerReturns) {
    auto hub = open();
    auto echo = hub.var("echo").handle([](std::string_view data) { return std::string(data); });
    auto nothing = hub.var("nothing").handle([](std::string_view) {});
    auto headers = hub.var("headers").handle([](std::string_view, text::HandleContext &context) {
        context.replyHeaders().set("served-by", context.headers().get("who").value_or("nobody"));
        return "true";
    });
    EXPECT_EQ(hub.var("echo").req("{\"a\":1}").get(), "{\"a\":1}");
    EXPECT_EQ(hub.var("nothing").req().get(), "null");
    const auto reply = hub.var("headers").requestDetails("1", {.headers = {{"Who", "me"}}}).get();
    EXPECT_EQ(reply.data, "true");
    EXPECT_EQ(reply.headers.get("SERVED-BY"), "me");
    EXPECT_EQ(refusal([&] { hub.var("unused").req("1").get(); }), ErrorCode::NoResponders);
    EXPECT_EQ(refusal([&] { hub.var("echo").req("not json").get(); }), ErrorCode::InvalidMessage);
    EXPECT_EQ(refusal([&] { hub.var("a.*").req("1").get(); }), ErrorCode::InvalidTopic);
}

TEST(Messages, CollectionsGiveRepliesTheirReasonAndWhatCameBeforeAFailure) {
    auto hub = open();
    auto subscription = hub.var("x").sub([](std::string_view, const text::Context &context) {
        for (const char *body : {"\"one\"", "\"two\"", "\"three\""}) context.reply(body);
    });
    const auto three = hub.var("x").requestManyDetails("1", {.maxReplies = 3}).get();
    EXPECT_EQ(three.replies.size(), 3U);
    EXPECT_EQ(three.reason, posthouse::Reason::maxReplies);
    const auto all = hub.var("x").requestMany("1", {.timeout = 300ms}).get();
    EXPECT_EQ(all, (std::vector<std::string>{"\"one\"", "\"two\"", "\"three\""}));
    try {
        (void)hub.var("x").requestMany("1", {.maxBytes = 11}).get();
        FAIL() << "the answers are larger than that";
    } catch (const posthouse::Error &error) {
        EXPECT_EQ(error.name(), "BUFFER_OVERFLOW");
        ASSERT_EQ(error.partialReplies().size(), 2U);
        EXPECT_EQ(error.partialReplies()[1].data, "\"two\"");
        EXPECT_EQ(error.limit(), 11);
    }
}

TEST(Messages, ADeferredAnswerComesFromAnyThreadOnce) {
    auto hub = open();
    Box<text::Deferred> open_;
    auto handler = hub.var("x").handleDeferred(
        [&](std::string_view, const text::Context &, text::Deferred deferred) { open_.put(std::move(deferred)); });
    auto first = hub.var("x").req("1");
    auto second = hub.var("x").req("2");
    auto deferred = open_.take();
    // The subscription delivers one at a time, and this one is not done with.
    hub.flush();
    EXPECT_TRUE(open_.empty());
    EXPECT_EQ(refusal([&] { deferred.complete("no json"); }), ErrorCode::InvalidMessage);
    std::thread([copy = deferred] { copy.complete("\"late\"", {{"by", "another thread"}}); }).join();
    EXPECT_EQ(first.get(), "\"late\"");
    EXPECT_EQ(refusal([&] { deferred.complete("2"); }), ErrorCode::Closed);
    open_.take().complete();
    EXPECT_EQ(second.get(), "null");
}

TEST(Messages, ADeferredAnswerThatIsCancelledOrDroppedIsNone) {
    auto hub = open();
    Box<text::Deferred> open_;
    auto handler = hub.var("x").handleDeferred(
        [&](std::string_view, const text::Context &, text::Deferred deferred) { open_.put(std::move(deferred)); });
    const posthouse::RequestOptions soon{.timeout = 200ms};
    auto cancelled = hub.var("x").req("1", soon);
    open_.take().cancel();
    auto dropped = hub.var("x").req("2", soon);
    static_cast<void>(open_.take());
    auto failed = hub.var("x").req("3", soon);
    open_.take().fail("told to");
    EXPECT_EQ(refusal([&] { cancelled.get(); }), ErrorCode::Timeout);
    EXPECT_EQ(refusal([&] { dropped.get(); }), ErrorCode::Timeout);
    EXPECT_EQ(refusal([&] { failed.get(); }), ErrorCode::Timeout);
    EXPECT_TRUE(has(hub.status(), "HANDLER_ERROR"));
    auto answered = hub.var("x").req("4");
    open_.take().complete("4");
    EXPECT_EQ(answered.get(), "4");
}

TEST(Messages, ADrainWaitsForWhatIsDeferred) {
    auto hub = open();
    Hub other(hub.namespaceName(), here());
    other.connected();
    Box<text::Deferred> open_;
    auto handler = other.var("x").handleDeferred(
        [&](std::string_view, const text::Context &, text::Deferred deferred) { open_.put(std::move(deferred)); });
    auto request = hub.var("x").req("1");
    auto deferred = open_.take();
    auto drained = other.drainAsync();
    EXPECT_TRUE(eventually([&] { return has(other.status(), "draining"); }));
    deferred.complete("\"kept\"");
    drained.get();
    EXPECT_EQ(request.get(), "\"kept\"");
}

TEST(Messages, ACancelledOrForgottenRequestLeavesNothing) {
    auto hub = open();
    Box<text::Deferred> open_;
    auto handler = hub.var("x").handleDeferred(
        [&](std::string_view, const text::Context &, text::Deferred deferred) { open_.put(std::move(deferred)); });
    auto request = hub.var("x").req("1");
    request.cancel();
    EXPECT_EQ(refusal([&] { request.get(); }), ErrorCode::Cancelled);
    { auto forgotten = hub.var("x").req("2"); }
    EXPECT_TRUE(eventually([&] { return has(hub.status(), "\"pendingRequests\":0"); }));
}

TEST(Messages, QueueGroupsShare) {
    auto hub = open();
    std::atomic<int> shared = 0, all = 0;
    const auto count = [](std::atomic<int> &counter) { return [&counter] { ++counter; }; };
    auto one = hub.var("job").sub(count(shared), {.queue = "q"});
    auto two = hub.var("job").sub(count(shared), {.queue = "q"});
    auto auditor = hub.var("job").sub(count(all));
    for (int job = 0; job < 20; ++job) hub.var("job").pub(std::to_string(job));
    EXPECT_TRUE(eventually([&] { return shared == 20 && all == 20; }));
}
