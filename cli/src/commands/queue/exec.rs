//! A program that handles one batch: a fresh process, which ends with it.
//!
//! It finds the batch as JSON on its standard input and says of messages what is to become of them on file
//! descriptor 3, a line each. It is the head of a process group of its own: Ctrl-C at the terminal is for
//! the command, which lets it finish, and what it leaves running when it ends is ended too. When the command itself is
//! killed, the system kills the program (on Linux), so that nobody handles a batch whose lease nobody renews.
use super::consume::{Failed, LAST_WORDS};
use crate::exit::{Failure, USAGE};
use posthouse_core::queue::{EVENT_KIND, Line};
use posthouse_queue::{Batch, Error};
use std::{
    env,
    ffi::OsString,
    io::{self, PipeReader, PipeWriter},
    os::{
        fd::{AsFd as _, AsRawFd as _, RawFd},
        unix::fs::PermissionsExt as _,
    },
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::unix::pipe::Receiver,
    process::{Child, ChildStdin, Command},
    time::{Instant, sleep_until},
};

/// Where programs write what is to become of messages.
const WORDS: RawFd = 3;

/// What is run for each batch.
pub struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
    /// The command's own output is for lines of JSON: the program's goes to the error stream.
    output_is_taken: bool,
}

impl Program {
    /// Refuses what cannot be run, before a message is taken for it.
    pub fn new(path: &Path, arguments: Vec<OsString>, json: bool) -> Result<Self, Failure> {
        let found = find(path).ok_or_else(|| {
            let words = format!(
                "--exec: {} is no program that can be run; give its path, or a name in PATH",
                path.display()
            );
            Failure::new(USAGE, "INVALID_OPTIONS", words)
        })?;
        Ok(Self { path: found, arguments, output_is_taken: json })
    }

    /// Runs it for `batch` and does what it says. `Ok`: it ended well and nothing was wrong.
    pub async fn run(&self, batch: &Batch) -> Result<(), Failed> {
        let text = batch.read_batch_text().map_err(|refusal| failed(refusal.to_string()))?;
        let (mut child, words) = self.start(batch).map_err(|error| Failed {
            words: format!("{} does not start: {error}", self.path.display()),
            for_good: true,
        })?;
        let group = Group::of(&child);
        let mut ears = Ears { batch, line: Vec::new(), wrong: None };
        let input = child.stdin.take();
        let status = self.attend(&mut child, input, &text, words, &mut ears, &group).await;
        drop(group);
        let status = status.map_err(|error| failed(format!("it cannot be waited for: {error}")))?;
        match ears.wrong {
            Some(words) => Err(failed(words)),
            None if batch.is_cancelled() => Err(failed("it was told to leave off".to_owned())),
            None if status.success() => Ok(()),
            None => Err(failed(format!("{} ended with {status}", self.path.display()))),
        }
    }

    fn start(&self, batch: &Batch) -> io::Result<(Child, Receiver)> {
        let (reader, writer) = io::pipe()?;
        let mut command = Command::new(&self.path);
        command
            .args(&self.arguments)
            .env("POSTHOUSE_EVENT", EVENT_KIND)
            .env("POSTHOUSE_QUEUE", batch.queue())
            .stdin(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if self.output_is_taken {
            command.stdout(io::stderr().as_fd().try_clone_to_owned()?);
        }
        hand_over(&mut command, &writer);
        let child = command.spawn()?;
        Ok((child, receiver(reader)?))
    }

    /// Feeds it, hears it, and waits for its end.
    async fn attend(
        &self,
        child: &mut Child,
        input: Option<ChildStdin>,
        text: &str,
        mut words: Receiver,
        ears: &mut Ears<'_>,
        group: &Group,
    ) -> io::Result<ExitStatus> {
        let mut feeding = std::pin::pin!(feed(input, text));
        let (mut fed, mut open) = (false, true);
        let mut leave: Option<Instant> = None;
        let mut killed = false;
        let mut chunk = [0; 4_096];
        let status = loop {
            tokio::select! {
                // Before its end, so that nothing of what it said is left over.
                biased;
                read = words.read(&mut chunk), if open => match read {
                    Ok(0) | Err(_) => open = false,
                    Ok(length) => ears.hear(&chunk[..length]).await,
                },
                status = child.wait() => break status?,
                () = &mut feeding, if !fed => fed = true,
                () = batch_cancelled(ears.batch), if leave.is_none() => {
                    group.signal(libc::SIGTERM);
                    leave = Some(Instant::now() + LAST_WORDS);
                }
                () = sleep_until(leave.unwrap_or_else(Instant::now)), if leave.is_some() && !killed => {
                    group.signal(libc::SIGKILL);
                    killed = true;
                }
            }
        };
        // Descendants may keep it open; what was written before the end is there.
        while open {
            match words.try_read(&mut chunk) {
                Ok(0) | Err(_) => open = false,
                Ok(length) => ears.hear(&chunk[..length]).await,
            }
        }
        ears.end().await;
        Ok(status)
    }
}

fn failed(words: String) -> Failed {
    Failed { words, for_good: false }
}

async fn batch_cancelled(batch: &Batch) {
    batch.cancelled().await;
}

/// A program may end without having read it all.
async fn feed(input: Option<ChildStdin>, text: &str) {
    if let Some(mut input) = input {
        _ = input.write_all(text.as_bytes()).await;
        _ = input.write_all(b"\n").await;
    }
}

fn receiver(reader: PipeReader) -> io::Result<Receiver> {
    Receiver::from_owned_fd(reader.into())
}

/// As a shell finds a program: a path if it has a slash, else in PATH.
fn find(path: &Path) -> Option<PathBuf> {
    let runs = |path: &Path| {
        path.metadata().is_ok_and(|is| is.is_file() && is.permissions().mode() & 0o111 != 0)
    };
    if path.components().count() > 1 || path.is_absolute() {
        return std::path::absolute(path).ok().filter(|path| runs(path));
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(path)).find(|path| runs(path))
}

/// What is done in the new process before it becomes the program.
fn hand_over(command: &mut Command, writer: &PipeWriter) {
    let fd = writer.as_raw_fd();
    // SAFETY: getpid has no conditions.
    #[cfg(target_os = "linux")]
    let parent = unsafe { libc::getpid() };
    let set = move || {
        // SAFETY: calls to the system only, which are allowed between fork and exec; `fd` is open, for the
        // writer lives until the process was started.
        let done = unsafe {
            #[cfg(target_os = "linux")]
            {
                if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                    return Err(io::Error::last_os_error());
                }
                // It may have died in between.
                if libc::getppid() != parent {
                    return Err(io::Error::from_raw_os_error(libc::ESRCH));
                }
            }
            if fd == WORDS { libc::fcntl(fd, libc::F_SETFD, 0) } else { libc::dup2(fd, WORDS) }
        };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: `set` allocates nothing and takes no lock.
    unsafe { command.pre_exec(set) };
}

/// The program and its descendants. When it is dropped none of them is left.
struct Group(Option<i32>);

impl Group {
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| i32::try_from(id).ok()))
    }

    fn signal(&self, signal: i32) {
        if let Some(id) = self.0 {
            // SAFETY: a call to the system. The group is the child's own; that it is empty is an answer.
            unsafe { libc::kill(-id, signal) };
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(libc::SIGKILL);
    }
}

/// Hears lines and does what they say, at once, so that it holds if the process dies.
struct Ears<'a> {
    batch: &'a Batch,
    line: Vec<u8>,
    /// The first thing that was wrong: the event has failed, though later words still count.
    wrong: Option<String>,
}

impl Ears<'_> {
    async fn hear(&mut self, mut chunk: &[u8]) {
        while let Some(end) = chunk.iter().position(|byte| *byte == b'\n') {
            self.keep(&chunk[..end]);
            self.end().await;
            chunk = &chunk[end + 1..];
        }
        self.keep(chunk);
    }

    fn keep(&mut self, part: &[u8]) {
        // One more byte than is allowed is enough to see that it is too long.
        let room = (Line::MAX_BYTES + 1).saturating_sub(self.line.len());
        self.line.extend_from_slice(&part[..part.len().min(room)]);
    }

    /// A line has ended.
    async fn end(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        if let Err(error) = self.obey(&line).await {
            self.wrong.get_or_insert(error.to_string());
        }
    }

    async fn obey(&self, line: &[u8]) -> Result<(), Error> {
        match Line::parse(line)? {
            Line::Ack { index } => self.batch.ack(index).await,
            Line::Retry { index, delay } => self.batch.retry(index, delay).await,
        }
    }
}
