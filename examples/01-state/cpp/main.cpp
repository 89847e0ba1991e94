// State: a value that every program of the namespace shares.
#include <posthouse/json.hpp>

#include <functional>
#include <future>
#include <iostream>
#include <optional>

using posthouse::Json;

namespace {

/// Waits until a watch shows what is wanted.
void until(const posthouse::Variable &variable, const std::function<bool(const std::optional<Json> &)> &wanted) {
    std::promise<void> seen;
    bool told = false;
    const auto watch = variable.watchValue([&](const std::optional<Json> &value) {
        if (wanted(value) && !told) {
            told = true;
            seen.set_value();
        }
    });
    seen.get_future().wait();
}

} // namespace

int main() {
    // Two programs would have a hub each; here both are in one.
    posthouse::Hub workshop("example-state");
    posthouse::Hub office("example-state");
    workshop.connected();
    office.connected();

    // [cut]
    auto lamp = workshop.var("lamp");
    std::cout << "before: " << lamp.get("nothing") << "\n";

    // A watch fires with the present state first, then after every change.
    auto seen = office.var("lamp");
    lamp.set({{"on", true}, {"level", 0.8}});
    until(seen, [](const auto &value) { return value.has_value(); });
    std::cout << "office sees: " << seen.get(nullptr) << "\n";

    // Falsy values are values.
    seen.set(0);
    until(lamp, [](const auto &value) { return value == Json(0); });
    std::cout << "workshop sees: " << lamp.get("nothing") << "\n";

    lamp.erase();
    until(seen, [](const auto &value) { return !value.has_value(); });
    std::cout << "after: " << seen.get("nothing") << "\n";
    // [/cut]
    workshop.drain();
    office.drain();
}
