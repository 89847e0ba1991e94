//! The compiled half of the Node package: functions on numbers and texts.
//!
//! Hubs, variables, subscriptions and operations are numbers on the JavaScript side; bodies are JSON
//! texts, written by `JSON.stringify` and read by `JSON.parse` there. What happens comes in batches:
//! Node is woken once, and fetches everything that waits as one text. Threads of Posthouse never call
//! into JavaScript; they only wake the event loop.
//!
//! This sits on Node-API itself (`napi-sys`, the bottom half of napi-rs): every function takes
//! numbers and texts only, so there is nothing for a layer of classes and conversions to do. All of it is in
//! `js` and `call`, and nothing else here is unsafe but the wake in `wake`.
mod call;
mod events;
mod headers;
mod hub;
mod js;
mod options;
mod queue;
mod state;
mod subscription;
mod text;
mod variable;
mod wake;

use napi_sys as sys;

/// What Node calls when it loads the addon, once for every environment.
///
/// # Safety
/// To be called by Node alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_register_module_v1(
    env: sys::napi_env,
    exports: sys::napi_value,
) -> sys::napi_value {
    // SAFETY: Node passes a live environment, on its thread.
    let env = unsafe { js::Env::new(env) };
    if state::install(env).is_some() {
        for (name, function) in hub::FUNCTIONS
            .iter()
            .chain(variable::FUNCTIONS)
            .chain(subscription::FUNCTIONS)
            .chain(queue::FUNCTIONS)
            .chain(state::FUNCTIONS)
        {
            env.export(exports, name, *function);
        }
    }
    exports
}

/// The version of Node-API that the addon needs: that of Node 20 and everything later.
#[unsafe(no_mangle)]
pub extern "C" fn node_api_module_get_api_version_v1() -> i32 {
    8
}
