//! Opening a hub with the options of a request.
use std::time::Duration;

use posthouse::{Error, Hub};
use serde_json::Value;

/// Opens the hub; does not wait for its connection.
pub fn open(request: &Value) -> Result<Hub, Error> {
    let mut builder = Hub::builder(request["namespace"].as_str());
    let none = serde_json::Map::new();
    let options = request["options"].as_object().unwrap_or(&none);
    for (key, value) in options {
        let text = || value.as_str().unwrap_or_default().to_owned();
        let number = value.as_u64().unwrap_or(0);
        builder = match key.as_str() {
            "servers" => {
                let urls = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                builder.servers(urls.map(str::to_owned))
            }
            "token" => builder.token(text()),
            "nkey" => builder.nkey(text()),
            "user" => builder.user(text(), options["password"].as_str().unwrap_or_default()),
            "password" => builder,
            "timeout" => builder.timeout(Duration::from_millis(number)),
            "peer_timeout" => builder.peer_timeout(Duration::from_millis(number)),
            _ => builder.with_numbers(|numbers| {
                let most = &mut numbers.messaging;
                match key.as_str() {
                    "health_interval" => numbers.health_interval_ms = number,
                    "probe_interval" => numbers.probe_interval_ms = number,
                    "ping_interval" => numbers.ping_interval_ms = number,
                    "ping_missed" => numbers.ping_missed = number as usize,
                    "max_variables" => numbers.max_variables = number as usize,
                    "max_memory_bytes" => numbers.max_memory_bytes = number as usize,
                    "messaging" => {
                        for (key, value) in value.as_object().unwrap_or(&none) {
                            let number = value.as_u64().unwrap_or(0) as usize;
                            match key.as_str() {
                                "subscriptions" => most.subscriptions = number,
                                "requests" => most.requests = number,
                                "pending_messages" => most.pending_messages = number,
                                "pending_bytes" => most.pending_bytes = number,
                                "outbound_bytes" => most.outbound_bytes = number,
                                "payload_bytes" => most.payload_bytes = number,
                                "replies" => most.replies = number,
                                "reply_bytes" => most.reply_bytes = number,
                                _ => {}
                            }
                        }
                    }
                    _ => {}
                }
            }),
        };
    }
    builder.open()
}
