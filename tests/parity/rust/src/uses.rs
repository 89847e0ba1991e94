//! Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.
use crate::given::{Given, Lamp};
use futures_util::StreamExt as _;
use posthouse::*;

// case: hub.open
/// Compiles.
pub fn use_0(Given { namespace, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).open()?;
    Ok(())
}

// case: hub.open
/// Compiles.
pub async fn use_1(Given { namespace, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).connect().await?;
    Ok(())
}

// case: hub.namespace
/// Compiles.
pub fn use_2(Given { hub, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.namespace();
    Ok(())
}

// case: hub.instance_id
/// Compiles.
pub fn use_3(Given { hub, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.instance_id();
    Ok(())
}

// case: hub.var
/// Compiles.
pub fn use_4(Given { hub, name, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.var(name)?;
    Ok(())
}

// case: hub.state
/// Compiles.
pub fn use_5(Given { hub, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.state()?;
    Ok(())
}

// case: hub.status
/// Compiles.
pub fn use_6(Given { hub, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.status()?;
    Ok(())
}

// case: hub.watch
/// Compiles.
pub fn use_7(Given { hub, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.watch();
    Ok(())
}

// case: hub.instances.list
/// Compiles.
pub fn use_8(Given { hub, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.instances().list()?;
    Ok(())
}

// case: hub.instances.watch
/// Compiles.
pub fn use_9(Given { hub, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.instances().watch();
    Ok(())
}

// case: hub.connected
/// Compiles.
pub async fn use_10(
    Given { hub, timeout, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.connected(timeout).await?;
    Ok(())
}

// case: hub.ready
/// Compiles.
pub async fn use_11(Given { hub, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.ready().await?;
    Ok(())
}

// case: hub.flush
/// Compiles.
pub async fn use_12(
    Given { hub, timeout, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.flush(timeout).await?;
    Ok(())
}

// case: hub.drain
/// Compiles.
pub async fn use_13(
    Given { hub, timeout, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.drain(timeout).await?;
    Ok(())
}

// case: hub.close
/// Compiles.
pub async fn use_14(Given { hub, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.close().await?;
    Ok(())
}

// case: hub.scope
/// Compiles.
pub fn use_15(Given { hub, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = drop(hub.clone());
    Ok(())
}

// case: variable.name
/// Compiles.
pub fn use_16(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.name();
    Ok(())
}

// case: variable.value
/// Compiles.
pub fn use_17(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.value()?;
    Ok(())
}

// case: variable.get
/// Compiles.
pub fn use_18(
    Given { variable, fallback, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.get(fallback)?;
    Ok(())
}

// case: variable.get_as
/// Compiles.
pub fn use_19(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.get_as::<Lamp>()?;
    Ok(())
}

// case: variable.set
/// Compiles.
pub fn use_20(Given { variable, value, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.set(value)?;
    Ok(())
}

// case: variable.set_as
/// Compiles.
pub fn use_21(Given { variable, lamp, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.set_as(&lamp)?;
    Ok(())
}

// case: variable.delete
/// Compiles.
pub fn use_22(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.delete()?;
    Ok(())
}

// case: variable.meta
/// Compiles.
pub fn use_23(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.meta()?;
    Ok(())
}

// case: variable.ready
/// Compiles.
pub async fn use_24(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.ready().await?;
    Ok(())
}

// case: variable.watch
/// Compiles.
pub fn use_25(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.watch()?;
    Ok(())
}

// case: variable.watch
/// Compiles.
pub fn use_26(
    Given { variable, callback, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.watch()?.each(callback);
    Ok(())
}

// case: variable.watch_value
/// Compiles.
pub fn use_27(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.watch()?.values();
    Ok(())
}

// case: watch.stop
/// Compiles.
pub fn use_28(Given { guard, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = guard.stop();
    Ok(())
}

// case: watch.iterate
/// Compiles.
pub async fn use_29(Given { watch, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = watch.next().await;
    Ok(())
}

// case: variable.publish
/// Compiles.
pub fn use_30(Given { variable, data, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.publish(data)?;
    Ok(())
}

// case: variable.publish
/// Compiles.
pub fn use_31(
    Given { variable, headers, data, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.publish_with(data, headers)?;
    Ok(())
}

// case: variable.pub_as
/// Compiles.
pub fn use_32(
    Given { variable, headers, lamp, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.pub_as(&lamp, Some(headers))?;
    Ok(())
}

// case: variable.subscribe
/// Compiles.
pub async fn use_33(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.subscribe().await?;
    Ok(())
}

// case: variable.subscribe
/// Compiles.
pub async fn use_34(
    Given { variable, handler, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.subscribe().handler(handler).await?;
    Ok(())
}

// case: variable.subscribe
/// Compiles.
pub async fn use_35(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.sub().await?;
    Ok(())
}

// case: variable.sub_as
/// Compiles.
pub async fn use_36(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.sub_as::<Lamp>().await?;
    Ok(())
}

// case: variable.sub_as
/// Compiles.
pub async fn use_37(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.subscribe().typed::<Lamp>().await?;
    Ok(())
}

// case: variable.sub_as
/// Compiles.
pub fn use_38(Given { message, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = message.data_as::<Lamp>()?;
    Ok(())
}

// case: variable.handle
/// Compiles.
pub async fn use_39(
    Given { variable, answering, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.handle(answering).await?;
    Ok(())
}

// case: variable.request
/// Compiles.
pub async fn use_40(
    Given { variable, data, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request(data).await?;
    Ok(())
}

// case: variable.request
/// Compiles.
pub async fn use_41(
    Given { variable, data, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.req(data).await?;
    Ok(())
}

// case: variable.request
/// Compiles.
pub async fn use_42(
    Given { variable, lamp, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.req_as::<Lamp, _>(&lamp).await?;
    Ok(())
}

// case: variable.request_details
/// Compiles.
pub async fn use_43(
    Given { variable, data, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request(data).detailed().await?;
    Ok(())
}

// case: variable.request_many
/// Compiles.
pub async fn use_44(
    Given { variable, data, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request_many(data).await?;
    Ok(())
}

// case: variable.request_many
/// Compiles.
pub async fn use_45(
    Given { variable, data, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request_many(data).typed::<Lamp>().await?;
    Ok(())
}

// case: variable.request_many_details
/// Compiles.
pub async fn use_46(
    Given { variable, data, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request_many(data).detailed().await?.reason;
    Ok(())
}

// case: request.cancel
/// Compiles.
pub async fn use_47(
    Given { variable, data, signal, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request(data).cancel_on(signal).await?;
    Ok(())
}

// case: request.cancel
/// Compiles.
pub async fn use_48(
    Given { variable, data, signal, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request_many(data).cancel_on(signal).await?;
    Ok(())
}

// case: reply.data
/// Compiles.
pub fn use_49(Given { reply, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = &reply.data;
    Ok(())
}

// case: reply.headers
/// Compiles.
pub fn use_50(Given { reply, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = &reply.headers;
    Ok(())
}

// case: many.replies
/// Compiles.
pub fn use_51(Given { many, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = &many.replies;
    Ok(())
}

// case: many.reason
/// Compiles.
pub fn use_52(Given { many, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = many.reason;
    Ok(())
}

// case: subscription.status
/// Compiles.
pub fn use_53(Given { subscription, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = subscription.status()?;
    Ok(())
}

// case: subscription.status
/// Compiles.
pub fn use_54(Given { listener, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = listener.status()?;
    Ok(())
}

// case: subscription.unsubscribe
/// Compiles.
pub fn use_55(Given { subscription, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = subscription.unsubscribe()?;
    Ok(())
}

// case: subscription.unsubscribe
/// Compiles.
pub fn use_56(Given { listener, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = listener.unsubscribe()?;
    Ok(())
}

// case: subscription.drain
/// Compiles.
pub async fn use_57(
    Given { subscription, timeout, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = subscription.drain(Some(timeout)).await?;
    Ok(())
}

// case: subscription.drain
/// Compiles.
pub async fn use_58(
    Given { listener, timeout, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = listener.drain(timeout).await?;
    Ok(())
}

// case: subscription.iterate
/// Compiles.
pub async fn use_59(
    Given { subscription, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = subscription.next().await;
    Ok(())
}

// case: subscription.scope
/// Compiles.
pub fn use_60(
    Given { owned_subscription, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = drop(owned_subscription);
    Ok(())
}

// case: subscription.scope
/// Compiles.
pub fn use_61(Given { owned_listener, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = drop(owned_listener);
    Ok(())
}

// case: context.topic
/// Compiles.
pub fn use_62(Given { message, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = message.topic();
    Ok(())
}

// case: context.headers
/// Compiles.
pub fn use_63(Given { message, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = message.headers();
    Ok(())
}

// case: context.reply
/// Compiles.
pub fn use_64(Given { message, data, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = message.reply(data)?;
    Ok(())
}

// case: context.reply
/// Compiles.
pub fn use_65(
    Given { message, headers, data, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = message.reply_with(data, headers)?;
    Ok(())
}

// case: context.reply
/// Compiles.
pub fn use_66(
    Given { message, headers, lamp, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = message.reply_as(&lamp, Some(headers))?;
    Ok(())
}

// case: context.reply_headers
/// Compiles.
pub fn use_67(Given { headers, lamp, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Answer::new(&lamp).with_headers(headers.clone());
    Ok(())
}

// case: headers.new
/// Compiles.
pub fn use_68(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Headers::new();
    Ok(())
}

// case: headers.get
/// Compiles.
pub fn use_69(Given { headers, name, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = headers.get(name);
    Ok(())
}

// case: headers.get_all
/// Compiles.
pub fn use_70(Given { headers, name, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = headers.get_all(name).count();
    Ok(())
}

// case: headers.entries
/// Compiles.
pub fn use_71(Given { headers, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = headers.iter().count();
    Ok(())
}

// case: headers.entries
/// Compiles.
pub fn use_72(Given { headers, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = headers.len();
    Ok(())
}

// case: headers.entries
/// Compiles.
pub fn use_73(Given { headers, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = headers.is_empty();
    Ok(())
}

// case: headers.set
/// Compiles.
pub fn use_74(
    Given { made_headers, name, text, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = made_headers.insert(name, text)?;
    Ok(())
}

// case: headers.append
/// Compiles.
pub fn use_75(
    Given { made_headers, name, text, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = made_headers.append(name, text)?;
    Ok(())
}

// case: error.code
/// Compiles.
pub fn use_76(Given { error, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = error.code();
    Ok(())
}

// case: error.message
/// Compiles.
pub fn use_77(Given { error, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = error.message();
    Ok(())
}

// case: error.limit
/// Compiles.
pub fn use_78(Given { error, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = error.limit();
    Ok(())
}

// case: error.actual
/// Compiles.
pub fn use_79(Given { error, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = error.actual();
    Ok(())
}

// case: error.partial_replies
/// Compiles.
pub fn use_80(Given { collect_error, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = &collect_error.partial_replies;
    Ok(())
}

// case: code.name
/// Compiles.
pub fn use_81(Given { error, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = error.code().as_str();
    Ok(())
}

// case: code.name
/// Compiles.
pub fn use_82(Given { collect_error, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = &collect_error.error;
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub async fn use_83(Given { hub, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = hub.owned_node().await;
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_84(Given { namespace, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).numbers(HubOptions::default());
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_85(Given { namespace, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).with_numbers(|numbers| numbers.ping_missed = 2);
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_86(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.hub();
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_87(Given { change, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = change.value();
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_88(Given { change, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = change.value_as::<Lamp>()?;
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_89(Given { change, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = &change.meta;
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub async fn use_90(Given { typed, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = typed.next().await;
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_91(Given { owned_typed, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = owned_typed.into_inner();
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_92(Given { message, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = message.data();
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_93(Given { message, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = message.payload();
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_94(Given { message, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = message.is_request();
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_95(Given { subscription, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = subscription.name();
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_96(Given { listener, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = listener.name();
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_97(Given { subscription, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = subscription.error();
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_98(Given { listener, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = listener.error();
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_99(Given { owned_listener, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = owned_listener.detach();
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_100(Given { error, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Error::new(error.code(), text);
    Ok(())
}

// case: beyond the contract
/// Compiles.
pub fn use_101(Given { error, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Error::over(error.code(), text, 1, 2);
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_102(Given { namespace, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).servers([text]);
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_103(Given { namespace, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).node(NodeMode::Auto);
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_104(Given { namespace, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).token(text);
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_105(Given { namespace, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).user(text, text);
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_106(Given { namespace, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).user(text, text);
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_107(Given { namespace, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).nkey(text);
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_108(Given { namespace, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).credentials(text);
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_109(Given { namespace, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).ca_file(text);
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_110(
    Given { timeout, namespace, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).timeout(timeout);
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_111(
    Given { timeout, namespace, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).peer_timeout(timeout);
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_112(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = HubOptions::default().health_interval_ms;
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_113(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = HubOptions::default().probe_interval_ms;
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_114(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = HubOptions::default().ping_interval_ms;
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_115(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = HubOptions::default().ping_missed;
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_116(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = HubOptions::default().max_variables;
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_117(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = HubOptions::default().max_memory_bytes;
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_118(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = HubOptions::default().max_instances;
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_119(Given { namespace, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).selection(Selection::default());
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_120(Given { namespace, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).messaging(MessagingLimits::default());
    Ok(())
}

// case: options: hub
/// Compiles.
pub fn use_121(
    Given { namespace, on_error, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).on_callback_error(on_error);
    Ok(())
}

// case: options: tls
/// Compiles.
pub fn use_122(Given { namespace, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).ca_file(text);
    Ok(())
}

// case: options: tls
/// Compiles.
pub fn use_123(Given { namespace, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).client_certificate(text, text);
    Ok(())
}

// case: options: tls
/// Compiles.
pub fn use_124(Given { namespace, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).client_certificate(text, text);
    Ok(())
}

// case: options: tls
/// Compiles.
pub fn use_125(Given { namespace, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Hub::builder(namespace).tls_handshake_first(true);
    Ok(())
}

// case: options: selection
/// Compiles.
pub fn use_126(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Selection::default().improvement_ms;
    Ok(())
}

// case: options: selection
/// Compiles.
pub fn use_127(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Selection::default().improvement_ratio;
    Ok(())
}

// case: options: selection
/// Compiles.
pub fn use_128(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Selection::default().cooldown_ms;
    Ok(())
}

// case: options: messaging
/// Compiles.
pub fn use_129(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = MessagingLimits::default().subscriptions;
    Ok(())
}

// case: options: messaging
/// Compiles.
pub fn use_130(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = MessagingLimits::default().requests;
    Ok(())
}

// case: options: messaging
/// Compiles.
pub fn use_131(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = MessagingLimits::default().pending_messages;
    Ok(())
}

// case: options: messaging
/// Compiles.
pub fn use_132(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = MessagingLimits::default().pending_bytes;
    Ok(())
}

// case: options: messaging
/// Compiles.
pub fn use_133(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = MessagingLimits::default().outbound_bytes;
    Ok(())
}

// case: options: messaging
/// Compiles.
pub fn use_134(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = MessagingLimits::default().payload_bytes;
    Ok(())
}

// case: options: messaging
/// Compiles.
pub fn use_135(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = MessagingLimits::default().header_bytes;
    Ok(())
}

// case: options: messaging
/// Compiles.
pub fn use_136(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = MessagingLimits::default().header_entries;
    Ok(())
}

// case: options: messaging
/// Compiles.
pub fn use_137(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = MessagingLimits::default().replies;
    Ok(())
}

// case: options: messaging
/// Compiles.
pub fn use_138(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = MessagingLimits::default().reply_bytes;
    Ok(())
}

// case: options: subscription
/// Compiles.
pub fn use_139(Given { variable, text, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.subscribe().queue(text);
    Ok(())
}

// case: options: subscription
/// Compiles.
pub fn use_140(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.subscribe().pending_messages(1);
    Ok(())
}

// case: options: subscription
/// Compiles.
pub fn use_141(Given { variable, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.subscribe().pending_bytes(1);
    Ok(())
}

// case: options: subscription
/// Compiles.
pub fn use_142(
    Given { variable, timeout, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.subscribe().timeout(timeout);
    Ok(())
}

// case: options: request
/// Compiles.
pub fn use_143(
    Given { variable, data, timeout, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request(data).timeout(timeout);
    Ok(())
}

// case: options: request
/// Compiles.
pub fn use_144(
    Given { variable, headers, data, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request(data).headers(headers.clone());
    Ok(())
}

// case: options: request many
/// Compiles.
pub fn use_145(
    Given { variable, data, timeout, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request_many(data).timeout(timeout);
    Ok(())
}

// case: options: request many
/// Compiles.
pub fn use_146(Given { variable, data, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request_many(data).max_replies(1);
    Ok(())
}

// case: options: request many
/// Compiles.
pub fn use_147(Given { variable, data, .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request_many(data).max_bytes(1);
    Ok(())
}

// case: options: request many
/// Compiles.
pub fn use_148(
    Given { variable, headers, data, .. }: Given<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    _ = variable.request_many(data).headers(headers.clone());
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_149(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::InvalidOptions;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_150(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::InvalidName;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_151(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::InvalidTopic;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_152(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::InvalidValue;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_153(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::InvalidHeaders;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_154(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::InvalidMessage;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_155(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::InvalidServer;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_156(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::InvalidRecord;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_157(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::VersionCollision;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_158(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::ValueTooLarge;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_159(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::MessageTooLarge;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_160(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::MemoryFull;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_161(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::BufferOverflow;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_162(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::SlowConsumer;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_163(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::Timeout;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_164(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::Cancelled;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_165(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::Disconnected;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_166(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::Draining;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_167(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::DrainTimeout;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_168(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::DrainInHandler;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_169(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::BlockingInHandler;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_170(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::Closed;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_171(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::NoResponders;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_172(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::NoReplySubject;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_173(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::PermissionDenied;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_174(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::AuthFailed;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_175(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::HandlerError;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_176(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::Forked;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_177(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::Unsupported;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_178(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::ClockRequired;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_179(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::Internal;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_180(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBinding;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_181(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::Deployment;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_182(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBodyJson;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_183(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBodyUnicode;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_184(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBodyReserved;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_185(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBodySize;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_186(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBodyDepth;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_187(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueDelay;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_188(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBatchJson;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_189(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBatchCount;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_190(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBatchItem;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_191(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBatchSize;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_192(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBatchText;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_193(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueStore;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_194(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueNoEvent;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_195(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueBodyNotJson;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_196(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueIndex;
    Ok(())
}

// case: error codes
/// Compiles.
pub fn use_197(Given { .. }: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {
    _ = Code::QueueLeaseLost;
    Ok(())
}
