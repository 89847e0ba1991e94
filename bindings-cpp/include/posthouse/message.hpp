/// @file
/// What handlers get besides the data: the context of a message, and the duty to end it later.
#ifndef POSTHOUSE_MESSAGE_HPP
#define POSTHOUSE_MESSAGE_HPP

#include <posthouse.h>
#include <posthouse/error.hpp>
#include <posthouse/headers.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace posthouse {

/// What belongs to a message besides its data. May be copied and kept: what came stays readable, but nothing
/// can be sent once the handler has ended.
template <class Codec>
class BasicContext {
public:
    explicit BasicContext(const posthouse_message_t *message)
        : message_(posthouse_message_clone(message), detail::Free<posthouse_message_free>()),
          headers_(Headers::copy(posthouse_message_headers(message))) {}

    /// The name that the message was sent to: where a pattern was subscribed to, one of many.
    [[nodiscard]] std::string topic() const {
        return std::string(detail::view(posthouse_message_topic(message_.get())));
    }
    [[nodiscard]] const Headers &headers() const noexcept { return headers_; }
    /// Whether it is a request.
    [[nodiscard]] bool wantsAnswer() const noexcept { return posthouse_message_wants_answer(message_.get()); }

    /// Sends one answer, in a subscription, while its handler runs; any number of times.
    /// `NO_REPLY_SUBJECT`, `CLOSED`, `DISCONNECTED`, `INVALID_MESSAGE`, `MESSAGE_TOO_LARGE`, `BUFFER_OVERFLOW`.
    void reply(typename Codec::Given data, const Headers &headers = {}) const {
        Codec::encode(data, [&](posthouse_str_t body) {
            detail::call<posthouse_message_reply>(static_cast<const posthouse_message_t *>(message_.get()), body,
                                                  headers.given());
        });
    }

private:
    std::shared_ptr<posthouse_message_t> message_;
    Headers headers_;
};

/// The context of a request that a handler answers with what it returns.
template <class Codec>
class BasicHandleContext {
public:
    explicit BasicHandleContext(const posthouse_message_t *message)
        : message_(posthouse_message_clone(message), detail::Free<posthouse_message_free>()),
          headers_(Headers::copy(posthouse_message_headers(message))) {}

    /// The name that the message was sent to.
    [[nodiscard]] std::string topic() const {
        return std::string(detail::view(posthouse_message_topic(message_.get())));
    }
    [[nodiscard]] const Headers &headers() const noexcept { return headers_; }
    /// Headers that go with the answer.
    [[nodiscard]] Headers &replyHeaders() noexcept { return replyHeaders_; }

private:
    std::shared_ptr<posthouse_message_t> message_;
    Headers headers_;
    Headers replyHeaders_;
};

/// A message whose handling ends later than its handler: when it is completed or cancelled, on any thread,
/// or when the last copy is gone, which cancels. Until then its subscription delivers no other message.
template <class Codec>
class BasicDeferred {
public:
    explicit BasicDeferred(const posthouse_message_t *message) {
        posthouse_deferred_t *deferred = nullptr;
        detail::call<posthouse_message_defer>(message, &deferred);
        deferred_.reset(deferred, detail::Free<posthouse_deferred_free>());
    }

    /// Answers with JSON null, or in a subscription just ends. `CLOSED` the second time.
    void complete() const { complete(posthouse_str_t{nullptr, 0}, Headers()); }
    /// Answers, once. `INVALID_MESSAGE` leaves it open; `CLOSED` the second time; as `BasicContext::reply`.
    void complete(typename Codec::Given data, const Headers &headers = {}) const {
        Codec::encode(data, [&](posthouse_str_t body) { complete(body, headers); });
    }
    /// Ends as failed: reported as `HANDLER_ERROR` with this text, without an answer.
    void fail(std::string_view what) const noexcept { posthouse_deferred_fail(deferred_.get(), detail::toC(what)); }
    /// Ends without an answer: the caller may run into its time-out.
    void cancel() const noexcept { posthouse_deferred_cancel(deferred_.get()); }

private:
    void complete(posthouse_str_t body, const Headers &headers) const {
        detail::call<posthouse_deferred_complete>(static_cast<const posthouse_deferred_t *>(deferred_.get()), body,
                                                  headers.given());
    }

    std::shared_ptr<posthouse_deferred_t> deferred_;
};

} // namespace posthouse

#endif
