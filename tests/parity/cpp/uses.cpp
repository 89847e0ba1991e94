// Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.
// clang-format off
#include "given.hpp"

// case: hub.open
void use_0();
void use_0() {
    static_cast<void>(Hub(namespaceName, hubOptions));
}

// case: hub.namespace
void use_1();
void use_1() {
    static_cast<void>(hub.namespaceName());
}

// case: hub.instance_id
void use_2();
void use_2() {
    static_cast<void>(hub.instanceId());
}

// case: hub.var
void use_3();
void use_3() {
    static_cast<void>(hub.var(name));
}

// case: hub.state
void use_4();
void use_4() {
    static_cast<void>(hub.state());
}

// case: hub.status
void use_5();
void use_5() {
    static_cast<void>(hub.status());
}

// case: hub.watch
void use_6();
void use_6() {
    static_cast<void>(hub.watch(callback));
}

// case: hub.instances.list
void use_7();
void use_7() {
    static_cast<void>(hub.instances().list());
}

// case: hub.instances.watch
void use_8();
void use_8() {
    static_cast<void>(hub.instances().watch(callback));
}

// case: hub.connected
void use_9();
void use_9() {
    static_cast<void>(hub.connected(timeout));
}

// case: hub.connected
void use_10();
void use_10() {
    static_cast<void>(hub.connectedAsync(timeout));
}

// case: hub.ready
void use_11();
void use_11() {
    static_cast<void>(hub.ready(timeout));
}

// case: hub.ready
void use_12();
void use_12() {
    static_cast<void>(hub.readyAsync(timeout));
}

// case: hub.flush
void use_13();
void use_13() {
    static_cast<void>(hub.flush(timeout));
}

// case: hub.flush
void use_14();
void use_14() {
    static_cast<void>(hub.flushAsync(timeout));
}

// case: hub.drain
void use_15();
void use_15() {
    static_cast<void>(hub.drain(timeout));
}

// case: hub.drain
void use_16();
void use_16() {
    static_cast<void>(hub.drainAsync(timeout));
}

// case: hub.close
void use_17();
void use_17() {
    static_cast<void>(hub.close());
}

// case: hub.scope
void use_18();
void use_18() {
    static_cast<void>(Hub(namespaceName).close());
}

// case: variable.name
void use_19();
void use_19() {
    static_cast<void>(variable.name());
}

// case: variable.value
void use_20();
void use_20() {
    static_cast<void>(variable.value());
}

// case: variable.get
void use_21();
void use_21() {
    static_cast<void>(variable.get(fallback));
}

// case: variable.get
void use_22();
void use_22() {
    static_cast<void>(variable.get());
}

// case: variable.get_as
void use_23();
void use_23() {
    static_cast<void>(variable.get<Lamp>());
}

// case: variable.set
void use_24();
void use_24() {
    static_cast<void>(variable.set(value));
}

// case: variable.set_as
void use_25();
void use_25() {
    static_cast<void>(variable.set(lamp));
}

// case: variable.delete
void use_26();
void use_26() {
    static_cast<void>(variable.erase());
}

// case: variable.meta
void use_27();
void use_27() {
    static_cast<void>(variable.meta());
}

// case: variable.ready
void use_28();
void use_28() {
    static_cast<void>(variable.ready(timeout));
}

// case: variable.ready
void use_29();
void use_29() {
    static_cast<void>(variable.readyAsync(timeout));
}

// case: variable.watch
void use_30();
void use_30() {
    static_cast<void>(variable.watch(onState));
}

// case: variable.watch_value
void use_31();
void use_31() {
    static_cast<void>(variable.watchValue(onValue));
}

// case: watch.stop
void use_32();
void use_32() {
    static_cast<void>(watch.stop());
}

// case: variable.publish
void use_33();
void use_33() {
    static_cast<void>(variable.publish(data, headers));
}

// case: variable.publish
void use_34();
void use_34() {
    static_cast<void>(variable.pub(data, headers));
}

// case: variable.publish
void use_35();
void use_35() {
    static_cast<void>(variable.publish());
}

// case: variable.publish
void use_36();
void use_36() {
    static_cast<void>(variable.pub());
}

// case: variable.pub_as
void use_37();
void use_37() {
    static_cast<void>(variable.pub(lamp, headers));
}

// case: variable.subscribe
void use_38();
void use_38() {
    static_cast<void>(variable.subscribe(handler, subscriptionOptions));
}

// case: variable.subscribe
void use_39();
void use_39() {
    static_cast<void>(variable.sub(handler, subscriptionOptions));
}

// case: variable.subscribe
void use_40();
void use_40() {
    static_cast<void>(variable.subscribeAsync(handler, subscriptionOptions));
}

// case: variable.sub_as
void use_41();
void use_41() {
    static_cast<void>(variable.sub(onLamp));
}

// case: variable.handle
void use_42();
void use_42() {
    static_cast<void>(variable.handle(answering, subscriptionOptions));
}

// case: variable.handle
void use_43();
void use_43() {
    static_cast<void>(variable.handleAsync(answering, subscriptionOptions));
}

// case: variable.handle_deferred
void use_44();
void use_44() {
    static_cast<void>(variable.handleDeferred(deferring, subscriptionOptions));
}

// case: variable.handle_deferred
void use_45();
void use_45() {
    static_cast<void>(variable.handleDeferredAsync(deferring, subscriptionOptions));
}

// case: variable.handle_deferred
void use_46();
void use_46() {
    static_cast<void>(variable.subscribeDeferred(deferring, subscriptionOptions));
}

// case: variable.handle_deferred
void use_47();
void use_47() {
    static_cast<void>(variable.subscribeDeferredAsync(deferring, subscriptionOptions));
}

// case: deferred.complete
void use_48();
void use_48() {
    static_cast<void>(deferred.complete(data, headers));
}

// case: deferred.complete
void use_49();
void use_49() {
    static_cast<void>(deferred.complete());
}

// case: deferred.fail
void use_50();
void use_50() {
    static_cast<void>(deferred.fail(what));
}

// case: deferred.cancel
void use_51();
void use_51() {
    static_cast<void>(deferred.cancel());
}

// case: variable.request
void use_52();
void use_52() {
    static_cast<void>(variable.request(data, requestOptions));
}

// case: variable.request
void use_53();
void use_53() {
    static_cast<void>(variable.req(data, requestOptions));
}

// case: variable.request
void use_54();
void use_54() {
    static_cast<void>(variable.request());
}

// case: variable.request
void use_55();
void use_55() {
    static_cast<void>(variable.req());
}

// case: variable.request_details
void use_56();
void use_56() {
    static_cast<void>(variable.requestDetails(data, requestOptions));
}

// case: variable.request_many
void use_57();
void use_57() {
    static_cast<void>(variable.requestMany(data, requestManyOptions));
}

// case: variable.request_many_details
void use_58();
void use_58() {
    static_cast<void>(variable.requestManyDetails(data, requestManyOptions));
}

// case: request.cancel
void use_59();
void use_59() {
    static_cast<void>(request.cancel());
}

// case: reply.data
void use_60();
void use_60() {
    static_cast<void>(reply.data);
}

// case: reply.headers
void use_61();
void use_61() {
    static_cast<void>(reply.headers);
}

// case: many.replies
void use_62();
void use_62() {
    static_cast<void>(many.replies);
}

// case: many.reason
void use_63();
void use_63() {
    static_cast<void>(many.reason);
}

// case: subscription.status
void use_64();
void use_64() {
    static_cast<void>(subscription.status());
}

// case: subscription.unsubscribe
void use_65();
void use_65() {
    static_cast<void>(subscription.unsubscribe());
}

// case: subscription.drain
void use_66();
void use_66() {
    static_cast<void>(subscription.drain(timeout));
}

// case: subscription.drain
void use_67();
void use_67() {
    static_cast<void>(subscription.drainAsync(timeout));
}

// case: subscription.scope
void use_68();
void use_68() {
    static_cast<void>(Subscription(std::move(subscription)));
}

// case: context.topic
void use_69();
void use_69() {
    static_cast<void>(context.topic());
}

// case: context.topic
void use_70();
void use_70() {
    static_cast<void>(handleContext.topic());
}

// case: context.headers
void use_71();
void use_71() {
    static_cast<void>(context.headers());
}

// case: context.headers
void use_72();
void use_72() {
    static_cast<void>(handleContext.headers());
}

// case: context.reply
void use_73();
void use_73() {
    static_cast<void>(context.reply(data, headers));
}

// case: context.reply_headers
void use_74();
void use_74() {
    static_cast<void>(handleContext.replyHeaders());
}

// case: headers.new
void use_75();
void use_75() {
    static_cast<void>(Headers());
}

// case: headers.new
void use_76();
void use_76() {
    static_cast<void>(Headers({{"x-tag", "a"}, {"x-tags", {"a", "b"}}}));
}

// case: headers.get
void use_77();
void use_77() {
    static_cast<void>(headers.get(name));
}

// case: headers.get_all
void use_78();
void use_78() {
    static_cast<void>(headers.getAll(name));
}

// case: headers.entries
void use_79();
void use_79() {
    static_cast<void>(headers.entries());
}

// case: headers.entries
void use_80();
void use_80() {
    static_cast<void>(headers.size());
}

// case: headers.entries
void use_81();
void use_81() {
    static_cast<void>(headers.empty());
}

// case: headers.set
void use_82();
void use_82() {
    static_cast<void>(headers.set(name, what));
}

// case: headers.append
void use_83();
void use_83() {
    static_cast<void>(headers.append(name, what));
}

// case: error.code
void use_84();
void use_84() {
    static_cast<void>(error.code());
}

// case: error.message
void use_85();
void use_85() {
    static_cast<void>(error.what());
}

// case: error.limit
void use_86();
void use_86() {
    static_cast<void>(error.limit());
}

// case: error.actual
void use_87();
void use_87() {
    static_cast<void>(error.actual());
}

// case: error.partial_replies
void use_88();
void use_88() {
    static_cast<void>(error.partialReplies());
}

// case: error.partial_replies
void use_89();
void use_89() {
    static_cast<void>(partialReplies(error));
}

// case: code.name
void use_90();
void use_90() {
    static_cast<void>(codeName(code));
}

// case: code.name
void use_91();
void use_91() {
    static_cast<void>(error.name());
}

// case: operation.wait
void use_92();
void use_92() {
    static_cast<void>(request.get());
}

// case: operation.wait
void use_93();
void use_93() {
    static_cast<void>(request.future());
}

// case: operation.then
void use_94();
void use_94() {
    static_cast<void>(request.then(onOutcome));
}

// case: operation.then
void use_95();
void use_95() {
    static_cast<void>(std::move(request).operator co_await());
}

// case: operation.then
void use_96();
void use_96() {
    static_cast<void>(outcome.get());
}

// case: operation.then
void use_97();
void use_97() {
    static_cast<void>(outcome.error());
}

// case: beyond the contract
void use_98();
void use_98() {
    static_cast<void>(hub.fd());
}

// case: beyond the contract
void use_99();
void use_99() {
    static_cast<void>(hub.process(max));
}

// case: beyond the contract
void use_100();
void use_100() {
    static_cast<void>(hub.handle());
}

// case: beyond the contract
void use_101();
void use_101() {
    static_cast<void>(reasonName(reason));
}

// case: beyond the contract
void use_102();
void use_102() {
    static_cast<void>(context.wantsAnswer());
}

// case: beyond the contract
void use_103();
void use_103() {
    static_cast<void>(static_cast<bool>(subscription));
}

// case: beyond the contract
void use_104();
void use_104() {
    static_cast<void>(headers.given());
}

// case: beyond the contract
void use_105();
void use_105() {
    static_cast<void>(Headers::copy(cHeaders));
}

// case: beyond the contract
void use_106();
void use_106() {
    static_cast<void>(text::Hub(namespaceName));
}

// case: options: hub
void use_107();
void use_107() {
    static_cast<void>(HubOptions().servers);
}

// case: options: hub
void use_108();
void use_108() {
    static_cast<void>(HubOptions().node);
}

// case: options: hub
void use_109();
void use_109() {
    static_cast<void>(HubOptions().token);
}

// case: options: hub
void use_110();
void use_110() {
    static_cast<void>(HubOptions().user);
}

// case: options: hub
void use_111();
void use_111() {
    static_cast<void>(HubOptions().password);
}

// case: options: hub
void use_112();
void use_112() {
    static_cast<void>(HubOptions().nkey);
}

// case: options: hub
void use_113();
void use_113() {
    static_cast<void>(HubOptions().credentials);
}

// case: options: tls
void use_114();
void use_114() {
    static_cast<void>(HubOptions().tls.caFile);
}

// case: options: tls
void use_115();
void use_115() {
    static_cast<void>(HubOptions().tls.certFile);
}

// case: options: tls
void use_116();
void use_116() {
    static_cast<void>(HubOptions().tls.keyFile);
}

// case: options: tls
void use_117();
void use_117() {
    static_cast<void>(HubOptions().tls.handshakeFirst);
}

// case: options: hub
void use_118();
void use_118() {
    static_cast<void>(HubOptions().tls);
}

// case: options: hub
void use_119();
void use_119() {
    static_cast<void>(HubOptions().timeout);
}

// case: options: hub
void use_120();
void use_120() {
    static_cast<void>(HubOptions().peerTimeout);
}

// case: options: hub
void use_121();
void use_121() {
    static_cast<void>(HubOptions().healthInterval);
}

// case: options: hub
void use_122();
void use_122() {
    static_cast<void>(HubOptions().probeInterval);
}

// case: options: hub
void use_123();
void use_123() {
    static_cast<void>(HubOptions().pingInterval);
}

// case: options: hub
void use_124();
void use_124() {
    static_cast<void>(HubOptions().pingMissed);
}

// case: options: hub
void use_125();
void use_125() {
    static_cast<void>(HubOptions().maxVariables);
}

// case: options: hub
void use_126();
void use_126() {
    static_cast<void>(HubOptions().maxMemoryBytes);
}

// case: options: hub
void use_127();
void use_127() {
    static_cast<void>(HubOptions().maxInstances);
}

// case: options: selection
void use_128();
void use_128() {
    static_cast<void>(HubOptions().selection.improvementMs);
}

// case: options: selection
void use_129();
void use_129() {
    static_cast<void>(HubOptions().selection.improvementRatio);
}

// case: options: selection
void use_130();
void use_130() {
    static_cast<void>(HubOptions().selection.cooldown);
}

// case: options: hub
void use_131();
void use_131() {
    static_cast<void>(HubOptions().selection);
}

// case: options: messaging
void use_132();
void use_132() {
    static_cast<void>(HubOptions().messaging.subscriptions);
}

// case: options: messaging
void use_133();
void use_133() {
    static_cast<void>(HubOptions().messaging.requests);
}

// case: options: messaging
void use_134();
void use_134() {
    static_cast<void>(HubOptions().messaging.pendingMessages);
}

// case: options: messaging
void use_135();
void use_135() {
    static_cast<void>(HubOptions().messaging.pendingBytes);
}

// case: options: messaging
void use_136();
void use_136() {
    static_cast<void>(HubOptions().messaging.outboundBytes);
}

// case: options: messaging
void use_137();
void use_137() {
    static_cast<void>(HubOptions().messaging.payloadBytes);
}

// case: options: messaging
void use_138();
void use_138() {
    static_cast<void>(HubOptions().messaging.headerBytes);
}

// case: options: messaging
void use_139();
void use_139() {
    static_cast<void>(HubOptions().messaging.headerEntries);
}

// case: options: messaging
void use_140();
void use_140() {
    static_cast<void>(HubOptions().messaging.replies);
}

// case: options: messaging
void use_141();
void use_141() {
    static_cast<void>(HubOptions().messaging.replyBytes);
}

// case: options: hub
void use_142();
void use_142() {
    static_cast<void>(HubOptions().messaging);
}

// case: options: hub
void use_143();
void use_143() {
    static_cast<void>(HubOptions().onCallbackError);
}

// case: options: subscription
void use_144();
void use_144() {
    static_cast<void>(SubscriptionOptions().queue);
}

// case: options: subscription
void use_145();
void use_145() {
    static_cast<void>(SubscriptionOptions().pendingMessages);
}

// case: options: subscription
void use_146();
void use_146() {
    static_cast<void>(SubscriptionOptions().pendingBytes);
}

// case: options: subscription
void use_147();
void use_147() {
    static_cast<void>(SubscriptionOptions().timeout);
}

// case: options: request
void use_148();
void use_148() {
    static_cast<void>(RequestOptions().timeout);
}

// case: options: request
void use_149();
void use_149() {
    static_cast<void>(RequestOptions().headers);
}

// case: options: request many
void use_150();
void use_150() {
    static_cast<void>(RequestManyOptions().timeout);
}

// case: options: request many
void use_151();
void use_151() {
    static_cast<void>(RequestManyOptions().maxReplies);
}

// case: options: request many
void use_152();
void use_152() {
    static_cast<void>(RequestManyOptions().maxBytes);
}

// case: options: request many
void use_153();
void use_153() {
    static_cast<void>(RequestManyOptions().headers);
}

// case: error codes
void use_154();
void use_154() {
    static_cast<void>(ErrorCode::InvalidOptions);
}

// case: error codes
void use_155();
void use_155() {
    static_cast<void>(ErrorCode::InvalidName);
}

// case: error codes
void use_156();
void use_156() {
    static_cast<void>(ErrorCode::InvalidTopic);
}

// case: error codes
void use_157();
void use_157() {
    static_cast<void>(ErrorCode::InvalidValue);
}

// case: error codes
void use_158();
void use_158() {
    static_cast<void>(ErrorCode::InvalidHeaders);
}

// case: error codes
void use_159();
void use_159() {
    static_cast<void>(ErrorCode::InvalidMessage);
}

// case: error codes
void use_160();
void use_160() {
    static_cast<void>(ErrorCode::InvalidServer);
}

// case: error codes
void use_161();
void use_161() {
    static_cast<void>(ErrorCode::InvalidRecord);
}

// case: error codes
void use_162();
void use_162() {
    static_cast<void>(ErrorCode::VersionCollision);
}

// case: error codes
void use_163();
void use_163() {
    static_cast<void>(ErrorCode::ValueTooLarge);
}

// case: error codes
void use_164();
void use_164() {
    static_cast<void>(ErrorCode::MessageTooLarge);
}

// case: error codes
void use_165();
void use_165() {
    static_cast<void>(ErrorCode::MemoryFull);
}

// case: error codes
void use_166();
void use_166() {
    static_cast<void>(ErrorCode::BufferOverflow);
}

// case: error codes
void use_167();
void use_167() {
    static_cast<void>(ErrorCode::SlowConsumer);
}

// case: error codes
void use_168();
void use_168() {
    static_cast<void>(ErrorCode::Timeout);
}

// case: error codes
void use_169();
void use_169() {
    static_cast<void>(ErrorCode::Cancelled);
}

// case: error codes
void use_170();
void use_170() {
    static_cast<void>(ErrorCode::Disconnected);
}

// case: error codes
void use_171();
void use_171() {
    static_cast<void>(ErrorCode::Draining);
}

// case: error codes
void use_172();
void use_172() {
    static_cast<void>(ErrorCode::DrainTimeout);
}

// case: error codes
void use_173();
void use_173() {
    static_cast<void>(ErrorCode::DrainInHandler);
}

// case: error codes
void use_174();
void use_174() {
    static_cast<void>(ErrorCode::BlockingInHandler);
}

// case: error codes
void use_175();
void use_175() {
    static_cast<void>(ErrorCode::Closed);
}

// case: error codes
void use_176();
void use_176() {
    static_cast<void>(ErrorCode::NoResponders);
}

// case: error codes
void use_177();
void use_177() {
    static_cast<void>(ErrorCode::NoReplySubject);
}

// case: error codes
void use_178();
void use_178() {
    static_cast<void>(ErrorCode::PermissionDenied);
}

// case: error codes
void use_179();
void use_179() {
    static_cast<void>(ErrorCode::AuthFailed);
}

// case: error codes
void use_180();
void use_180() {
    static_cast<void>(ErrorCode::HandlerError);
}

// case: error codes
void use_181();
void use_181() {
    static_cast<void>(ErrorCode::Forked);
}

// case: error codes
void use_182();
void use_182() {
    static_cast<void>(ErrorCode::Unsupported);
}

// case: error codes
void use_183();
void use_183() {
    static_cast<void>(ErrorCode::ClockRequired);
}

// case: error codes
void use_184();
void use_184() {
    static_cast<void>(ErrorCode::Internal);
}

// case: error codes
void use_185();
void use_185() {
    static_cast<void>(ErrorCode::QueueBinding);
}

// case: error codes
void use_186();
void use_186() {
    static_cast<void>(ErrorCode::Deployment);
}

// case: error codes
void use_187();
void use_187() {
    static_cast<void>(ErrorCode::QueueBodyJson);
}

// case: error codes
void use_188();
void use_188() {
    static_cast<void>(ErrorCode::QueueBodyUnicode);
}

// case: error codes
void use_189();
void use_189() {
    static_cast<void>(ErrorCode::QueueBodyReserved);
}

// case: error codes
void use_190();
void use_190() {
    static_cast<void>(ErrorCode::QueueBodySize);
}

// case: error codes
void use_191();
void use_191() {
    static_cast<void>(ErrorCode::QueueBodyDepth);
}

// case: error codes
void use_192();
void use_192() {
    static_cast<void>(ErrorCode::QueueDelay);
}

// case: error codes
void use_193();
void use_193() {
    static_cast<void>(ErrorCode::QueueBatchJson);
}

// case: error codes
void use_194();
void use_194() {
    static_cast<void>(ErrorCode::QueueBatchCount);
}

// case: error codes
void use_195();
void use_195() {
    static_cast<void>(ErrorCode::QueueBatchItem);
}

// case: error codes
void use_196();
void use_196() {
    static_cast<void>(ErrorCode::QueueBatchSize);
}

// case: error codes
void use_197();
void use_197() {
    static_cast<void>(ErrorCode::QueueBatchText);
}

// case: error codes
void use_198();
void use_198() {
    static_cast<void>(ErrorCode::QueueStore);
}

// case: error codes
void use_199();
void use_199() {
    static_cast<void>(ErrorCode::QueueNoEvent);
}

// case: error codes
void use_200();
void use_200() {
    static_cast<void>(ErrorCode::QueueBodyNotJson);
}

// case: error codes
void use_201();
void use_201() {
    static_cast<void>(ErrorCode::QueueIndex);
}

// case: error codes
void use_202();
void use_202() {
    static_cast<void>(ErrorCode::QueueLeaseLost);
}
