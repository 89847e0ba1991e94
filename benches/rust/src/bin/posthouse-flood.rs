//! A publisher that is only a socket: `posthouse-flood PORT SUBJECT[,SUBJECT…] N RATE` sends N frames
//! to the subjects in turn, RATE a second or, at 0, as fast as the socket takes them. All frames are
//! built before the clock starts. Prints one JSON line.
use std::{
    error::Error,
    io::{Read, Write},
    net::TcpStream,
    thread::sleep,
    time::{Duration, Instant},
};

/// Written at a time.
const CHUNK: usize = 64 * 1024;
/// How long a paced publisher sleeps between looks at the clock.
const NAP: Duration = Duration::from_micros(500);

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [port, subjects, n, rate] = words.as_slice() else {
        return Err("posthouse-flood PORT SUBJECT[,SUBJECT…] N RATE".into());
    };
    let (n, rate): (usize, f64) = (n.parse()?, rate.parse()?);
    let mut socket = TcpStream::connect(("127.0.0.1", port.parse()?))?;
    socket.set_nodelay(true)?;
    socket.write_all(b"CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,\"lang\":\"rust\",\"version\":\"0\",\"name\":\"flood\"}\r\nPING\r\n")?;
    until_pong(&mut socket)?;
    let (frames, ends) = frames(&subjects.split(',').collect::<Vec<_>>(), n);
    let began = Instant::now();
    if rate > 0.0 {
        paced(&mut socket, &frames, &ends, rate)?;
    } else {
        for chunk in frames.chunks(CHUNK) {
            socket.write_all(chunk)?;
        }
    }
    socket.write_all(b"PING\r\n")?;
    until_pong(&mut socket)?;
    let elapsed = began.elapsed().as_secs_f64();
    println!("{{\"n\":{n},\"elapsed_s\":{elapsed:.6},\"rate\":{:.0}}}", n as f64 / elapsed);
    Ok(())
}

/// All frames in one buffer, and where each ends.
fn frames(subjects: &[&str], n: usize) -> (Vec<u8>, Vec<usize>) {
    let (mut buffer, mut ends) = (Vec::new(), Vec::with_capacity(n));
    for (i, subject) in (0..n).zip(subjects.iter().cycle()) {
        let seq = 1_000_000 + i;
        let body = format!(
            "{{\"seq\":{seq},\"ts\":1764500000.125,\"name\":\"sensor/front\",\"x\":0.125,\"y\":-1.5,\"z\":9.8125,\"ok\":true,\"unit\":\"m/s2\",\"tags\":[\"a\",\"b\"]}}"
        );
        let frame = format!("PUB {subject} {}\r\n{body}\r\n", body.len());
        buffer.extend_from_slice(frame.as_bytes());
        ends.push(buffer.len());
    }
    (buffer, ends)
}

fn paced(socket: &mut TcpStream, frames: &[u8], ends: &[usize], rate: f64) -> Result<(), Failure> {
    let began = Instant::now();
    let (mut sent, mut from) = (0, 0);
    while sent < ends.len() {
        let due = (began.elapsed().as_secs_f64() * rate) as usize + 1;
        let due = due.min(ends.len());
        if due > sent {
            let to = ends[due - 1];
            socket.write_all(&frames[from..to])?;
            (sent, from) = (due, to);
        }
        sleep(NAP);
    }
    Ok(())
}

/// Reads until the server has answered a PING of ours.
fn until_pong(socket: &mut TcpStream) -> Result<(), Failure> {
    let mut said = Vec::new();
    let mut part = [0; 4096];
    loop {
        let read = socket.read(&mut part)?;
        if read == 0 {
            return Err("the server closed the connection".into());
        }
        said.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&said);
        if let Some(refused) = text.find("-ERR") {
            return Err(text[refused..].trim().to_owned().into());
        }
        // Only whole lines count; a JSON line before them holds no such word at its start.
        if text.lines().any(|line| line == "PING") {
            socket.write_all(b"PONG\r\n")?;
        }
        if text.contains("PONG\r\n") {
            return Ok(());
        }
    }
}
