//! The fixed texts of the contract, byte for byte, each with its code. They stand nowhere else.
use crate::{Code, Error, limits};
use alloc::format;

pub(super) fn binding_empty() -> Error {
    Error::new(Code::QueueBinding, "队列绑定名不得为空")
}

/// The body is no JSON value: for a host whose own value has no JSON form. In a batch, [`Error::at_index`] says
/// which item.
pub fn not_json() -> Error {
    Error::new(Code::QueueBodyJson, "消息体不是有效的 JSON 文字")
}

pub(super) fn body_unicode() -> Error {
    Error::new(Code::QueueBodyUnicode, "消息体含孤立代理项")
}

pub(super) fn body_reserved() -> Error {
    Error::new(Code::QueueBodyReserved, "消息体不得含宿主专用之记")
}

pub(super) fn body_size(actual: usize) -> Error {
    over(Code::QueueBodySize, "消息体超过 128000 字节", limits::QUEUE_BODY_BYTES, actual)
}

pub(super) fn body_depth(actual: usize) -> Error {
    over(Code::QueueBodyDepth, "消息体嵌套不得超过 24 层", limits::QUEUE_DEPTH, actual)
}

pub(super) fn delay() -> Error {
    Error::new(Code::QueueDelay, "延迟秒数须在 0 至 43200 之间")
}

pub(super) fn batch_json() -> Error {
    Error::new(Code::QueueBatchJson, "批量消息不是有效的 JSON 数组文字")
}

pub(super) fn batch_empty() -> Error {
    Error::new(Code::QueueBatchCount, "批量消息不得为空")
}

pub(super) fn batch_count(actual: usize) -> Error {
    let limit = limits::QUEUE_BATCH_MESSAGES;
    over(Code::QueueBatchCount, "批量消息不得超过 100 条", limit, actual)
}

pub(super) fn batch_item(index: usize) -> Error {
    let text = format!("批量消息第 {index} 项格式不合");
    Error::new(Code::QueueBatchItem, text).at_index(index)
}

pub(super) fn batch_size(actual: usize) -> Error {
    let limit = limits::QUEUE_BATCH_BYTES;
    over(Code::QueueBatchSize, "批量消息合计超过 256000 字节", limit, actual)
}

pub(super) fn batch_text(actual: usize) -> Error {
    let limit = limits::QUEUE_BATCH_TEXT_BYTES;
    over(Code::QueueBatchText, "批量消息文字超过 1048576 字节", limit, actual)
}

/// The store refused a message; `words` are its own.
pub fn send_refused(words: &str) -> Error {
    Error::new(Code::QueueStore, format!("队列发送失败：{words}"))
}

/// The store refused a batch; `words` are its own.
pub fn batch_refused(words: &str) -> Error {
    Error::new(Code::QueueStore, format!("队列批量发送失败：{words}"))
}

/// An operation of consuming where no queue event is current, or after its end.
pub fn no_event() -> Error {
    Error::new(Code::QueueNoEvent, "当前事件不是队列事件")
}

pub(super) fn body_not_json(index: usize) -> Error {
    let text = format!("队列消息正文不是 JSON 值：序号 {index}");
    Error::new(Code::QueueBodyNotJson, text).at_index(index)
}

pub(super) fn index() -> Error {
    Error::new(Code::QueueIndex, "队列消息序号越界")
}

/// The lease of message `index` has ended and another consumer has it.
pub fn lease_lost(index: usize) -> Error {
    // The contract fixes the code of this one, not its text.
    let text = format!(
        "the lease of message {index} has ended and another consumer has the message: nothing is to be done here; make handlers shorter or visibility_timeout longer if it happens often"
    );
    Error::new(Code::QueueLeaseLost, text).at_index(index)
}

fn over(code: Code, text: &str, limit: usize, actual: usize) -> Error {
    Error::over(code, text, limit as u64, actual as u64)
}
