//! `posthouse handle`: answers requests, each with a fixed answer or with what a command prints.
//!
//! The request never becomes part of a command line: the command finds the data on its input and
//! the name in its environment.
use crate::{
    args::Handle,
    exit::{FAILED, Failure},
    input,
    output::{self, Output},
    session::{self, Stay},
    signals::Stop,
};
use posthouse::{Message, Value};
use std::{process::Stdio, sync::Arc};
use tokio::{io::AsyncWriteExt as _, process::Command, sync::mpsc};

/// Where an answer comes from.
enum Source {
    Fixed(Value),
    Command { words: Vec<String>, text: bool },
}

pub async fn run(args: Handle, output: Output) -> Result<u8, Failure> {
    let mut stop = Stop::new()?;
    let source = Arc::new(match &args.answer {
        Some(answer) => Source::Fixed(input::parse(answer, false)?),
        None => Source::Command { words: args.command.clone(), text: args.text },
    });
    let hub = session::open(&args.connect, Stay::UntilStopped).await?;
    let var = session::var(&hub, &args.name)?;
    let (handled, mut done) = mpsc::unbounded_channel();
    let handler = var.handle(move |message| {
        let (source, handled) = (Arc::clone(&source), handled.clone());
        async move {
            let answer = source.answer(&message).await;
            tell(&message, &answer, output);
            // The other end is gone only when the command is ending.
            _ = handled.send(());
            answer
        }
    });
    let mut handler = handler.timeout(args.connect.server.timeout);
    if let Some(queue) = &args.queue {
        handler = handler.queue(queue);
    }
    let listener = handler.await?;
    output::note(&format!("answering {}", args.name));
    let mut left = args.count.unwrap_or(u64::MAX);
    while left > 0 {
        tokio::select! {
            handled = done.recv() => {
                if handled.is_none() {
                    // The handler was dropped: the broker refused it, or the hub is closed.
                    let closed = || Failure::new(FAILED, "CLOSED", "the handler ended");
                    return Err(listener.error().map_or_else(closed, Failure::from));
                }
                left -= 1;
            }
            () = stop.wait() => break,
        }
    }
    session::end(hub).await?;
    Ok(0)
}

/// A line for each request: for scripts all of it, for people the name and what went wrong.
fn tell(message: &Message, answer: &Result<Value, String>, output: Output) {
    if output.json {
        let line = match answer {
            Ok(answer) => {
                serde_json::json!({"topic": message.topic(), "data": message.data(), "answer": answer})
            }
            Err(error) => {
                serde_json::json!({"topic": message.topic(), "data": message.data(), "error": error})
            }
        };
        output::line(&line.to_string());
    } else if let Ok(answer) = answer {
        output::line(&format!("{} {} -> {answer}", output.name(message.topic()), message.data()));
    }
}

impl Source {
    async fn answer(&self, message: &Message) -> Result<Value, String> {
        match self {
            Self::Fixed(answer) => Ok(answer.clone()),
            Self::Command { words, text } => {
                let printed = run_command(words, message).await?;
                let printed = printed.trim_end_matches(['\n', '\r']);
                if printed.is_empty() && !text {
                    return Ok(Value::Null);
                }
                input::parse(printed, *text)
                    .map_err(|failure| format!("the command printed {}", failure.message))
            }
        }
    }
}

async fn run_command(words: &[String], message: &Message) -> Result<String, String> {
    let (program, arguments): (&str, Vec<&str>) = match words {
        [line] => ("sh", vec!["-c", line]),
        [program, rest @ ..] => (program, rest.iter().map(String::as_str).collect()),
        [] => return Err("no command was given".to_owned()),
    };
    let mut child = Command::new(program)
        .args(arguments)
        .env("POSTHOUSE_TOPIC", message.topic())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("{program} does not start: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command may answer without reading; that it closed its input is no failure.
        _ = stdin.write_all(message.payload()).await;
        _ = stdin.write_all(b"\n").await;
    }
    let done = child.wait_with_output().await.map_err(|error| format!("{program}: {error}"))?;
    if !done.status.success() {
        return Err(format!("{program} ended with {}", done.status));
    }
    String::from_utf8(done.stdout)
        .map_err(|_| format!("{program} printed something that is not UTF-8"))
}
