// The face with a JSON library.
#include "common.hpp"

#include <posthouse/json.hpp>

#include <cmath>
#include <limits>

using posthouse::Json;

TEST(Json, ValuesAreThoseOfTheLibraryBothWays) {
    posthouse::Hub hub(fresh(), here());
    hub.connected();
    auto echo = hub.var("echo").handle([](Json data) { return data; });
    for (const char *text :
         {"null", "true", "-1", "9007199254740991", "0.1", "1e-300", "\"\\u0000\\n\\\"\\\\ \xc3\xa4 \xf0\x9f\x98\x80\"",
          "[]", "{}", "[1,[2,{\"a\":[]}],\"x\"]", "{\"\":0,\"b\":{\"c\":null}}"}) {
        const Json value = Json::parse(text);
        EXPECT_EQ(hub.var("echo").req(value).get(), value) << text;
        hub.var("state").set(value);
        EXPECT_EQ(hub.var("state").value(), value) << text;
    }
    auto typed = hub.var("typed").handle([](int number) { return number + 1; });
    EXPECT_EQ(hub.var("typed").req(6).get().get<int>(), 7);
    hub.var("state").set({1, 2, 3});
    EXPECT_EQ(hub.var("state").get<std::vector<int>>(), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(hub.var("absent").get<int>(), std::nullopt);
    EXPECT_EQ(hub.status()["connection"], "connected");
}

TEST(Json, WhatIsNoJsonIsRefusedEverywhere) {
    posthouse::Hub hub(fresh(), here());
    hub.connected();
    auto lamp = hub.var("lamp");
    const std::vector<Json> all{std::nan(""),
                                std::numeric_limits<double>::infinity(),
                                Json::binary({1, 2}),
                                "\xed\xa0\x80",
                                9007199254740993LL,
                                Json{{"deep", {1, std::nan("")}}},
                                std::numeric_limits<std::uint64_t>::max()};
    for (const Json &bad : all) {
        EXPECT_EQ(refusal([&] { lamp.set(bad); }), ErrorCode::InvalidValue);
        EXPECT_EQ(refusal([&] { lamp.pub(bad); }), ErrorCode::InvalidMessage);
        EXPECT_EQ(refusal([&] { lamp.req(bad).get(); }), ErrorCode::InvalidMessage);
    }
}

TEST(Json, WriterAndReaderAgreeWithTheLibrary) {
    for (const char *text :
         {"{\"a\":[1,-2,3.5,true,false,null,\"\\b\\u001f\\t/\"],\"\":{},\"z\":[[]]}",
          " [ 1 , { \"a\" : [ ] } , -0 , 1E2, 0.1e-3 ] ", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\u4f20\\ud83d\\ude00\"",
          "{\"a\":1,\"a\":2}", "-9007199254740991", "1e-320", "\"\"", "{}", "[]", "[[[[1]]],{\"x\":{\"y\":[{}]}}]"}) {
        const Json wanted = Json::parse(text), read = posthouse::detail::parse<Json>(text);
        EXPECT_EQ(read, wanted) << text;
        EXPECT_EQ(read.type(), wanted.type()) << text;
        std::string written;
        posthouse::detail::write(read, written);
        EXPECT_EQ(Json::parse(written), wanted) << text;
    }
}

TEST(Json, TheReaderStaysInsideAnyText) {
    const std::string text = "{\"a\":[1.5e3,\"x\\ud83d\\ude00\\n\",true,null,{\"b\":false}]}";
    for (std::size_t from = 0; from < text.size(); ++from) {
        for (std::size_t to = from; to <= text.size(); ++to) {
            // A copy of just this size: a sanitizer sees what is read outside it.
            const std::vector<char> part(text.begin() + static_cast<std::ptrdiff_t>(from),
                                         text.begin() + static_cast<std::ptrdiff_t>(to));
            static_cast<void>(posthouse::detail::parse<Json>(std::string_view(part.data(), part.size())));
        }
    }
}
