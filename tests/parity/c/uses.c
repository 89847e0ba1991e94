/* Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit. */
/* clang-format off */
#include "given.h"

/* case: hub.open */
void use_0(void);
void use_0(void) {
    (void)(posthouse_hub_open(namespace, &hub_options, &host, &hub, &error));
}

/* case: hub.namespace */
void use_1(void);
void use_1(void) {
    (void)(posthouse_hub_namespace(hub));
}

/* case: hub.instance_id */
void use_2(void);
void use_2(void) {
    (void)(posthouse_hub_instance_id(hub));
}

/* case: hub.var */
void use_3(void);
void use_3(void) {
    (void)(posthouse_hub_variable(hub, name, &variable, &error));
}

/* case: hub.state */
void use_4(void);
void use_4(void) {
    (void)(posthouse_hub_state(hub));
}

/* case: hub.status */
void use_5(void);
void use_5(void) {
    (void)(posthouse_hub_status(hub, &json, &error));
}

/* case: hub.watch */
void use_6(void);
void use_6(void) {
    (void)(posthouse_hub_watch(hub, on_json, &watch, &error));
}

/* case: hub.instances.list */
void use_7(void);
void use_7(void) {
    (void)(posthouse_hub_instances(hub, &json, &error));
}

/* case: hub.instances.watch */
void use_8(void);
void use_8(void) {
    (void)(posthouse_hub_watch_instances(hub, on_json, &watch, &error));
}

/* case: hub.connected */
void use_9(void);
void use_9(void) {
    (void)(posthouse_hub_connected(hub, timeout_ms, &operation, &error));
}

/* case: hub.ready */
void use_10(void);
void use_10(void) {
    (void)(posthouse_hub_ready(hub, timeout_ms, &operation, &error));
}

/* case: hub.flush */
void use_11(void);
void use_11(void) {
    (void)(posthouse_hub_flush(hub, timeout_ms, &operation, &error));
}

/* case: hub.drain */
void use_12(void);
void use_12(void) {
    (void)(posthouse_hub_drain(hub, timeout_ms, &operation, &error));
}

/* case: hub.close */
void use_13(void);
void use_13(void) {
    (void)(posthouse_hub_close(hub, &error));
}

/* case: hub.scope */
void use_14(void);
void use_14(void) {
    (void)(posthouse_hub_free(hub));
}

/* case: variable.name */
void use_15(void);
void use_15(void) {
    (void)(posthouse_variable_name(variable));
}

/* case: variable.value */
void use_16(void);
void use_16(void) {
    (void)(posthouse_variable_get(variable, &exists, &json, &error));
}

/* case: variable.get */
void use_17(void);
void use_17(void) {
    (void)(posthouse_variable_get(variable, &exists, &json, &error));
}

/* case: variable.set */
void use_18(void);
void use_18(void) {
    (void)(posthouse_variable_set(variable, value, &error));
}

/* case: variable.delete */
void use_19(void);
void use_19(void) {
    (void)(posthouse_variable_erase(variable, &error));
}

/* case: variable.meta */
void use_20(void);
void use_20(void) {
    (void)(posthouse_variable_meta(variable, &meta, &storage, &error));
}

/* case: variable.ready */
void use_21(void);
void use_21(void) {
    (void)(posthouse_variable_ready(variable, timeout_ms, &operation, &error));
}

/* case: variable.watch */
void use_22(void);
void use_22(void) {
    (void)(posthouse_variable_watch(variable, on_view, &watch, &error));
}

/* case: variable.watch_value */
void use_23(void);
void use_23(void) {
    (void)(posthouse_variable_watch(variable, on_view, &watch, &error));
}

/* case: watch.stop */
void use_24(void);
void use_24(void) {
    (void)(posthouse_watch_free(watch));
}

/* case: variable.publish */
void use_25(void);
void use_25(void) {
    (void)(posthouse_variable_publish(variable, data, headers, &error));
}

/* case: variable.subscribe */
void use_26(void);
void use_26(void) {
    (void)(posthouse_variable_subscribe(variable, &subscription_options, on_message, &subscription, &operation, &error));
}

/* case: variable.handle */
void use_27(void);
void use_27(void) {
    (void)(posthouse_variable_handle(variable, &subscription_options, on_message, &subscription, &operation, &error));
}

/* case: variable.handle_deferred */
void use_28(void);
void use_28(void) {
    (void)(posthouse_message_defer(message, &deferred, &error));
}

/* case: deferred.complete */
void use_29(void);
void use_29(void) {
    (void)(posthouse_deferred_complete(deferred, data, headers, &error));
}

/* case: deferred.fail */
void use_30(void);
void use_30(void) {
    (void)(posthouse_deferred_fail(deferred, text));
}

/* case: deferred.cancel */
void use_31(void);
void use_31(void) {
    (void)(posthouse_deferred_cancel(deferred));
}

/* case: deferred.cancel */
void use_32(void);
void use_32(void) {
    (void)(posthouse_deferred_free(deferred));
}

/* case: variable.request */
void use_33(void);
void use_33(void) {
    (void)(posthouse_variable_request(variable, data, &request_options, &operation, &error));
}

/* case: variable.request_details */
void use_34(void);
void use_34(void) {
    (void)(posthouse_variable_request(variable, data, &request_options, &operation, &error));
}

/* case: variable.request_many */
void use_35(void);
void use_35(void) {
    (void)(posthouse_variable_request_many(variable, data, &request_many_options, &operation, &error));
}

/* case: variable.request_many_details */
void use_36(void);
void use_36(void) {
    (void)(posthouse_variable_request_many(variable, data, &request_many_options, &operation, &error));
}

/* case: request.cancel */
void use_37(void);
void use_37(void) {
    (void)(posthouse_operation_cancel(operation));
}

/* case: reply.data */
void use_38(void);
void use_38(void) {
    (void)(posthouse_result_body(result, index));
}

/* case: reply.headers */
void use_39(void);
void use_39(void) {
    (void)(posthouse_result_headers(result, index));
}

/* case: many.replies */
void use_40(void);
void use_40(void) {
    (void)(posthouse_result_count(result));
}

/* case: many.reason */
void use_41(void);
void use_41(void) {
    (void)(posthouse_result_reason(result));
}

/* case: subscription.status */
void use_42(void);
void use_42(void) {
    (void)(posthouse_subscription_status(subscription, &json, &error));
}

/* case: subscription.unsubscribe */
void use_43(void);
void use_43(void) {
    (void)(posthouse_subscription_unsubscribe(subscription, &error));
}

/* case: subscription.drain */
void use_44(void);
void use_44(void) {
    (void)(posthouse_subscription_drain(subscription, timeout_ms, &operation, &error));
}

/* case: subscription.scope */
void use_45(void);
void use_45(void) {
    (void)(posthouse_subscription_free(subscription));
}

/* case: context.topic */
void use_46(void);
void use_46(void) {
    (void)(posthouse_message_topic(message));
}

/* case: context.headers */
void use_47(void);
void use_47(void) {
    (void)(posthouse_message_headers(message));
}

/* case: context.reply */
void use_48(void);
void use_48(void) {
    (void)(posthouse_message_reply(message, data, headers, &error));
}

/* case: context.reply_headers */
void use_49(void);
void use_49(void) {
    (void)(posthouse_message_answer(message, data, headers, &error));
}

/* case: headers.new */
void use_50(void);
void use_50(void) {
    (void)(posthouse_headers_new());
}

/* case: headers.get */
void use_51(void);
void use_51(void) {
    (void)(posthouse_headers_get(headers, name, index));
}

/* case: headers.get_all */
void use_52(void);
void use_52(void) {
    (void)(posthouse_headers_get(headers, name, index));
}

/* case: headers.entries */
void use_53(void);
void use_53(void) {
    (void)(posthouse_headers_at(headers, index, &found_name, &found_value, &error));
}

/* case: headers.entries */
void use_54(void);
void use_54(void) {
    (void)(posthouse_headers_count(headers));
}

/* case: headers.set */
void use_55(void);
void use_55(void) {
    (void)(posthouse_headers_set(headers, name, text, &error));
}

/* case: headers.append */
void use_56(void);
void use_56(void) {
    (void)(posthouse_headers_append(headers, name, text, &error));
}

/* case: error.code */
void use_57(void);
void use_57(void) {
    (void)(posthouse_error_code(failure));
}

/* case: error.message */
void use_58(void);
void use_58(void) {
    (void)(posthouse_error_message(failure));
}

/* case: error.limit */
void use_59(void);
void use_59(void) {
    (void)(posthouse_error_limit(failure));
}

/* case: error.actual */
void use_60(void);
void use_60(void) {
    (void)(posthouse_error_actual(failure));
}

/* case: error.partial_replies */
void use_61(void);
void use_61(void) {
    (void)(posthouse_error_partial_count(failure));
}

/* case: error.partial_replies */
void use_62(void);
void use_62(void) {
    (void)(posthouse_error_partial_body(failure, index));
}

/* case: error.partial_replies */
void use_63(void);
void use_63(void) {
    (void)(posthouse_error_partial_headers(failure, index));
}

/* case: code.name */
void use_64(void);
void use_64(void) {
    (void)(posthouse_code_name(code));
}

/* case: operation.wait */
void use_65(void);
void use_65(void) {
    (void)(posthouse_operation_finish(operation, &result, &error));
}

/* case: operation.wait */
void use_66(void);
void use_66(void) {
    (void)(posthouse_operation_wait(operation, timeout_ms, &ended, &result, &error));
}

/* case: operation.then */
void use_67(void);
void use_67(void) {
    (void)(posthouse_operation_then(operation, on_done, &error));
}

/* case: beyond the contract */
void use_68(void);
void use_68(void) {
    (void)(posthouse_hub_fd(hub));
}

/* case: beyond the contract */
void use_69(void);
void use_69(void) {
    (void)(posthouse_hub_process(hub, max, &more, &error));
}

/* case: beyond the contract */
void use_70(void);
void use_70(void) {
    (void)(posthouse_hub_may_block(hub, text, &error));
}

/* case: beyond the contract */
void use_71(void);
void use_71(void) {
    (void)(posthouse_hub_callback_failed(hub, text, text));
}

/* case: beyond the contract */
void use_72(void);
void use_72(void) {
    (void)(posthouse_answer_set(answer, text));
}

/* case: beyond the contract */
void use_73(void);
void use_73(void) {
    (void)(posthouse_variable_free(variable));
}

/* case: beyond the contract */
void use_74(void);
void use_74(void) {
    (void)(posthouse_message_body(message));
}

/* case: beyond the contract */
void use_75(void);
void use_75(void) {
    (void)(posthouse_message_wants_answer(message));
}

/* case: beyond the contract */
void use_76(void);
void use_76(void) {
    (void)(posthouse_message_fail(message, text));
}

/* case: beyond the contract */
void use_77(void);
void use_77(void) {
    (void)(posthouse_message_clone(message));
}

/* case: beyond the contract */
void use_78(void);
void use_78(void) {
    (void)(posthouse_message_free(kept));
}

/* case: beyond the contract */
void use_79(void);
void use_79(void) {
    (void)(posthouse_headers_clone(headers));
}

/* case: beyond the contract */
void use_80(void);
void use_80(void) {
    (void)(posthouse_headers_free(headers));
}

/* case: beyond the contract */
void use_81(void);
void use_81(void) {
    (void)(posthouse_error_free(failure));
}

/* case: beyond the contract */
void use_82(void);
void use_82(void) {
    (void)(posthouse_version());
}

/* case: beyond the contract */
void use_83(void);
void use_83(void) {
    (void)(posthouse_abi());
}

/* case: beyond the contract */
void use_84(void);
void use_84(void) {
    (void)(posthouse_shutdown());
}

/* case: beyond the contract */
void use_85(void);
void use_85(void) {
    (void)(posthouse_buf_free(&json));
}

/* case: beyond the contract */
void use_86(void);
void use_86(void) {
    (void)(posthouse_operation_free(operation));
}

/* case: beyond the contract */
void use_87(void);
void use_87(void) {
    (void)(posthouse_result_free(result));
}

/* case: options: hub */
void use_88(void);
void use_88(void) {
    (void)(hub_options.servers);
}

/* case: options: hub */
void use_89(void);
void use_89(void) {
    (void)(hub_options.node);
}

/* case: options: hub */
void use_90(void);
void use_90(void) {
    (void)(hub_options.token);
}

/* case: options: hub */
void use_91(void);
void use_91(void) {
    (void)(hub_options.user);
}

/* case: options: hub */
void use_92(void);
void use_92(void) {
    (void)(hub_options.password);
}

/* case: options: hub */
void use_93(void);
void use_93(void) {
    (void)(hub_options.nkey);
}

/* case: options: hub */
void use_94(void);
void use_94(void) {
    (void)(hub_options.credentials);
}

/* case: options: tls */
void use_95(void);
void use_95(void) {
    (void)(hub_options.tls_ca_file);
}

/* case: options: tls */
void use_96(void);
void use_96(void) {
    (void)(hub_options.tls_cert_file);
}

/* case: options: tls */
void use_97(void);
void use_97(void) {
    (void)(hub_options.tls_key_file);
}

/* case: options: tls */
void use_98(void);
void use_98(void) {
    (void)(hub_options.tls_handshake_first);
}

/* case: options: hub */
void use_99(void);
void use_99(void) {
    (void)(hub_options.timeout_ms);
}

/* case: options: hub */
void use_100(void);
void use_100(void) {
    (void)(hub_options.peer_timeout_ms);
}

/* case: options: hub */
void use_101(void);
void use_101(void) {
    (void)(hub_options.health_interval_ms);
}

/* case: options: hub */
void use_102(void);
void use_102(void) {
    (void)(hub_options.probe_interval_ms);
}

/* case: options: hub */
void use_103(void);
void use_103(void) {
    (void)(hub_options.ping_interval_ms);
}

/* case: options: hub */
void use_104(void);
void use_104(void) {
    (void)(hub_options.ping_missed);
}

/* case: options: hub */
void use_105(void);
void use_105(void) {
    (void)(hub_options.max_variables);
}

/* case: options: hub */
void use_106(void);
void use_106(void) {
    (void)(hub_options.max_memory_bytes);
}

/* case: options: hub */
void use_107(void);
void use_107(void) {
    (void)(hub_options.max_instances);
}

/* case: options: selection */
void use_108(void);
void use_108(void) {
    (void)(hub_options.selection_improvement_ms);
}

/* case: options: selection */
void use_109(void);
void use_109(void) {
    (void)(hub_options.selection_improvement_ratio);
}

/* case: options: selection */
void use_110(void);
void use_110(void) {
    (void)(hub_options.selection_cooldown_ms);
}

/* case: options: messaging */
void use_111(void);
void use_111(void) {
    (void)(hub_options.messaging_subscriptions);
}

/* case: options: messaging */
void use_112(void);
void use_112(void) {
    (void)(hub_options.messaging_requests);
}

/* case: options: messaging */
void use_113(void);
void use_113(void) {
    (void)(hub_options.messaging_pending_messages);
}

/* case: options: messaging */
void use_114(void);
void use_114(void) {
    (void)(hub_options.messaging_pending_bytes);
}

/* case: options: messaging */
void use_115(void);
void use_115(void) {
    (void)(hub_options.messaging_outbound_bytes);
}

/* case: options: messaging */
void use_116(void);
void use_116(void) {
    (void)(hub_options.messaging_payload_bytes);
}

/* case: options: messaging */
void use_117(void);
void use_117(void) {
    (void)(hub_options.messaging_header_bytes);
}

/* case: options: messaging */
void use_118(void);
void use_118(void) {
    (void)(hub_options.messaging_header_entries);
}

/* case: options: messaging */
void use_119(void);
void use_119(void) {
    (void)(hub_options.messaging_replies);
}

/* case: options: messaging */
void use_120(void);
void use_120(void) {
    (void)(hub_options.messaging_reply_bytes);
}

/* case: options: subscription */
void use_121(void);
void use_121(void) {
    (void)(subscription_options.queue);
}

/* case: options: subscription */
void use_122(void);
void use_122(void) {
    (void)(subscription_options.pending_messages);
}

/* case: options: subscription */
void use_123(void);
void use_123(void) {
    (void)(subscription_options.pending_bytes);
}

/* case: options: subscription */
void use_124(void);
void use_124(void) {
    (void)(subscription_options.timeout_ms);
}

/* case: options: request */
void use_125(void);
void use_125(void) {
    (void)(request_options.timeout_ms);
}

/* case: options: request */
void use_126(void);
void use_126(void) {
    (void)(request_options.headers);
}

/* case: options: request many */
void use_127(void);
void use_127(void) {
    (void)(request_many_options.timeout_ms);
}

/* case: options: request many */
void use_128(void);
void use_128(void) {
    (void)(request_many_options.max_replies);
}

/* case: options: request many */
void use_129(void);
void use_129(void) {
    (void)(request_many_options.max_bytes);
}

/* case: options: request many */
void use_130(void);
void use_130(void) {
    (void)(request_many_options.headers);
}

/* case: error codes */
void use_131(void);
void use_131(void) {
    (void)(POSTHOUSE_INVALID_OPTIONS);
}

/* case: error codes */
void use_132(void);
void use_132(void) {
    (void)(POSTHOUSE_INVALID_NAME);
}

/* case: error codes */
void use_133(void);
void use_133(void) {
    (void)(POSTHOUSE_INVALID_TOPIC);
}

/* case: error codes */
void use_134(void);
void use_134(void) {
    (void)(POSTHOUSE_INVALID_VALUE);
}

/* case: error codes */
void use_135(void);
void use_135(void) {
    (void)(POSTHOUSE_INVALID_HEADERS);
}

/* case: error codes */
void use_136(void);
void use_136(void) {
    (void)(POSTHOUSE_INVALID_MESSAGE);
}

/* case: error codes */
void use_137(void);
void use_137(void) {
    (void)(POSTHOUSE_INVALID_SERVER);
}

/* case: error codes */
void use_138(void);
void use_138(void) {
    (void)(POSTHOUSE_INVALID_RECORD);
}

/* case: error codes */
void use_139(void);
void use_139(void) {
    (void)(POSTHOUSE_VERSION_COLLISION);
}

/* case: error codes */
void use_140(void);
void use_140(void) {
    (void)(POSTHOUSE_VALUE_TOO_LARGE);
}

/* case: error codes */
void use_141(void);
void use_141(void) {
    (void)(POSTHOUSE_MESSAGE_TOO_LARGE);
}

/* case: error codes */
void use_142(void);
void use_142(void) {
    (void)(POSTHOUSE_MEMORY_FULL);
}

/* case: error codes */
void use_143(void);
void use_143(void) {
    (void)(POSTHOUSE_BUFFER_OVERFLOW);
}

/* case: error codes */
void use_144(void);
void use_144(void) {
    (void)(POSTHOUSE_SLOW_CONSUMER);
}

/* case: error codes */
void use_145(void);
void use_145(void) {
    (void)(POSTHOUSE_TIMEOUT);
}

/* case: error codes */
void use_146(void);
void use_146(void) {
    (void)(POSTHOUSE_CANCELLED);
}

/* case: error codes */
void use_147(void);
void use_147(void) {
    (void)(POSTHOUSE_DISCONNECTED);
}

/* case: error codes */
void use_148(void);
void use_148(void) {
    (void)(POSTHOUSE_DRAINING);
}

/* case: error codes */
void use_149(void);
void use_149(void) {
    (void)(POSTHOUSE_DRAIN_TIMEOUT);
}

/* case: error codes */
void use_150(void);
void use_150(void) {
    (void)(POSTHOUSE_DRAIN_IN_HANDLER);
}

/* case: error codes */
void use_151(void);
void use_151(void) {
    (void)(POSTHOUSE_BLOCKING_IN_HANDLER);
}

/* case: error codes */
void use_152(void);
void use_152(void) {
    (void)(POSTHOUSE_CLOSED);
}

/* case: error codes */
void use_153(void);
void use_153(void) {
    (void)(POSTHOUSE_NO_RESPONDERS);
}

/* case: error codes */
void use_154(void);
void use_154(void) {
    (void)(POSTHOUSE_NO_REPLY_SUBJECT);
}

/* case: error codes */
void use_155(void);
void use_155(void) {
    (void)(POSTHOUSE_PERMISSION_DENIED);
}

/* case: error codes */
void use_156(void);
void use_156(void) {
    (void)(POSTHOUSE_AUTH_FAILED);
}

/* case: error codes */
void use_157(void);
void use_157(void) {
    (void)(POSTHOUSE_HANDLER_ERROR);
}

/* case: error codes */
void use_158(void);
void use_158(void) {
    (void)(POSTHOUSE_FORKED);
}

/* case: error codes */
void use_159(void);
void use_159(void) {
    (void)(POSTHOUSE_UNSUPPORTED);
}

/* case: error codes */
void use_160(void);
void use_160(void) {
    (void)(POSTHOUSE_CLOCK_REQUIRED);
}

/* case: error codes */
void use_161(void);
void use_161(void) {
    (void)(POSTHOUSE_INTERNAL);
}

/* case: error codes */
void use_162(void);
void use_162(void) {
    (void)(POSTHOUSE_QUEUE_BINDING);
}

/* case: error codes */
void use_163(void);
void use_163(void) {
    (void)(POSTHOUSE_DEPLOYMENT);
}

/* case: error codes */
void use_164(void);
void use_164(void) {
    (void)(POSTHOUSE_QUEUE_BODY_JSON);
}

/* case: error codes */
void use_165(void);
void use_165(void) {
    (void)(POSTHOUSE_QUEUE_BODY_UNICODE);
}

/* case: error codes */
void use_166(void);
void use_166(void) {
    (void)(POSTHOUSE_QUEUE_BODY_RESERVED);
}

/* case: error codes */
void use_167(void);
void use_167(void) {
    (void)(POSTHOUSE_QUEUE_BODY_SIZE);
}

/* case: error codes */
void use_168(void);
void use_168(void) {
    (void)(POSTHOUSE_QUEUE_BODY_DEPTH);
}

/* case: error codes */
void use_169(void);
void use_169(void) {
    (void)(POSTHOUSE_QUEUE_DELAY);
}

/* case: error codes */
void use_170(void);
void use_170(void) {
    (void)(POSTHOUSE_QUEUE_BATCH_JSON);
}

/* case: error codes */
void use_171(void);
void use_171(void) {
    (void)(POSTHOUSE_QUEUE_BATCH_COUNT);
}

/* case: error codes */
void use_172(void);
void use_172(void) {
    (void)(POSTHOUSE_QUEUE_BATCH_ITEM);
}

/* case: error codes */
void use_173(void);
void use_173(void) {
    (void)(POSTHOUSE_QUEUE_BATCH_SIZE);
}

/* case: error codes */
void use_174(void);
void use_174(void) {
    (void)(POSTHOUSE_QUEUE_BATCH_TEXT);
}

/* case: error codes */
void use_175(void);
void use_175(void) {
    (void)(POSTHOUSE_QUEUE_STORE);
}

/* case: error codes */
void use_176(void);
void use_176(void) {
    (void)(POSTHOUSE_QUEUE_NO_EVENT);
}

/* case: error codes */
void use_177(void);
void use_177(void) {
    (void)(POSTHOUSE_QUEUE_BODY_NOT_JSON);
}

/* case: error codes */
void use_178(void);
void use_178(void) {
    (void)(POSTHOUSE_QUEUE_INDEX);
}

/* case: error codes */
void use_179(void);
void use_179(void) {
    (void)(POSTHOUSE_QUEUE_LEASE_LOST);
}
