//! What ROS nodes and masters send: connection headers, frames in any pieces, calls and responses.
use crate::input::{Input, pieces};
use posthouse_ros_bridge::ros::ros1::{
    tcpros::{Frames, Header, Read},
    xmlrpc::{Answered, read_call, read_response, write_call, write_fault, write_response},
};
use std::{
    future::Future,
    io,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};
use tokio::io::{AsyncRead, ReadBuf};

/// First byte: what the rest is. `h`eader, `f`rames, `c`all, else a response.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    match input.byte() {
        b'h' => {
            if let Ok(header) = Header::decode(input.0) {
                let encoded = header.encode();
                assert_eq!(Header::decode(&encoded[4..]).unwrap(), header);
            }
        }
        b'f' => frames(&mut input),
        b'c' => {
            if let Ok((method, params)) = read_call(&String::from_utf8_lossy(input.0)) {
                let written = write_call(&method, &params);
                let (method, params) = read_call(&written).expect("what is written is a call");
                assert_eq!(write_call(&method, &params), written);
            }
        }
        _ => match read_response(&String::from_utf8_lossy(input.0)) {
            Ok(Answered::Value(value)) => {
                let written = write_response(&value);
                let Ok(Answered::Value(value)) = read_response(&written) else {
                    panic!("what is written is a response");
                };
                assert_eq!(write_response(&value), written);
            }
            Ok(Answered::Fault(text)) => {
                let written = write_fault(1, &text);
                let Ok(Answered::Fault(text)) = read_response(&written) else {
                    panic!("what is written is a fault");
                };
                assert_eq!(write_fault(1, &text), written);
            }
            Err(what) => assert!(what.starts_with("byte ") && what.len() < 200, "{what}"),
        },
    }
}

/// A connection that gives its bytes in pieces and never waits.
struct Pieces<'a>(std::vec::IntoIter<&'a [u8]>, &'a [u8]);

impl AsyncRead for Pieces<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.1.is_empty() {
            let Some(next) = self.0.next() else { return Poll::Ready(Ok(())) };
            self.1 = next;
        }
        let (now, later) = self.1.split_at(out.remaining().min(self.1.len()));
        out.put_slice(now);
        self.1 = later;
        Poll::Ready(Ok(()))
    }
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("nothing here waits"),
    }
}

/// A byte for the largest message, four for the pieces; then the bytes of the connection.
fn frames(input: &mut Input<'_>) {
    let most = usize::from(input.byte());
    let lengths = input.take(4);
    let bytes = input.0;
    let mut frames = Frames::new(Pieces(pieces(bytes, lengths).into_iter(), b""));
    let mut rest = bytes;
    loop {
        // What the bytes say, read the plain way.
        let wanted = match rest.split_first_chunk::<4>() {
            None if rest.is_empty() => Some(None),
            None => None,
            Some((length, body)) => {
                let length = u32::from_le_bytes(*length);
                body.split_at_checked(length as usize).map(|(body, later)| {
                    rest = later;
                    let oversize = body.len() > most;
                    Some(if oversize { Read::Oversize(length) } else { Read::Message(body.into()) })
                })
            }
        };
        match (ready(frames.next(most)), wanted) {
            (Ok(None), Some(None)) => return,
            (Ok(read), Some(wanted)) => assert_eq!(read, wanted),
            (Err(error), None) => {
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
                return;
            }
            (read, wanted) => panic!("{read:?} for {wanted:?}"),
        }
    }
}
